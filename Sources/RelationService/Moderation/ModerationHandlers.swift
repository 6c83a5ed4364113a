import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime

/// The calls of ModerationService.
package enum ModerationHandlers {
    package static func register(in router: Router) {
        let maintenance = router.maintenance
        router.write(ModerationMethods.suspendAccounts) { request, call, violations in
            suspend(request, call, &violations) { maintenance.wake() }
        }
        router.write(ModerationMethods.reinstateAccounts, reinstate)
        router.read(ModerationMethods.listSuspensions, list)
        ReportHandlers.register(in: router)
        ReviewHandlers.register(in: router)
        ExplainHandlers.register(in: router)
    }

    /// A user to suspend, with its suspension as the request wants it.
    private struct Wanted: Equatable {
        let user: UserID
        var record = SuspensionRecord()
    }

    /// - Parameter wake: Wakes the background work, which removes what has ended.
    static func suspend(
        _ request: SuspendAccountsRequest, _ call: Call, _ violations: inout Violations,
        wake: @escaping @Sendable () -> Void
    ) -> Work<SuspendAccountsResponse> {
        violations.count(request.items.count, "items", 1...Limits.suspensionItems)
        let names = request.items.map(\.userID)
        var items = FriendItemValidator<ExactText, Wanted>(
            duplicate: Reason.AccountSuspend.duplicate)
        for item in request.items {
            items.add(for: ExactText(item.userID)) { () throws(FriendRefusal) in
                try wanted(item, at: call.now)
            }
        }
        let endsSessions = request.endSessions
        var work = Work<SuspendAccountsResponse>.each(
            items.prepared,
            { (wanted, ledger) throws(StorageError) in
                var outcome = try Suspensions.suspend(wanted.user, wanted.record, in: ledger)
                if endsSessions, outcome.code == .success {
                    let end = try SessionRules.end(
                        wanted.user, before: ledger.now.milliseconds, in: ledger)
                    outcome = .done(changing: outcome.changed || end.changed)
                }
                if outcome.changed { wake() }
                return outcome
            },
            answering: { outcomes in
                SuspendAccountsResponse.with { response in
                    response.results = zip(names, outcomes).map(SuspendAccountsResult.init)
                }
            })
        let users = items.prepared.values().map(\.user)
        Suspensions.keys(of: users, app: call.app, into: &work.keys)
        if endsSessions { SessionRules.keys(of: users, app: call.app, into: &work.keys) }
        return work
    }

    /// The suspension that `item` asks for at `now`.
    private static func wanted(
        _ item: SuspensionItem, at now: Timestamp
    ) throws(FriendRefusal) -> Wanted {
        guard let user = UserID(item.userID) else {
            throw FriendRefusal(Reason.AccountSuspend.userIDIllegal)
        }
        guard item.level != .unspecified, item.level.isKnown else {
            throw FriendRefusal(Reason.AccountSuspend.levelIllegal)
        }
        guard item.reasonText.utf8.count <= Limits.suspensionReasonBytes else {
            throw FriendRefusal(Reason.AccountSuspend.reasonIllegal)
        }
        let endMs = item.endTimeMs
        guard endMs == 0 || endMs > now.milliseconds else {
            throw FriendRefusal(Reason.AccountSuspend.timeIllegal)
        }
        var wanted = Wanted(user: user)
        wanted.record.level = item.level
        wanted.record.reasonText = item.reasonText
        wanted.record.endTimeMs = endMs
        return wanted
    }

    static func reinstate(
        _ request: ReinstateAccountsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<ReinstateAccountsResponse> {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.suspensionItems)
        let names = request.userIDs
        let items = names.prepared(illegal: Reason.AccountSuspend.userIDIllegal)
        var work = Work<ReinstateAccountsResponse>.each(
            items,
            { (user, ledger) throws(StorageError) in
                try Suspensions.reinstate(user, in: ledger)
            },
            answering: { outcomes in
                ReinstateAccountsResponse.with { response in
                    response.results = zip(names, outcomes).map(ReinstateAccountsResult.init)
                }
            })
        Suspensions.keys(of: items.values(), app: call.app, into: &work.keys)
        return work
    }

    static func list(
        _ request: ListSuspensionsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListSuspensionsResponse> {
        let query = "ListSuspensions \(mark: call.app)"
        let page = Page(request.pageSize, request.pageToken, of: query, &violations)
        return Reading { (transaction) throws(StorageError) in
            let shown = try Suspensions.page(
                of: call.app, after: page.position?.user, limit: page.rows, at: call.now,
                in: transaction)
            var response = ListSuspensionsResponse()
            response.suspensions = shown.rows.map { Suspension($0.record, of: $0.user) }
            if let next = shown.next {
                response.nextPageToken =
                    PageToken(TimedUser(timeMs: 0, user: next)).text(of: query)
            }
            response.totalSize = Int32(
                clamping: try Suspensions.count(of: call.app, in: transaction))
            return response
        }
    }
}

extension Suspension {
    init(_ record: SuspensionRecord, of user: UserID) {
        self.init()
        userID = user.text
        level = record.level
        reasonText = record.reasonText
        startTimeMs = record.startTimeMs
        endTimeMs = record.endTimeMs
    }
}

extension SuspendAccountsResult: ChangeMessage {
    fileprivate init(_ name: String, _ outcome: FriendOutcome) {
        self.init()
        userID = name.echoed()
        set(outcome)
    }
}

extension ReinstateAccountsResult: ChangeMessage {
    fileprivate init(_ name: String, _ outcome: FriendOutcome) {
        self.init()
        userID = name.echoed()
        set(outcome)
    }
}
