import Memory
import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime

extension FriendHandlers {
    /// - Returns: The fields of a profile that the cards show, if they show any.
    static func validateRelations(
        _ request: borrowing GetRelationsRequestView, _ call: Call, _ violations: inout Violations
    ) -> ProfileMask {
        let settings = call.app.settings
        let sizes = RowSizes(settings)
        violations.count(
            request.userIDs.count, "user_ids",
            1...(request.isPlain ? sizes.relationsPerCall : sizes.fullRelationsPerCall))
        let mask = ProfileMask(request.profileMask, "profile_mask", settings, &violations)
        violations.checkJoin(request.withProfiles, hasMask: request.profileMask != nil)
        return mask
    }

    /// The answer from adjacency lists and cached rows alone.
    static func cachedRelations(
        _ friends: StoredFriends
    ) -> ReadMethod<GetRelationsRequestView, ProfileMask, GetRelationsResponse>.FromCache {
        { (request, _, call, adjacency) throws(StorageError) in
            guard request.isPlain else { return .notKnown }
            return try request.userIDs.withUnsafeBufferPointer { (names) throws(StorageError) in
                try KnownRelations.cached(
                    names, of: call.user, app: call.app, from: adjacency, friends, call.arena
                ).map { (known) throws(StorageError) in
                    try RelationAnswer.bytes(names, known, call)
                }
            }
        }
    }

    static func getRelations(
        _ request: borrowing GetRelationsRequestView, _ mask: ProfileMask, _ call: Call,
        _ asked: CacheLookup?, _ transaction: any ReadTransaction
    ) throws(StorageError) -> ReadAnswer<GetRelationsResponse>? {
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
        let past = call.isPast ? transaction as? PastTransaction : nil
        try past?.revertPairs(of: call.user)
        if let asked, request.isPlain {
            let answer = try request.userIDs.withUnsafeBufferPointer {
                (names) throws(StorageError) -> Encoded<GetRelationsResponse>? in
                let known = try KnownRelations.read(
                    names, of: call.user, having: Int(userRecord.friendCount), app: call.app,
                    asking: asked, in: transaction, call.arena)
                guard let known else { return nil }
                return try RelationAnswer.bytes(names, known, call)
            }
            if let answer { return .encoded(answer) }
        }
        let names = request.userIDs.map { String($0) }
        let ids = names.map { UserID($0) }
        var cards = try cards(
            of: ids.compactMap { $0 }, withCustom: request.withCustom, call, asked, transaction)
        // The present rows decide who sees which fields of a profile.
        past?.showPresent()
        if request.withProfiles {
            try addProfiles(mask, to: &cards, ids, call, transaction)
        }
        do throws(CodecError) {
            return .encoded(try call.arena.encode(GetRelationsResponse(cards, named: names, ids)))
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
                    card.fill(relations, fields, isAdmin: call.isAdmin)
                } else {
                    card.set(.accountNotFound, Reason.RelationGet.accountNotExist)
                }
                cards.append(card)
            }
        }
        return cards
    }

    private static func addProfiles(
        _ mask: ProfileMask, to cards: inout [RelationCard], _ ids: [UserID?], _ call: Call,
        _ transaction: any ReadTransaction
    ) throws(StorageError) {
        let settings = call.app.settings
        let today = CalendarDay(of: call.now)
        let seen = try Profiles.visible(
            ids.compactMap { $0 }, by: call.user, isAdmin: call.isAdmin, app: call.app,
            in: transaction)
        for (index, seen) in seen.enumerated() {
            cards[index].profile = seen.map { Profile($0, mask, settings, on: today) }
        }
    }

    static func listMutualFriends(
        _ request: ListMutualFriendsRequest, _ profiles: StoredProfiles, _ call: Call,
        _ violations: inout Violations, _ memory: ReadCache? = nil
    ) -> Reading<ListMutualFriendsResponse> {
        let name = request.otherUserID
        let query = "ListMutualFriends \(mark: call.app) \(call.user)\n\(name)"
        let page = Page(
            request.pageSize, request.pageToken, of: query, &violations,
            atMost: Limits.sharedFriendPageRows)
        let joined = JoinedProfiles(request, profiles, call, &violations)
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
            var named = mutual.named
            if let joined {
                var bytes = 0
                let profiles = try joined.page(of: named, &bytes, in: transaction) {
                    named[$0].text.utf8.count
                }
                named.removeLast(named.count - profiles.count)
                response.profiles = try profiles.map(joined.decoded)
            }
            response.userIDs = named.map(\.text)
            response.bounded = mutual.isBounded
            if mutual.hasMore || named.count < mutual.named.count, let last = named.last {
                response.nextPageToken =
                    PageToken(TimedUser(timeMs: 0, user: last)).text(of: query)
            }
            return response
        }
    }

    static func suggestFriends(
        _ request: SuggestFriendsRequest, _ profiles: StoredProfiles, _ call: Call,
        _ violations: inout Violations, _ memory: ReadCache? = nil
    ) -> Reading<SuggestFriendsResponse> {
        let query = "SuggestFriends \(mark: call.app) \(call.user)"
        let page = Page(
            request.pageSize, request.pageToken, of: query, &violations,
            atMost: Limits.sharedFriendPageRows)
        let joined = JoinedProfiles(request, profiles, call, &violations)
        let asked = memory.map { CacheLookup($0, loadingFriendsOf: call.user, call.app) }
        return reading(call) { (_, transaction) throws(StorageError) in
            // Each page counts again, because a count may depend on every row of every list.
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
            if let joined {
                try joined.add(
                    to: &response.suggestions, of: shown.suggestions.map(\.user), in: transaction)
            }
            response.totalSize = Int32(found.suggestions.count)
            response.bounded = found.isBounded
            let count = response.suggestions.count
            if shown.hasMore || count < shown.suggestions.count, count > 0 {
                let last = shown.suggestions[shown.suggestions.startIndex + count - 1]
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

extension JoinedProfiles {
    /// Adds profiles to suggestions, and drops those that have no room in the page.
    fileprivate func add(
        to suggestions: inout [FriendSuggestion], of users: [UserID],
        in transaction: any ReadTransaction
    ) throws(StorageError) {
        var bytes = 0
        let rows = suggestions
        let profiles = try page(of: users, &bytes, in: transaction) { number in
            rows[number].mutualUserIDs.reduce(80) { $0 + $1.utf8.count + 2 }
        }
        suggestions.removeLast(suggestions.count - profiles.count)
        for (index, profile) in profiles.enumerated() {
            suggestions[index].profile = try decoded(profile)
        }
    }
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
            if id == nil { card.set(.invalidParameter, Reason.RelationGet.userIDIllegal) }
            card.userID = name.echoed()
            return card
        }
    }
}

extension RelationCard: OutcomeMessage {}

extension RelationCard {
    fileprivate mutating func fill(
        _ relations: FriendRelations, _ fields: FriendMask, isAdmin: Bool
    ) {
        set(.success)
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
        set(code, reason)
    }
}
