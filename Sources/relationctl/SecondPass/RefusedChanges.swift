import Migrations
import RelationAPI

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
