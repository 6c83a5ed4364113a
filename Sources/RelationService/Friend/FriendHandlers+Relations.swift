import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import Storage

extension FriendHandlers {
    static func getRelations(
        _ request: GetRelationsRequest, _ call: Call, _ faults: inout Violations
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
                    users, of: call.user, at: call.now, app: call.app, in: transaction)
                for relations in relations {
                    var card = RelationCard()
                    if let relations {
                        card.take(relations, fields, isAdmin: call.isAdmin)
                    } else {
                        card.refuse(.accountNotFound, Reason.RelationGet.accountNotExist)
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
        _ request: ListMutualFriendsRequest, _ call: Call, _ faults: inout Violations
    ) -> Reading<ListMutualFriendsResponse> {
        let limit = circleUsers(request.maxResults, &faults)
        let name = request.otherID
        return reading(call) { (_, transaction) throws(StorageError) in
            var response = ListMutualFriendsResponse()
            response.userID = name.echoed()
            guard let other = UserID(name) else {
                response.refuse(.invalidParameter, Reason.FriendMutual.userIDIllegal)
                return response
            }
            guard other != call.user else {
                response.refuse(.invalidParameter, Reason.FriendMutual.oneself)
                return response
            }
            guard try Accounts.exists(other, of: call.app, in: transaction) else {
                response.refuse(.accountNotFound, Reason.FriendMutual.accountNotExist)
                return response
            }
            let mutual = try FriendCircles.mutual(
                of: call.user, with: other, isAdmin: call.isAdmin, limit: limit, app: call.app,
                in: transaction)
            response.totalSize = Int32(mutual.count)
            response.userIDs = mutual.named.map(\.text)
            response.bounded = mutual.isBounded
            return response
        }
    }

    static func suggestFriends(
        _ request: SuggestFriendsRequest, _ call: Call, _ faults: inout Violations
    ) -> Reading<SuggestFriendsResponse> {
        let limit = circleUsers(request.maxResults, &faults)
        return reading(call) { (_, transaction) throws(StorageError) in
            let found = try FriendSuggestions(
                to: call.user, isAdmin: call.isAdmin, limit: limit, at: call.now, app: call.app,
                in: transaction)
            var response = SuggestFriendsResponse()
            response.suggestions = found.suggestions.map { suggestion in
                var answer = FriendSuggestion()
                answer.userID = suggestion.user.text
                answer.commonCount = Int32(suggestion.count)
                answer.commonIDs = suggestion.named.map(\.text)
                return answer
            }
            response.bounded = found.isBounded
            return response
        }
    }

    /// The number of users to answer: the most that there may be if the request names none.
    private static func circleUsers(_ asked: Int32, _ faults: inout Violations) -> Int {
        let limit = Limits.maxCircleUsers
        if !(0...limit).contains(Int(asked)) {
            faults.add("max_results", "is \(asked); it must be 0 to \(limit)")
        }
        return asked == 0 ? limit : min(max(1, Int(asked)), limit)
    }
}

extension GetRelationsResponse {
    /// The answer with the cards of `ids`; a nil is a malformed id, and its card says so.
    fileprivate init(_ cards: [RelationCard], named names: [String], _ ids: [UserID?]) {
        self.init()
        var next = cards.makeIterator()
        results = zip(names, ids).map { name, id in
            var card = id == nil ? RelationCard() : next.next() ?? RelationCard()
            if id == nil { card.refuse(.invalidParameter, Reason.RelationGet.userIDIllegal) }
            card.userID = name.echoed()
            return card
        }
    }
}

extension RelationCard {
    fileprivate mutating func refuse(_ code: FriendStatus, _ reason: Reason) {
        self.code = code
        info = reason.description
    }

    fileprivate mutating func take(
        _ relations: FriendRelations, _ fields: FriendMask, isAdmin: Bool
    ) {
        relation = relations.relation
        friend = relations.row.map { Friend($0, fields) }
        blacklisted = relations.isBlocked
        blacklistedBy = isAdmin ? relations.isBlocking : nil
        sent = relations.sent.map { Pendency($0, .sendOut) }
        received = relations.received.map { Pendency($0, .comeIn) }
    }
}

extension ListMutualFriendsResponse {
    fileprivate mutating func refuse(_ code: FriendStatus, _ reason: Reason) {
        self.code = code
        info = reason.description
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
        self.type = type
        applicationID = record.applicationID
        status = .unhandled
    }
}
