import Migrations
import Protobuf
import RelationAPI

/// Two passes over another system, and what brings an app from the first to the second.
///
/// Nothing of the files is kept: each part of the work reads them anew.
struct SecondPass: Sendable {
    let before: PassFile
    let after: PassFile
    let deletesAccounts: Bool

    private var times: PassTimes {
        PassTimes(before: before.begin.timeMs, after: after.begin.timeMs)
    }

    /// The custom fields that the second pass does not define, so that it has no values of them.
    fileprivate var lacked: [CustomFieldMessage] {
        before.fields.filter { field in
            !after.fields.contains { $0.owner == field.owner && $0.key == field.key }
        }
    }

    /// The changes of the accounts that differ, one after another.
    func changes() -> Changes { Changes(self) }

    final class Changes {
        private let pass: SecondPass
        private let pairs: AccountPairs
        private let lacked: [CustomFieldMessage]

        fileprivate init(_ pass: SecondPass) {
            self.pass = pass
            lacked = pass.lacked
            pairs = AccountPairs(pass.before, pass.after)
        }

        /// How many accounts of the second pass were read.
        var read: Int { pairs.read }

        /// The next change; nil at the end.
        func next() throws -> AccountChange? {
            guard let pair = try pairs.next() else { return nil }
            return try AccountChange(
                pair, pass.times, deletesAccounts: pass.deletesAccounts, lacking: lacked)
        }
    }
}

/// The rows of one import among the changes.
struct ChangeRows<Row: Sendable>: RowFile {
    let pass: SecondPass
    let rows: @Sendable (AccountChange) -> [Row]

    func open() throws -> any RowReader<Row> { Reader(self) }

    private final class Reader: RowReader {
        private let rows: @Sendable (AccountChange) -> [Row]
        private let changes: SecondPass.Changes
        private var ready: ArraySlice<Row> = []

        init(_ file: ChangeRows<Row>) {
            rows = file.rows
            changes = file.pass.changes()
        }

        func next() throws -> FileRow<Row>? {
            while ready.isEmpty {
                guard let change = try changes.next() else { return nil }
                ready = rows(change)[...]
            }
            return ready.popFirst().map { .row($0) }
        }
    }
}

/// How much work the changes are.
struct ChangeCounts {
    private(set) var accounts = 0
    private(set) var calls = 0
    private(set) var profiles = 0
    private(set) var friends = 0
    private(set) var blacklist = 0
    private(set) var follows = 0
    /// How many things came, changed and went, by their kind.
    private(set) var kinds: [String: Int] = [:]

    mutating func add(_ change: AccountChange) {
        accounts += change.accounts.count
        calls += change.calls.count
        profiles += change.profiles.count
        friends += change.friends.count
        blacklist += change.blacklist.count
        follows += change.follows.count
        kinds.merge(change.counts, uniquingKeysWith: +)
    }
}

/// A row of an import, as a report names it.
protocol ReportedRow: Sendable {
    static var kind: String { get }
    var userID: String { get }
    var otherID: String { get }
}

extension AccountRow: ReportedRow {
    static var kind: String { "account" }
    var otherID: String { "" }
}

extension ProfileRow: ReportedRow {
    static var kind: String { "profile" }
    var otherID: String { "" }
}

extension FriendRow: ReportedRow {
    static var kind: String { "friend" }
    var otherID: String { friendUserID }
}

extension BlacklistRow: ReportedRow {
    static var kind: String { "blacklist" }
    var otherID: String { blockedUserID }
}

extension FollowRow: ReportedRow {
    static var kind: String { "follow" }
    var otherID: String { followedUserID }
}

/// Finds refused rows again, in the order of their numbers, by reading on in the files.
struct RefusedChanges<Row: ReportedRow> {
    private let rows: any RowReader<Row>
    private var number: Int64 = 0

    init(_ rows: any RowReader<Row>) {
        self.rows = rows
    }

    mutating func loss(_ result: some RefusedResult) throws -> MigrationLoss? {
        while number < result.rowNumber, let next = try rows.next() {
            guard case .row(let row) = next else { continue }
            number += 1
            guard number == result.rowNumber else { continue }
            return MigrationLoss(
                row.userID, Row.kind, row.otherID, field: result.refusedField,
                because: "\(result.codeNumber ?? 0) \(result.info)")
        }
        return nil
    }
}
