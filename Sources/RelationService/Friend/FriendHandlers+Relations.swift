import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime
import Storage

extension FriendHandlers {
    static func getRelations(
        _ request: GetRelationsRequest, _ call: Call, _ faults: inout Violations,
        _ memory: ExactMemory? = nil
    ) -> Reading<GetRelationsResponse> {
        let settings = call.app.settings
        let sizes = RowSizes(settings)
        let isFull = request.withCustom || request.withProfiles
        faults.count(
            request.userIDs.count, "user_ids",
            1...(isFull ? sizes.fullRelationsPerCall : sizes.relationsPerCall))
        let mask = ProfileMask(request.profileMask, "profile_mask", settings, &faults)
        if request.profileMask != nil && !request.withProfiles {
            faults.add("profile_mask", "may be given only if with_profiles is set")
        }
        let fields = request.withCustom ? FriendMask(call) : FriendMask.withoutCustom(call)
        let withProfiles = request.withProfiles
        let ids = request.userIDs.map { UserID($0) }
        let names = request.userIDs
        // A loop loads no circle.
        var isLong = true
        if case .rows(...RuntimeLimits.rowsOnLoop) = request.readSize { isLong = false }
        let asked = memory.map { AskedMemory($0, loading: isLong ? [call.user] : [], call.app) }
        return reading(call) { (_, transaction) throws(StorageError) in
            // A card may leave out most of a row, so a request may ask for more users than one read
            // takes.
            var cards: [RelationCard] = []
            cards.reserveCapacity(names.count)
            var rest = ids.compactMap { $0 }[...]
            while !rest.isEmpty {
                let users = Array(rest.prefix(sizes.relationsPerRead))
                rest = rest.dropFirst(users.count)
                let relations = try FriendRelations.read(
                    users, of: call.user, at: call.now, app: call.app, asking: asked,
                    in: transaction)
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
            if withProfiles {
                let today = CalendarDay(of: call.now)
                let seen = try Profiles.seen(
                    ids.compactMap { $0 }, by: call.user, isAdmin: call.isAdmin, app: call.app,
                    in: transaction)
                for (index, seen) in seen.enumerated() {
                    cards[index].profile = seen.map { Profile($0, mask, settings, on: today) }
                }
            }
            return GetRelationsResponse(cards, named: names, ids)
        }
    }

    static func listMutualFriends(
        _ request: ListMutualFriendsRequest, _ call: Call, _ faults: inout Violations,
        _ memory: ExactMemory? = nil
    ) -> Reading<ListMutualFriendsResponse> {
        let name = request.otherUserID
        let query = "ListMutualFriends \(call.app.id) \(call.user)\n\(name)"
        let page = Page(
            request.pageSize, request.pageToken, of: query, &faults, atMost: Limits.circlePageRows)
        let asked = memory.map { memory in
            AskedMemory(memory, loading: [call.user] + [UserID(name)].compactMap(\.self), call.app)
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
            let mutual = try FriendCircles.mutual(
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
        _ memory: ExactMemory? = nil
    ) -> Reading<SuggestFriendsResponse> {
        let query = "SuggestFriends \(call.app.id) \(call.user)"
        let page = Page(
            request.pageSize, request.pageToken, of: query, &faults, atMost: Limits.circlePageRows)
        let asked = memory.map { AskedMemory($0, loadingFriendsOf: call.user, call.app) }
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

extension RelationCard: OutcomeMessage {
    fileprivate mutating func take(
        _ relations: FriendRelations, _ fields: FriendMask, isAdmin: Bool
    ) {
        take(.success)
        relation = relations.relation
        friendEntry = relations.row.map { Friend($0, fields) }
        blacklisted = relations.isBlocked
        blacklistedBy = isAdmin ? relations.isBlocking : nil
        sent = relations.sent.map { Pendency($0, .sendOut) }
        received = relations.received.map { Pendency($0, .comeIn) }
    }
}

extension ListMutualFriendsResponse: OutcomeMessage {
    fileprivate init(_ name: String, _ code: FriendStatus, _ reason: Reason = .none) {
        self.init()
        otherUserID = name.echoed()
        take(code, reason)
    }
}

extension Pendency {
    /// A waiting application, without the fields from the other user's profile.
    fileprivate init(_ record: PendencyRecord, _ type: PendencyType) {
        self.init()
        userID = record.userID
        addTimeMs = record.timeMs
        source = record.source
        wording = record.wording
        pendencyType = type
        applicationID = record.applicationID
        status = .unhandled
    }
}
