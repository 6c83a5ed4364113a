import ArgumentParser
import Digests
import Migrations
import Protobuf
import RelationAPI
import RelationClient

struct ImportChanges: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-changes",
        abstract: "Bring over what has changed between two passes over another system.",
        discussion: """
            Both files are as migrate or export writes them. The app was filled with the first \
            one, and may be in use. The command compares the files account by account, and brings \
            over accounts that came, and profiles, visibilities with those of single fields, \
            groups in their order, friends, blacklists and follows that came, changed or went. \
            Rows that both files have are not touched here. Rows that the new pass could not read \
            stay here, and are reported.

            Bad files are refused before anything is written. If the command ends early, the same \
            command goes on. Rows that the server refuses, and what no call migrates, such as \
            waiting applications, are reported, and the command ends with status 5.

            relationctl migrate tim … --to second.jsonl
            relationctl import-changes --before first.jsonl --from second.jsonl
            """)

    @OptionGroup var connection: Connection

    @Option(
        help: "The file of the pass before, which the app was filled with.", completion: .file())
    var before: String

    @Option(name: .customLong("from"), help: "The file of the new pass.", completion: .file())
    var path: String

    @Option(
        help: "Write what was refused or cannot be migrated into this file, as JSON lines.",
        completion: .file())
    var report: String?

    @Option(help: "Names the import, together with what the files say.")
    var importID: String?

    @Flag(help: "Delete the accounts that the new pass lacks; if absent, they are reported.")
    var deleteAccounts = false

    @Flag(help: "Compare the files, say what would be migrated, and ask no server.")
    var dryRun = false

    func validate() throws {
        let length = (importID ?? "id").utf8.count
        guard length > 0, length <= Limits.changesIDBytes else {
            throw ValidationError("--import-id takes 1 to \(Limits.changesIDBytes) bytes")
        }
        try NamedFiles.mustDiffer(
            reading: [NamedFile("--before", before), NamedFile("--from", path)]
                + connection.security.files,
            writing: [NamedFile("--report", report)])
    }

    func run() async throws {
        let first = try PassFile(before)
        let second = try PassFile(path)
        try first.check(isFollowedBy: second)
        let pass = SecondPass(before: first, after: second, deletesAccounts: deleteAccounts)
        let id = name(first, second)
        guard !dryRun else {
            var losses = try MigrationReport(report, isGoingOn: false, "not migrated")
            let counts = try compare(pass, &losses)
            try losses.close()
            return try show(counts, losses)
        }
        try await connection.calling { client in
            var run = try await ChangesRun(pass, id, client)
            // Rows that no call migrates stand in the report that an earlier try began.
            var known = try MigrationReport(
                run.isBegun && report != nil ? "/dev/null" : report, isGoingOn: false,
                "not migrated")
            let counts = try compare(pass, &known)
            try known.close()
            var losses = try MigrationReport(report, isGoingOn: true, "not migrated")
            try await run.send(counts, &losses)
            try losses.close()
            _ = try StandardOutput.print(
                "import-changes: \(run.accepted) rows and \(run.calls) calls, "
                    + "\(run.refused) refused")
            guard losses.isEmpty, known.isEmpty, run.refused == 0 else {
                known.explain()
                losses.explain()
                throw ExitCode(ExitStatus.itemsRefused.rawValue)
            }
        }
    }

    /// A name for the import of these files: other files have another one, also with the same
    /// ``importID``.
    private func name(_ first: PassFile, _ second: PassFile) -> String {
        let all = first.digest + second.digest + [deleteAccounts ? 1 : 0]
        let hash = SHA256.digest(of: all).prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return "\(importID ?? "pass")-\(Self.digits(hash))"
    }

    /// A number in few digits: an id of a call has room for a name and three of them.
    fileprivate static func digits(_ number: some BinaryInteger) -> String {
        String(number, radix: 36)
    }

    /// Looks at all changes once, and reports what no call migrates.
    private func compare(
        _ pass: SecondPass, _ losses: inout MigrationReport
    ) throws -> ChangeCounts {
        var counts = ChangeCounts()
        var progress = MigrationProgress("compare", total: pass.after.accounts, from: 0)
        if pass.before.fields != pass.after.fields {
            try losses.add([
                MigrationLoss(
                    "", "custom_field", because: "differs: define it here by DefineCustomFields")
            ])
        }
        let changes = pass.changes()
        while let change = try changes.next() {
            counts.add(change)
            try losses.add(change.losses)
            progress.show(changes.read)
        }
        return counts
    }

    private func show(_ counts: ChangeCounts, _ losses: MigrationReport) throws {
        for (kind, count) in counts.kinds.sorted(by: { $0.key < $1.key }) {
            guard try StandardOutput.print("\(kind): \(count)") else { return }
        }
        _ = try StandardOutput.print(
            "dry run: \(counts.kinds.values.reduce(0, +)) changes; nothing was written")
        guard losses.isEmpty else {
            losses.explain()
            throw ExitCode(ExitStatus.itemsRefused.rawValue)
        }
    }
}

/// The parts of a second pass, one after another.
///
/// Rows that went go first, so that lists have room. An import goes on by its id. The calls have
/// ids of their own, and are made again only if no import behind them has begun.
private struct ChangesRun {
    private let pass: SecondPass
    private let id: String
    private let client: Client
    private(set) var accepted: Int64 = 0
    private(set) var refused: Int64 = 0
    private(set) var calls = 0
    /// Whether an import of this name has written rows before.
    let isBegun: Bool
    private let areCallsDone: Bool

    init(_ pass: SecondPass, _ id: String, _ client: Client) async throws {
        (self.pass, self.id, self.client) = (pass, id, client)
        let profiles = try await Self.profiles(pass, 0).progress(of: id, client)
        let friends = try await Self.friends(pass, 0).progress(of: id, client)
        let blacklists = try await Self.blacklists(pass, 0).progress(of: id, client)
        let follows = try await Self.follows(pass, 0).progress(of: id, client)
        let accounts = try await Self.accounts(pass, 0).progress(of: id, client)
        areCallsDone = [profiles, friends, blacklists, follows].contains { $0.lastDurableRow > 0 }
        isBegun = areCallsDone || accounts.lastDurableRow > 0
    }

    mutating func send(_ counts: ChangeCounts, _ losses: inout MigrationReport) async throws {
        try await send(Self.accounts(pass, counts.accounts), &losses)
        if !areCallsDone { try await makeCalls(counts.calls, &losses) }
        try await send(Self.profiles(pass, counts.profiles), &losses)
        try await send(Self.friends(pass, counts.friends), &losses)
        try await send(Self.blacklists(pass, counts.blacklist), &losses)
        try await send(Self.follows(pass, counts.follows), &losses)
    }

    // MARK: The imports

    private mutating func send<Row: ReportedRow, Request, Response>(
        _ stage: ImportStage<ChangeRows<Row>, Request, Response>, _ losses: inout MigrationReport
    ) async throws {
        guard stage.count > 0 else { return }
        var report = RowReport(
            stage.name, total: stage.count, isVerbose: false, showsTime: true)
        var rows = RefusedChanges(try stage.rows.open())
        var found = losses
        try await stage.send(as: id, client, &report) { result in
            if let loss = try rows.loss(result) { try found.add([loss]) }
        }
        losses = found
        try report.finish()
        accepted += report.accepted
        refused += report.refused
    }

    private static func accounts(
        _ pass: SecondPass, _ count: Int
    ) -> ImportStage<ChangeRows<AccountRow>, ImportAccountsRequest, ImportAccountsResponse> {
        ImportStage(
            name: "accounts", rows: ChangeRows(pass: pass, rows: \.accounts), count: count,
            method: AccountMethods.importAccounts
        ) { row, first in
            .with {
                $0.row = row
                $0.importID = first?.importID ?? ""
                $0.firstRow = first?.firstRow ?? 0
            }
        }
    }

    private static func profiles(
        _ pass: SecondPass, _ count: Int
    ) -> ImportStage<ChangeRows<ProfileRow>, ImportProfilesRequest, ImportProfilesResponse> {
        ImportStage(
            name: "profiles", rows: ChangeRows(pass: pass, rows: \.profiles), count: count,
            method: MaintenanceMethods.importProfiles
        ) { row, first in
            .with {
                $0.row = row
                $0.importID = first?.importID ?? ""
                $0.firstRow = first?.firstRow ?? 0
            }
        }
    }

    private static func friends(
        _ pass: SecondPass, _ count: Int
    ) -> ImportStage<ChangeRows<FriendRow>, ImportFriendsRequest, ImportFriendsResponse> {
        listStage("friends", pass, count, \.friends, MaintenanceMethods.importFriends)
    }

    private static func blacklists(
        _ pass: SecondPass, _ count: Int
    ) -> ImportStage<ChangeRows<BlacklistRow>, ImportBlacklistsRequest, ImportBlacklistsResponse> {
        listStage("blacklists", pass, count, \.blacklist, MaintenanceMethods.importBlacklists)
    }

    private static func follows(
        _ pass: SecondPass, _ count: Int
    ) -> ImportStage<ChangeRows<FollowRow>, ImportFollowsRequest, ImportFollowsResponse> {
        listStage("follows", pass, count, \.follows, MaintenanceMethods.importFollows)
    }

    private static func listStage<Row: ReportedRow, Response: ImportAnswer>(
        _ name: String, _ pass: SecondPass, _ count: Int,
        _ rows: @escaping @Sendable (AccountChange) -> [Row],
        _ method: Method<ImportRequest<Row>, Response>
    ) -> ImportStage<ChangeRows<Row>, ImportRequest<Row>, Response> {
        ImportStage(
            name: name, rows: ChangeRows(pass: pass, rows: rows), count: count, method: method
        ) { row, first in
            .with {
                $0.row = row
                $0.importID = first?.importID ?? ""
                $0.firstRow = first?.firstRow ?? 0
            }
        }
    }

    // MARK: The calls

    /// The calls of one user, in their order.
    private struct UserCalls: Sendable {
        let user: String
        let number: Int
        let calls: [AccountCall]
    }

    private mutating func makeCalls(_ count: Int, _ losses: inout MigrationReport) async throws {
        guard count > 0 else { return }
        var progress = CallProgress(count)
        let changes = pass.changes()
        var number = 0
        var isAtEnd = false
        while !isAtEnd {
            var users: [UserCalls] = []
            while users.count < Limits.changedUsersAtOnce {
                guard let change = try changes.next() else {
                    isAtEnd = true
                    break
                }
                number += 1
                guard !change.calls.isEmpty else { continue }
                users.append(UserCalls(user: change.user, number: number, calls: change.calls))
            }
            let found = try await withThrowingTaskGroup(of: [MigrationLoss].self) { group in
                for user in users {
                    group.addTask { [id, client] in try await Self.make(user, id, client) }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            try losses.add(
                found.sorted { ($0.user, $0.kind, $0.other) < ($1.user, $1.kind, $1.other) })
            refused += Int64(found.count)
            calls += users.reduce(0) { $0 + $1.calls.count }
            progress.show(calls)
        }
        _ = try StandardOutput.print("calls: \(calls) made, \(refused) items refused")
    }

    private static func make(
        _ user: UserCalls, _ id: String, _ client: Client
    ) async throws -> [MigrationLoss] {
        var losses: [MigrationLoss] = []
        for (index, call) in user.calls.enumerated() {
            let numbers = [user.number, index].map { ImportChanges.digits($0) }
            let name = "\(id)-\(numbers[0])-\(numbers[1])"
            var attempts = 0
            while true {
                do {
                    losses += try await call.make(for: user.user, as: name, client)
                    break
                } catch let error as CallError {
                    // An account that was deleted or suspended here since is not the end.
                    if ["USER_NOT_FOUND", "ACCOUNT_SUSPENDED"].contains(error.reason) {
                        losses.append(
                            MigrationLoss(user.user, "account", because: error.reason))
                        break
                    }
                    attempts += 1
                    guard error.mayPass, attempts < Limits.importAttempts else { throw error }
                    try await Task.sleep(for: .seconds(1))
                }
            }
        }
        return losses
    }
}

/// How many of the calls were made, with the time that is left.
private struct CallProgress {
    private let total: Int
    private let begin = ContinuousClock.now
    private var shownParts = -1

    init(_ total: Int) {
        self.total = total
    }

    mutating func show(_ done: Int) {
        let spent = (ContinuousClock.now - begin) / Duration.seconds(1)
        let left = Int(spent / Double(max(1, done)) * Double(total - done))
        let line: PlainText = "calls: \(done) of \(total), \(left) seconds left"
        guard !StandardError.isTerminal else { return StandardError.show(bar: line) }
        let parts = Limits.progressLines * done / max(1, total)
        guard parts != shownParts else { return }
        shownParts = parts
        StandardError.print(line)
    }
}
