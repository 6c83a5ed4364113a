import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationCalls
import RelationChanges
import RelationCore
import RelationModel

/// The calls of PresenceService.
package enum PresenceHandlers {
    package static func register(in router: Router) {
        let board = router.presence
        router.write(PresenceMethods.reportPresence) { request, call, violations in
            report(request, call, &violations, board)
        }
        router.read(PresenceMethods.getPresence) { request, call, violations in
            get(request, call, &violations, board)
        }
        router.write(PresenceMethods.setStatus, setStatus)
    }

    /// Reports go through the committer, so a report that is sent after another one was answered is
    /// taken after it.
    ///
    /// Where other servers have the store too, the answer also waits until all of
    /// them take it before any later report.
    static func report(
        _ request: ReportPresenceRequest, _ call: Call, _ violations: inout Violations,
        _ board: PresenceBoard
    ) -> Work<ReportPresenceResponse> {
        violations.count(request.items.count, "items", 1...Limits.presenceItems)
        let names = request.items.map(\.userID)
        let options = request.options ?? WriteOptions()
        let (app, now) = (call.app.id, call.now)
        var validator = FriendItemValidator<DeviceKey, PresenceBoard.Report>(
            duplicate: Reason.PresenceReport.duplicate)
        for item in request.items {
            let key = DeviceKey(
                user: ExactText(item.userID), device: ExactText(item.deviceID))
            switch item.prepared(at: now) {
            case .success(let report): validator.add(report, for: key)
            case .failure(let refusal): validator.refuse(refusal.outcome, for: key)
            }
        }
        let items = validator.prepared
        let taken = TakenReports()
        let isShared = board.isShared
        var work = Work<ReportPresenceResponse>.each(
            items,
            { (report, ledger) throws(StorageError) in
                guard try Accounts.ensureExists(report.user, in: ledger) else {
                    return Outcome(.accountNotFound, Reason.PresenceReport.accountNotExist)
                }
                var report = report
                report.createdMs = try ledger.userRecord(of: report.user)?.createdMs ?? 0
                guard !board.isOutdated(report, app: app) else {
                    return Outcome(.success, Reason.PresenceReport.outdated)
                }
                taken.reports.append(report)
                let device = SeenDevice(
                    report.deviceID, platform: report.platform,
                    seenMs: min(report.timeMs ?? now.milliseconds, now.milliseconds))
                try LastSeen.note(
                    report.user, on: device, isOffline: !report.online, in: ledger)
                return .success
            },
            answering: { outcomes in
                let isHeldBack =
                    options.dryRun
                    || options.allOrNothing && !outcomes.allSatisfy(\.isAcceptable)
                if !isHeldBack, !isShared { board.report(taken.reports, app: app, at: now) }
                if isHeldBack { taken.reports = [] }
                var response = ReportPresenceResponse()
                response.results = zip(names, outcomes).map(FriendResult.init)
                return response
            })
        for case .value(let report) in items {
            Accounts.keysForNaming(report.user, app: call.app, into: &work.keys)
            LastSeen.keysForNoting(report.user, app: call.app, into: &work.keys)
        }
        guard isShared else { return work }
        work.beforeAnswer = { handle, deadline, end in
            guard !taken.reports.isEmpty else { return false }
            return board.share(
                SharedReports(
                    taken.reports, app: app, at: now,
                    while: { handle.isOpen && deadline?.isPast != true }, done: end))
        }
        return work
    }

    static func get(
        _ request: GetPresenceRequest, _ call: Call, _ violations: inout Violations,
        _ board: PresenceBoard
    ) -> Reading<GetPresenceResponse> {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.presenceItems)
        let names = request.userIDs
        let users = names.map { UserID($0) }
        if request.unmasked {
            if !request.userID.isEmpty {
                violations.add("user_id", "must be empty with unmasked: the call acts for the app")
            }
            if !call.isAdmin {
                violations.refuse(
                    RPCError(.permissionDenied, .scopeMissing, "unmasked: needs the scope admin"))
            }
        }
        return Reading { (transaction) throws(StorageError) in
            if let actor = call.actor {
                let userRecord = try Accounts.record(of: actor, app: call.app, in: transaction)
                guard userRecord != nil else { return nil }
            }
            var seen = try visible(users.compactMap { $0 }, call, board, in: transaction)
                .makeIterator()
            var response = GetPresenceResponse()
            response.results.reserveCapacity(names.count)
            for (name, user) in zip(names, users) {
                var result = GetPresenceResult(name, .success)
                if user == nil {
                    result.set(.invalidParameter, Reason.PresenceGet.userIDIllegal)
                } else if let presence = seen.next() ?? nil {
                    result.presence = presence
                } else {
                    result.set(.accountNotFound, Reason.PresenceGet.accountNotExist)
                }
                response.results.append(result)
            }
            return response
        }
    }

    /// The presence of `users` as the caller may see it, and as it is if the call acts for the app;
    /// nil for a user that is not an account.
    static func visible(
        _ users: [UserID], _ call: Call, _ board: PresenceBoard,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Presence?] {
        let (app, now) = (call.app, call.now)
        let userRecords = try Accounts.records(of: users, app: app, in: transaction)
        let areHidden = try call.actor.map { (actor) throws(StorageError) in
            try PresenceRules.areHidden(users, from: actor, app: app, in: transaction)
        }
        let statuses = try Statuses.records(
            of: users, with: userRecords, at: now, app: app, in: transaction)
        var presence = try board.presence(
            of: users, with: userRecords, hiding: areHidden, app: app, at: now, in: transaction)
        for index in users.indices {
            if presence[index] != nil {
                presence[index]?.show(statuses[index])
            } else if userRecords[index] != nil || app.settings.makesAccountsImplicitly {
                presence[index] = Presence(of: users[index], [])
            }
        }
        return presence
    }

    static func setStatus(
        _ request: SetStatusRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<SetStatusResponse> {
        let seconds = request.expirySeconds
        let holds = Limits.statusSeconds
        if !holds.contains(seconds) {
            violations.add(
                "expiry_seconds",
                "is \(seconds); \(holds.lowerBound) to \(holds.upperBound) are allowed")
        }
        let ends = holds.contains(seconds) && seconds > 0 && !request.text.isEmpty
        let status = StatusRecord(
            request.text, until: ends ? call.now.milliseconds + seconds * 1_000 : 0)
        let user = call.user
        var work = Work<SetStatusResponse>(
            .one { (ledger) throws(StorageError) in
                let outcome = try Statuses.set(status, of: user, in: ledger)
                var response = SetStatusResponse()
                response.set(outcome.code, outcome.reason)
                guard outcome.code == .success else {
                    return .success(
                        WriteResult(response: response, applied: false, isRefused: true))
                }
                response.statusExpireTimeMs = status.expireTimeMs
                return .success(WriteResult(response: response, applied: outcome.changed))
            })
        work.action = .text
        Statuses.keysForSetting(user, app: call.app, into: &work.keys)
        return work
    }
}

extension SetStatusResponse: OutcomeMessage {}

/// The device of an item.
private struct DeviceKey: Hashable {
    let user: ExactText
    let device: ExactText
}

/// The reports of one call that the board is to take.
///
/// `@unchecked Sendable`: a loop makes it, then the committer's thread alone touches it, and then
/// the loop again.
private final class TakenReports: @unchecked Sendable {
    /// A transaction that runs again adds the same reports once more, which changes nothing.
    var reports: [PresenceBoard.Report] = []
}

extension GetPresenceResult: OutcomeMessage {
    fileprivate init(_ name: String, _ code: FriendStatus, _ reason: Reason = .none) {
        self.init()
        userID = name.echoed()
        set(code, reason)
    }
}

extension PresenceReport {
    /// The report that is to be taken, or the error of its first malformed field.
    fileprivate func prepared(at now: Timestamp) -> Result<PresenceBoard.Report, FriendRefusal> {
        guard let user = UserID(userID) else {
            return .failure(FriendRefusal(Reason.PresenceReport.userIDIllegal))
        }
        guard (1...Limits.deviceIDBytes).contains(deviceID.utf8.count) else {
            return .failure(FriendRefusal(Reason.PresenceReport.deviceIDIllegal))
        }
        guard platform.utf8.count <= Limits.platformBytes else {
            return .failure(FriendRefusal(Reason.PresenceReport.platformIllegal))
        }
        guard let online else {
            return .failure(FriendRefusal(Reason.PresenceReport.onlineIllegal))
        }
        guard !online || Limits.leaseSeconds.contains(leaseSeconds) else {
            return .failure(FriendRefusal(Reason.PresenceReport.leaseIllegal))
        }
        let latestMs = now.milliseconds + Limits.reportAheadMilliseconds
        guard (0...latestMs).contains(reportTimeMs) else {
            return .failure(FriendRefusal(Reason.PresenceReport.timeIllegal))
        }
        var report = PresenceBoard.Report(
            user: user, deviceID: deviceID, platform: platform, online: online,
            leaseMs: online ? leaseSeconds * 1_000 : 0)
        if reportTimeMs > 0 { report.timeMs = reportTimeMs }
        return .success(report)
    }
}
