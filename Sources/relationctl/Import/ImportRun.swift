import RelationAPI
import RelationClient

/// The stages of one import, one after another.
struct ImportRun {
    typealias Users = ImportStage<UserFile, ImportAccountsRequest, ImportAccountsResponse>
    typealias Friends<Rows: RowFile<FriendRow>> = ImportStage<
        Rows, ImportFriendsRequest, ImportFriendsResponse
    >

    let client: Client
    let notify: Bool
    let isVerbose: Bool
    /// Where refused rows are written; nil for nowhere.
    let refusedPath: String?

    var users: Users?
    var friendships: Friends<FriendshipFile>?
    var circles: Friends<CircleFile>?

    private(set) var hasRefused = false

    func stage(_ rows: UserFile, _ count: Int) -> Users {
        Users(
            name: "users", rows: rows, count: count, method: AccountMethods.importAccounts
        ) { row, first in
            ImportAccountsRequest.with {
                $0.row = row
                $0.importID = first?.importID ?? ""
                $0.firstRow = first?.firstRow ?? 0
            }
        }
    }

    func stage<Rows: RowFile<FriendRow>>(
        _ rows: Rows, _ count: Int, as name: String
    ) -> Friends<Rows> {
        Friends(
            name: name, rows: rows, count: count, method: MaintenanceMethods.importFriends
        ) { [notify] row, first in
            ImportFriendsRequest.with {
                $0.row = row
                $0.notify = notify && first != nil
                $0.importID = first?.importID ?? ""
                $0.firstRow = first?.firstRow ?? 0
            }
        }
    }

    /// Sends all rows that are missing.
    ///
    /// - Parameters:
    ///   - isGiven: Whether the name is the caller's, and not that of the files: then an import
    ///     that came to its end is not restarted.
    ///   - broken: The lines that are not rows.
    mutating func send(as name: String, isGiven: Bool, _ broken: [BrokenLine]) async throws {
        let id = isGiven ? name : try await round(of: name)
        let isGoingOn = try await users?.progress(of: id, client).lastDurableRow ?? 0 > 0
        let file = try refusedPath.map { try RefusedFile($0, isGoingOn: isGoingOn) }
        if !isGoingOn { for line in broken { try file?.add(line) } }
        if let users { try await send(users, as: id) }
        if let friendships { try await send(friendships, as: id, file) }
        if let circles { try await send(circles, as: Self.ofCircles(id), file) }
        try file?.close()
    }

    /// The import of circles has a name of its own, since it is the same call.
    private static func ofCircles(_ id: String) -> String { id + "-c" }

    /// The name under which these files were not imported to their end yet.
    private func round(of name: String) async throws -> String {
        for round in 1...Limits.importRounds {
            let id = round == 1 ? name : "\(name)-\(round)"
            if try await !isDone(id) { return id }
        }
        throw Failure(
            "these files were imported \(Limits.importRounds) times in the last days: name this "
                + "import with --import-id")
    }

    private func isDone(_ id: String) async throws -> Bool {
        if let circles {
            let progress = try await circles.progress(of: Self.ofCircles(id), client)
            return progress.lastDurableRow >= Int64(circles.count)
        }
        guard let friendships, friendships.count > 0 else { return false }
        let progress = try await friendships.progress(of: id, client)
        return progress.lastDurableRow >= Int64(friendships.count)
    }

    private mutating func send(_ stage: Users, as id: String) async throws {
        var report = RowReport(stage.name, total: stage.count, isVerbose: isVerbose)
        try await stage.send(as: id, client, &report) { _ in }
        try end(report)
    }

    private mutating func send<Rows: RowFile<FriendRow>>(
        _ stage: Friends<Rows>, as id: String, _ file: RefusedFile?
    ) async throws {
        var report = RowReport(stage.name, total: stage.count, isVerbose: isVerbose)
        var part = try file.map { RefusedFile.Part(of: $0, try stage.rows.open()) }
        try await stage.send(as: id, client, &report) { try part?.add($0) }
        try end(report)
    }

    private mutating func end(_ report: RowReport) throws {
        try report.finish()
        report.explain(
            refusedPath.map { "\($0) has them" }
                ?? "--verbose names each, --refused FILE keeps them")
        if report.refused > 0 { hasRefused = true }
    }
}
