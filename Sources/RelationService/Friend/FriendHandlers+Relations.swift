import Memory
import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime

extension FriendHandlers {
    static func judgeRelations(
        _ request: borrowing GetRelationsRequestView, _ call: Call, _ faults: inout Violations
    ) {
        let settings = call.app.settings
        let sizes = RowSizes(settings)
        faults.count(
            request.userIDs.count, "user_ids",
            1...(request.isPlain ? sizes.relationsPerCall : sizes.fullRelationsPerCall))
        _ = ProfileMask(request.profileMask, "profile_mask", settings, &faults)
        if request.profileMask != nil && !request.withProfiles {
            faults.add("profile_mask", "may be given only if with_profiles is set")
        }
    }

    /// The answer from adjacency lists and kept rows alone.
    static func recallRelations(
        _ friends: StoredFriends
    ) -> CachedRead<GetRelationsRequestView, GetRelationsResponse>.Recall {
        { (request, call, adjacency) throws(StorageError) in
            guard request.isPlain else { return .notKnown }
            return try request.userIDs.withUnsafeBufferPointer { (names) throws(StorageError) in
                let look = try KnownRelations.recall(
                    names, of: call.user, app: call.app, from: adjacency, friends, call.arena)
                switch look {
                case .all(let known):
                    let answer = try RelationAnswer.bytes(names, known, call)
                    return answer.map { .answered($0) } ?? .notKnown
                case .nothing: return .notKnown
                case .worthLoading: return .worthLoading
                }
            }
        }
    }

    static func getRelations(
        _ request: borrowing GetRelationsRequestView, _ call: Call, _ asked: CacheLookup?,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> Encoded<GetRelationsResponse>? {
        if transaction.wantsNotice {
            transaction.expect(
                request.withProfiles
                    ? [.userRecords, .friends, .blacklists, .applications, .profiles]
                    : [.userRecords, .friends, .blacklists, .applications],
                of: call.user, and: request.userIDs.compactMap { UserID(String($0)) },
                app: call.app)
        }
        guard let userRecord = try Accounts.record(of: call.user, app: call.app, in: transaction)
        else { return nil }
        if let asked, request.isPlain {
            let answer = try request.userIDs.withUnsafeBufferPointer {
                (names) throws(StorageError) -> Encoded<GetRelationsResponse>? in
                let known = try KnownRelations.read(
                    names, of: call.user, having: Int(userRecord.friendCount), app: call.app,
                    asking: asked, in: transaction, call.arena)
                guard let known else { return nil }
                return try RelationAnswer.bytes(names, known, call)
            }
            if let answer { return answer }
        }
        let names = request.userIDs.map { String($0) }
        let ids = names.map { UserID($0) }
        var cards = try cards(
            of: ids.compactMap { $0 }, withCustom: request.withCustom, call, asked, transaction)
        if request.withProfiles {
            try addProfiles(request.profileMask, to: &cards, ids, call, transaction)
        }
        do throws(CodecError) {
            return try call.arena.encode(GetRelationsResponse(cards, named: names, ids))
        } catch {
            throw .answerIsFull
        }
    }

    /// The cards of `users`, each of which may be shown with its row and its applications.
    private static func cards(
        of users: [UserID], withCustom: Bool, _ call: Call, _ asked: CacheLookup?,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> [RelationCard] {
        let fields = withCustom ? FriendMask(call) : FriendMask.withoutCustom(call)
        let usersPerRead = RowSizes(call.app.settings).relationsPerRead
        var cards: [RelationCard] = []
        cards.reserveCapacity(users.count)
        // A card may leave out most of a row, so a request may ask for more users than one read
        // takes.
        var rest = users[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(usersPerRead))
            rest = rest.dropFirst(part.count)
            let relations = try FriendRelations.read(
                part, of: call.user, at: call.now, app: call.app, asking: asked, in: transaction)
            for relations in relations {
                var card = RelationCard()
                if let relations {
                    card.take(relations, fields, isAdmin: call.isAdmin)
                } else {
                    card.take(.accountNotFound, Reason.RelationGet.accountNotExist)
                }
                cards.append(card)
            }
        }
        return cards
    }

    private static func addProfiles(
        _ mask: FieldMask?, to cards: inout [RelationCard], _ ids: [UserID?], _ call: Call,
        _ transaction: any ReadTransaction
    ) throws(StorageError) {
        let settings = call.app.settings
        // The mask has been judged before.
        var faults = Violations()
        let mask = ProfileMask(mask, "profile_mask", settings, &faults)
        let today = CalendarDay(of: call.now)
        let seen = try Profiles.seen(
            ids.compactMap { $0 }, by: call.user, isAdmin: call.isAdmin, app: call.app,
            in: transaction)
        for (index, seen) in seen.enumerated() {
            cards[index].profile = seen.map { Profile($0, mask, settings, on: today) }
        }
    }

    static func listMutualFriends(
        _ request: ListMutualFriendsRequest, _ call: Call, _ faults: inout Violations,
        _ memory: ReadCache? = nil
    ) -> Reading<ListMutualFriendsResponse> {
        let name = request.otherUserID
        let query = "ListMutualFriends \(mark: call.app) \(call.user)\n\(name)"
        let page = Page(
            request.pageSize, request.pageToken, of: query, &faults,
            atMost: Limits.sharedFriendPageRows)
        let asked = memory.map { memory in
            CacheLookup(memory, loading: [call.user] + [UserID(name)].compactMap(\.self), call.app)
        }
        return reading(call) { (_, transaction) throws(StorageError) in
            guard let other = UserID(name) else {
                return ListMutualFriendsResponse(
                    name, .invalidParameter, Reason.FriendMutual.userIDIllegal)
            }
            guard other != call.user else {
                return ListMutualFriendsResponse(
                    name, .invalidParameter, Reason.FriendMutual.oneself)
            }
            guard try Accounts.exists(other, of: call.app, in: transaction) else {
                return ListMutualFriendsResponse(
                    name, .accountNotFound, Reason.FriendMutual.accountNotExist)
            }
            let mutual = try SharedFriends.mutual(
                of: call.user, with: other, isAdmin: call.isAdmin, after: page.position?.user,
                limit: page.rows, app: call.app, asking: asked, in: transaction)
            var response = ListMutualFriendsResponse(name, .success)
            response.totalSize = Int32(mutual.count)
            response.userIDs = mutual.named.map(\.text)
            response.bounded = mutual.isBounded
            if mutual.hasMore, let last = mutual.named.last {
                response.nextPageToken =
                    PageToken(TimedUser(timeMs: 0, user: last)).text(of: query)
            }
            return response
        }
    }

    static func suggestFriends(
        _ request: SuggestFriendsRequest, _ call: Call, _ faults: inout Violations,
        _ memory: ReadCache? = nil
    ) -> Reading<SuggestFriendsResponse> {
        let query = "SuggestFriends \(mark: call.app) \(call.user)"
        let page = Page(
            request.pageSize, request.pageToken, of: query, &faults,
            atMost: Limits.sharedFriendPageRows)
        let asked = memory.map { CacheLookup($0, loadingFriendsOf: call.user, call.app) }
        return reading(call) { (_, transaction) throws(StorageError) in
            // Each page counts anew, because a count may depend on every row of every list.
            let found = try FriendSuggestions(
                to: call.user, isAdmin: call.isAdmin, at: call.now, app: call.app,
                asking: asked, in: transaction)
            let shown = found.page(
                after: page.position.map(FriendSuggestions.Position.init), limit: page.rows)
            var response = SuggestFriendsResponse()
            response.suggestions = shown.suggestions.map { suggestion in
                var answer = FriendSuggestion()
                answer.userID = suggestion.user.text
                answer.mutualCount = Int32(suggestion.count)
                answer.mutualUserIDs = suggestion.named.map(\.text)
                return answer
            }
            response.totalSize = Int32(found.suggestions.count)
            response.bounded = found.isBounded
            if shown.hasMore, let last = shown.suggestions.last {
                response.nextPageToken = PageToken(TimedUser(last.position)).text(of: query)
            }
            return response
        }
    }
}

extension GetRelationsRequestView {
    /// Whether a card is the relation and the row of a friend without its custom values.
    fileprivate var isPlain: Bool { !withCustom && !withProfiles }
}

// A token of SuggestFriends names a count, in the place of a time, and a user.

extension FriendSuggestions.Position {
    fileprivate init(_ position: TimedUser) {
        self.init(count: Int(position.timeMs), user: position.user)
    }
}

extension TimedUser {
    fileprivate init(_ position: FriendSuggestions.Position) {
        self.init(timeMs: Int64(position.count), user: position.user)
    }
}

extension GetRelationsResponse {
    /// The answer with the cards of `ids`; a nil is a malformed id, and its card says so.
    fileprivate init(_ cards: [RelationCard], named names: [String], _ ids: [UserID?]) {
        self.init()
        var next = cards.makeIterator()
        results = zip(names, ids).map { name, id in
            var card = id == nil ? RelationCard() : next.next() ?? RelationCard()
            if id == nil { card.take(.invalidParameter, Reason.RelationGet.userIDIllegal) }
            card.userID = name.echoed()
            return card
        }
    }
}

extension RelationCard: OutcomeMessage {}

extension RelationCard {
    fileprivate mutating func take(
        _ relations: FriendRelations, _ fields: FriendMask, isAdmin: Bool
    ) {
        take(.success)
        relation = relations.relation
        friendEntry = relations.row.map { Friend($0, fields) }
        blacklisted = relations.isBlocked
        blacklistedBy = isAdmin ? relations.isBlocking : nil
        sent = relations.sent.map { FriendApplication(waiting: $0, .sendOut) }
        received = relations.received.map { FriendApplication(waiting: $0, .comeIn) }
    }
}

extension ListMutualFriendsResponse: OutcomeMessage {
    fileprivate init(_ name: String, _ code: FriendStatus, _ reason: Reason = .none) {
        self.init()
        otherUserID = name.echoed()
        take(code, reason)
    }
}
