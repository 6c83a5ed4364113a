import Protobuf
import RelationAPI
import RelationCalls
import RelationChanges
import RelationCore
import RelationModel
import RelationRuntime

/// The calls of SubscriptionService.
package enum SubscriptionHandlers {
    package static func register(in router: Router) {
        router.write(SubscriptionMethods.subscribe, subscribe)
        router.write(SubscriptionMethods.unsubscribe, unsubscribe)
        let profiles = router.committer.memory.profiles
        let board = router.presence
        router.read(SubscriptionMethods.querySubscriptions) { request, call, violations in
            query(request, profiles, board, call, &violations)
        }
        router.read(SubscriptionMethods.listSubscriptions) { request, call, violations in
            list(request, profiles, board, call, &violations)
        }
    }

    static func subscribe(
        _ request: SubscribeRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<SubscribeResponse> {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.subscriptionItems)
        let type = violations.storedType(request.subscribeType) ?? .onlineStatus
        let seconds = request.expirySeconds
        let bounds = Limits.subscriptionSeconds
        if !bounds.contains(seconds) {
            violations.add(
                "expiry_seconds",
                "is \(seconds); \(bounds.lowerBound) to \(bounds.upperBound) are allowed")
        }
        let isLegal = bounds.contains(seconds)
        let expireMs = call.now.milliseconds + (isLegal ? seconds * 1_000 : 0)
        let owner = call.user
        let names = request.userIDs
        let items = names.prepared(
            refusing: SubscriptionOutcome(.publisherInvalid, Reason.Subscribe.userIDIllegal))
        var work = Work<SubscribeResponse>.each(
            items,
            { (user, ledger) throws(StorageError) in
                try Subscriptions.subscribe(owner, to: user, type, until: expireMs, in: ledger)
            },
            answering: { outcomes in
                var response = SubscribeResponse()
                response.results = zip(names, outcomes).map { name, outcome in
                    var result = SubscriptionResult(name, outcome)
                    guard result.code == .success else { return result }
                    var subscription = Subscription()
                    subscription.userID = result.userID
                    subscription.subscribeType = type
                    subscription.subscribeTimeMs = call.now.milliseconds
                    subscription.expireTimeMs = expireMs
                    result.subscription = subscription
                    return result
                }
                return response
            })
        Subscriptions.keysForSubscribing(
            owner, to: items.values(), type, app: call.app, into: &work.keys)
        return work
    }

    static func unsubscribe(
        _ request: UnsubscribeRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<UnsubscribeResponse> {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.subscriptionItems)
        let type = violations.storedType(request.subscribeType) ?? .onlineStatus
        let owner = call.user
        let names = request.userIDs
        let items = names.prepared(
            refusing: SubscriptionOutcome(.publisherInvalid, Reason.Unsubscribe.userIDIllegal))
        var work = Work<UnsubscribeResponse>.each(
            items,
            { (user, ledger) throws(StorageError) in
                try Subscriptions.unsubscribe(owner, from: user, type, in: ledger)
            },
            answering: { outcomes in
                var response = UnsubscribeResponse()
                response.results = zip(names, outcomes).map { SubscriptionResult($0, $1) }
                return response
            })
        Subscriptions.keysForUnsubscribing(
            owner, from: items.values(), type, app: call.app, into: &work.keys)
        return work
    }

    // MARK: Questions

    static func query(
        _ request: QuerySubscriptionsRequest, _ profiles: StoredProfiles, _ board: PresenceBoard,
        _ call: Call, _ violations: inout Violations
    ) -> Reading<QuerySubscriptionsResponse> {
        let most =
            request.withProfiles
            ? RowSizes(call.app.settings).joinedSubscriptionsPerCall : Limits.subscriptionItems
        violations.count(request.userIDs.count, "user_ids", 1...most)
        let joined = JoinedProfiles(request, profiles, call, &violations)
        let withPresence = request.withPresence
        let type = violations.storedType(request.subscribeType) ?? .onlineStatus
        let names = request.userIDs
        let users = names.map { UserID($0) }
        return reading(call) { (_, transaction) throws(StorageError) in
            let asked = users.compactMap { $0 }
            let exist = try Accounts.exist(asked, of: call.app, in: transaction)
            let records = try Subscriptions.records(
                of: call.user, to: asked, type, at: call.now, app: call.app, in: transaction)
            var next = 0
            var response = QuerySubscriptionsResponse()
            for (name, user) in zip(names, users) {
                var result = QuerySubscriptionResult(name, .success)
                if let user {
                    if user == call.user {
                        result.set(.publisherInvalid, Reason.SubscriptionQuery.oneself)
                    } else if exist[next] {
                        result.subscription = records[next].map(Subscription.init)
                    } else {
                        result.set(.accountNotFound, Reason.SubscriptionQuery.accountNotExist)
                    }
                    next += 1
                } else {
                    result.set(.publisherInvalid, Reason.SubscriptionQuery.userIDIllegal)
                }
                response.results.append(result)
            }
            guard joined != nil || withPresence else { return response }
            let found = response.results.indices.filter {
                response.results[$0].subscription != nil
            }
            let followed = found.compactMap { users[$0] }
            let seen =
                try withPresence
                ? PresenceHandlers.visible(followed, call, board, in: transaction) : []
            let profiles = try joined?.decoded(of: followed, in: transaction) ?? []
            for (number, index) in found.enumerated() {
                if joined != nil {
                    response.results[index].subscription?.profile = profiles[number]
                }
                if withPresence { response.results[index].subscription?.presence = seen[number] }
            }
            return response
        }
    }

    /// Lists the subscriptions in order of their types, and then of the bytes of the ids.
    static func list(
        _ request: ListSubscriptionsRequest, _ profiles: StoredProfiles, _ board: PresenceBoard,
        _ call: Call, _ violations: inout Violations
    ) -> Reading<ListSubscriptionsResponse> {
        let joined = JoinedProfiles(request, profiles, call, &violations)
        let withPresence = request.withPresence
        var type: SubscribeType?
        if request.subscribeType != .unspecified {
            type = violations.storedType(request.subscribeType)
        }
        let query = "ListSubscriptions \(mark: call.app) \(call.user) \(type?.rawValue ?? 0)"
        let page = Page(
            request.pageSize, request.pageToken, of: query, &violations,
            atMost: Limits.subscriptionPageRows)
        if request.startIndex < 0 { violations.add("start_index", "is negative") }
        if request.startIndex > 0, !request.pageToken.isEmpty {
            violations.add("start_index", "cannot be given together with page_token")
        }
        let last = page.position.map {
            SubscriptionKey(
                SubscribeType(rawValue: Int32(truncatingIfNeeded: $0.timeMs)), $0.user)
        }
        return reading(call) { (userRecord, transaction) throws(StorageError) in
            var passedOver = Int(request.startIndex)
            var response = ListSubscriptionsResponse()
            var hasMore = false
            try Subscriptions.scan(
                of: call.user, type, after: last, at: call.now, app: call.app, in: transaction
            ) { _, record in
                guard passedOver == 0 else {
                    passedOver -= 1
                    return .next
                }
                guard response.subscriptions.count < page.rows else {
                    hasMore = true
                    return .enough
                }
                response.subscriptions.append(Subscription(record))
                return .next
            }
            let scanned = response.subscriptions.count
            let users = response.subscriptions.map { UserID(stored: $0.userID) }
            if withPresence {
                let seen = try PresenceHandlers.visible(users, call, board, in: transaction)
                for index in users.indices { response.subscriptions[index].presence = seen[index] }
                response.subscriptions.trimToPage()
            }
            if let joined {
                try joined.add(to: &response.subscriptions, of: users, in: transaction)
            }
            hasMore = hasMore || response.subscriptions.count < scanned
            if hasMore, let last = response.subscriptions.last {
                let position = TimedUser(
                    timeMs: Int64(last.subscribeType.rawValue),
                    user: UserID(stored: last.userID))
                response.nextPageToken = PageToken(position).text(of: query)
            }
            response.totalSize = Int32(
                try Subscriptions.count(
                    of: call.user, userRecord, type, at: call.now, app: call.app, in: transaction))
            response.sequence = userRecord.subscriptionsSequence
            return response
        }
    }
}

extension Violations {
    /// The type of a request's subscriptions; adds a violation and returns nil if it is not stored.
    fileprivate mutating func storedType(_ type: SubscribeType) -> SubscribeType? {
        known(type, "subscribe_type")
        switch type {
        case .unspecified: return .onlineStatus
        case .friendOnlineStatus, .friendUserProfile:
            add("subscribe_type", "needs no subscription, because every friend is notified")
            return nil
        default: return type.isKnown ? type : nil
        }
    }
}

extension SubscriptionResult: ChangeMessage {
    fileprivate init(_ name: String, _ outcome: SubscriptionOutcome) {
        self.init()
        userID = name.echoed()
        set(outcome)
    }
}

extension QuerySubscriptionResult: OutcomeMessage {
    fileprivate init(_ name: String, _ code: SubscriptionStatus, _ reason: Reason = .none) {
        self.init()
        userID = name.echoed()
        set(code, reason)
    }
}

extension Subscription {
    init(_ record: SubscriptionRecord) {
        self.init()
        userID = record.userID
        subscribeType = record.subscribeType
        subscribeTimeMs = record.subscribeTimeMs
        expireTimeMs = record.expireTimeMs
    }
}

extension [Subscription] {
    /// Drops the subscriptions that have no room in the bytes of a page; one has room always.
    fileprivate mutating func trimToPage() {
        var bytes = 0
        let count = prefix { subscription in
            bytes += subscription.bytesAtMost + 2
            return bytes <= Limits.pageBytes
        }.count
        removeLast(self.count - Swift.max(Swift.min(1, self.count), count))
    }
}

extension JoinedProfiles {
    /// Adds profiles to subscriptions, and drops those that have no room in the page.
    fileprivate func add(
        to subscriptions: inout [Subscription], of users: [UserID],
        in transaction: any ReadTransaction
    ) throws(StorageError) {
        var bytes = 0
        let rows = subscriptions
        let profiles = try page(
            of: Array(users.prefix(rows.count)), &bytes, in: transaction
        ) { rows[$0].bytesAtMost }
        subscriptions.removeLast(rows.count - profiles.count)
        for (index, profile) in profiles.enumerated() {
            subscriptions[index].profile = try decoded(profile)
        }
    }
}
