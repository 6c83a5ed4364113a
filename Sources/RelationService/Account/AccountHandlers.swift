import Digests
import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationCalls
import RelationChanges
import RelationCore
import RelationModel
import RelationRuntime
import Support

/// The calls of AccountService.
package enum AccountHandlers {
    package static func register(in router: Router) {
        router.rows(AccountMethods.importAccounts, AccountRows.self)
        let (maintenance, board) = (router.maintenance, router.presence)
        router.read(AccountMethods.listAccounts, list)
        router.read(AccountMethods.checkAccounts, check)
        router.write(AccountMethods.deleteAccounts) { request, call, violations in
            delete(request, call, &violations, board) { maintenance.wake() }
        }
        router.read(AccountMethods.getDeletion, missing: noDeletion, getDeletion)
        SessionHandlers.register(in: router)
    }

    static func list(
        _ request: ListAccountsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListAccountsResponse> {
        let query = "ListAccounts \(mark: call.app)"
        let page = Page(request.pageSize, request.pageToken, of: query, &violations)
        return Reading { (transaction) throws(StorageError) in
            let users = try Directory.page(
                of: call.app, after: page.position?.user, limit: page.rows + 1, in: transaction)
            let shown = Array(users.prefix(page.rows))
            let created = try Accounts.created(shown, app: call.app, in: transaction)
            var response = ListAccountsResponse()
            response.accounts = zip(shown, created).map { user, time in
                var account = Account()
                account.userID = user.text
                account.createTimeMs = time ?? 0
                return account
            }
            if users.count > shown.count, let last = shown.last {
                response.nextPageToken =
                    PageToken(TimedUser(timeMs: 0, user: last)).text(of: query)
            }
            response.totalSize = Int32(
                clamping: try Feed.state(of: call.app, in: transaction).accounts)
            return response
        }
    }

    static func check(
        _ request: CheckAccountsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<CheckAccountsResponse> {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.accountItems)
        let names = request.userIDs
        let ids = names.map { UserID($0) }
        return Reading { (transaction) throws(StorageError) in
            let created = try Accounts.created(
                ids.compactMap { $0 }, app: call.app, in: transaction)
            var next = 0
            var response = CheckAccountsResponse()
            for (name, id) in zip(names, ids) {
                var result = CheckAccountResult(name, .success)
                if id == nil {
                    result.set(.invalidParameter, Reason.AccountCheck.userIDIllegal)
                } else {
                    result.status = created[next] == nil ? .notImported : .imported
                    result.createTimeMs = created[next] ?? 0
                    next += 1
                }
                response.results.append(result)
            }
            return response
        }
    }

    /// The devices of the users go offline with the deletion, and not with their leases.
    ///
    /// - Parameter wake: Wakes the background work.
    static func delete(
        _ request: DeleteAccountsRequest, _ call: Call, _ violations: inout Violations,
        _ board: PresenceBoard, wake: @escaping @Sendable () -> Void
    ) -> Work<DeleteAccountsResponse> {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.accountItems)
        let names = request.userIDs
        let items = names.prepared(illegal: Reason.AccountDelete.userIDIllegal)
        let options = request.options ?? WriteOptions()
        let endsSessions = request.endSessions
        let erases = request.erase || call.app.settings.erasure.always
        let key = request.erasureKey
        if key.utf8.count > Limits.erasureKeyBytes {
            violations.add(
                "erasure_key",
                "has \(key.utf8.count) bytes; at most \(Limits.erasureKeyBytes) are allowed")
        }
        let begun = BegunDeletions()
        let (app, now) = (call.app.id, call.now)
        var work = Work<DeleteAccountsResponse>.each(
            items,
            { (user, ledger) throws(StorageError) in
                let erasing = erases ? AccountDeletion.Erasing(user, key: key) : nil
                let start = try AccountDeletion.start(user, erasing: erasing, in: ledger)
                begun.numbers[user] = start.number
                if start.hasBegun { begun.users.append(user) }
                if endsSessions, start.hasBegun {
                    _ = try SessionRules.end(user, before: ledger.now.milliseconds, in: ledger)
                }
                wake()
                return start.outcome
            },
            answering: { outcomes in
                var response = DeleteAccountsResponse()
                let isKept =
                    !options.dryRun
                    && (!options.allOrNothing || outcomes.allSatisfy(\.isAcceptable))
                if !isKept { begun.users = [] }
                response.results = zip(names, outcomes).map { name, outcome in
                    var result = DeleteAccountResult(name, outcome)
                    if isKept, let user = UserID(name), let number = begun.numbers[user] {
                        result.deletionID = DeletionID.text(number)
                    }
                    return result
                }
                return response
            })
        AccountDeletion.keys(of: items.values(), app: call.app, into: &work.keys)
        if endsSessions { SessionRules.keys(of: items.values(), app: call.app, into: &work.keys) }
        work.beforeAnswer = { handle, deadline, end in
            guard board.isShared else {
                board.end(begun.users, app: app, at: now)
                return false
            }
            let reports = board.endings(of: begun.users, app: app, at: now)
            guard !reports.isEmpty else { return false }
            // The accounts are gone, whether or not the other servers learn of their devices.
            return board.share(
                SharedReports(
                    reports, app: app, at: now,
                    while: { handle.isOpen && deadline?.isPast != true }, done: { _ in end(nil) }))
        }
        return work
    }

    static func getDeletion(
        _ request: GetDeletionRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<GetDeletionResponse> {
        let number = DeletionID.number(request.deletionID)
        if number == nil {
            violations.add("deletion_id", "is not an id that DeleteAccounts returns")
        }
        return Reading { (transaction) throws(StorageError) in
            let record = try AccountDeletion.record(number ?? 0, of: call.app, in: transaction)
            return record.map { record in
                var response = GetDeletionResponse()
                response.userID = record.userID
                response.state = record.state
                response.removedRows = record.rowsRemoved
                response.startTimeMs = record.startedMs
                response.endTimeMs = record.finishedMs
                if record.erases, record.state == .done {
                    response.receipt = ErasureReceipt(record)
                }
                return response
            }
        }
    }

    private static let noDeletion = RPCError(
        .notFound, .deletionNotFound, "deletion_id: the app has no such deletion")
}

extension AccountDeletion.Erasing {
    /// - Parameter key: The app's secret for receipts; empty if it wants no digest.
    fileprivate init(_ user: UserID, key: String) {
        let code = HMACSHA256.code(of: Array(user.text.utf8), key: Array(key.utf8))
        self.init(digest: key.isEmpty ? "" : String(hexadecimal: code))
    }
}

extension ErasureReceipt {
    fileprivate init(_ record: DeletionRecord) {
        self.init()
        digest = record.digest
        let tally = record.tally ?? ErasureTally()
        events = tally.events
        streamEvents = tally.feedEntries
        removedFriends = tally.removedFriends
        endedApplications = tally.applications
        keptAnswers = tally.answers
        otherRows = tally.others
        let kept = record.kept ?? ErasureKept()
        logsKeptUntilMs = kept.logsUntilMs
        applicationsKeptUntilMs = kept.applicationsUntilMs
        answersKeptUntilMs = kept.answersUntilMs
        sessionEndKept = kept.sessionEnd
        sessionEndDigestKept = kept.sessionEndDigest
        reports = tally.reports
        reportsKeptUntilMs = kept.reportsUntilMs
    }
}

extension CheckAccountResult: OutcomeMessage {
    fileprivate init(_ name: String, _ code: FriendStatus, _ reason: Reason = .none) {
        self.init()
        userID = name.echoed()
        set(code, reason)
    }
}

extension DeleteAccountResult: ChangeMessage {
    fileprivate init(_ name: String, _ outcome: FriendOutcome) {
        self.init()
        userID = name.echoed()
        set(outcome)
    }
}

/// The numbers of the deletions that one call began.
///
/// `@unchecked Sendable`: a loop makes it, then the committer's thread alone touches it, and then
/// the loop again.
private final class BegunDeletions: @unchecked Sendable {
    var numbers: [UserID: UInt64] = [:]
    /// The users whose accounts the call removed; a transaction that runs again adds them again.
    var users: [UserID] = []
}

/// The text of a deletion's number for clients: the number in hexadecimal.
enum DeletionID {
    static func text(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    static func number(_ text: String) -> UInt64? {
        guard let number = UInt64(text, radix: 16), self.text(number).isExactly(text) else {
            return nil
        }
        return number
    }
}

extension AccountDeletion.Start {
    fileprivate var number: UInt64? {
        switch self {
        case .started(let number), .isRunning(let number), .joined(let number): number
        case .noAccount: nil
        }
    }

    /// Whether the deletion begins with this call.
    fileprivate var hasBegun: Bool {
        if case .started = self { true } else { false }
    }

    fileprivate var outcome: FriendOutcome {
        switch self {
        case .started: .success
        case .isRunning: Outcome(.success, Reason.AccountDelete.isRunning)
        case .joined: Outcome(.success, Reason.AccountDelete.isRunning, changed: true)
        case .noAccount: Outcome(.accountNotFound, Reason.AccountDelete.accountNotExist)
        }
    }
}
