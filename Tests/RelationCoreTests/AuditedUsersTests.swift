import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCore

/// The users whom a record may name that is stored long after its call.
@Suite struct AuditedUsersTests {
    private func row(_ user: String, request: String = "") -> AuditRow {
        var row = AuditRow()
        row.kind = .refusal
        (row.method, row.userID, row.requestID) = ("m", user, request)
        if !user.isEmpty {
            row.userSalt = [UInt8](1...16)
            row.userDigest = AuditChain.digest(ofUser: user, row.userSalt)
        }
        if !request.isEmpty {
            row.requestDigest = AuditChain.digest(ofRequest: request, [UInt8](1...16))
        }
        return row
    }

    private func checked(_ rows: [AuditRow], _ world: World) throws -> [AuditRow] {
        try world.commit { (transaction) throws(StorageError) in
            try AuditedUsers.checked(rows, of: world.app, in: transaction)
        }
    }

    private func delete(_ user: UserID, erasing: Bool, _ world: World) throws {
        try world.call(by: nil) { (ledger) throws(StorageError) in
            let wish = erasing ? AccountDeletion.Erasing(digest: "d") : nil
            _ = try AccountDeletion.start(user, erasing: wish, in: ledger)
        }
    }

    @Test func aRecordNamesOnlyUsersWhomAnErasureReaches() throws {
        let world = try World("ann", "gone", "erased", "leaving", "again")
        for (user, erases): (UserID, Bool) in [("gone", false), ("erased", true), ("again", true)] {
            try delete(user, erasing: erases, world)
        }
        try world.runJobs()
        try world.create(["again"])
        // Its account is gone at once, and the walk through the audit may be over.
        try delete("leaving", erasing: true, world)
        let users = ["ann", "gone", "erased", "leaving", "again", "ghost", ""]
        let rows = try checked(users.map { row($0, request: "of \($0)") }, world)
        #expect(rows.map(\.userID) == ["ann", "gone", "", "", "again", "", ""])
        // The request id goes with the user, and stays if the call acts for none.
        #expect(
            rows.map(\.requestID) == ["of ann", "of gone", "", "", "of again", "", "of "])
        for row in rows {
            #expect(row.userID.isEmpty == row.userDigest.isEmpty)
            #expect(row.userID.isEmpty == row.userSalt.isEmpty)
            #expect(row.requestID.isEmpty == row.requestDigest.isEmpty)
            #expect(row.method == "m" && row.kind == .refusal)
        }
    }

    /// An account that was deleted before can still be erased, with the record that names it.
    @Test func aNamedUserIsErasedLater() throws {
        let world = try World("ann", "gone")
        try delete("gone", erasing: false, world)
        try world.runJobs()
        try world.commit { (transaction) throws(StorageError) in
            let rows = [row("ann"), row("gone")]
            for row in try AuditedUsers.checked(rows, of: world.app, in: transaction) {
                try AuditChain.append(row, to: world.app, in: transaction)
            }
        }
        func names() throws -> [String] {
            try world.read { (transaction) throws(StorageError) in
                try AuditChain.page(after: 0, limit: 9, of: world.app, in: transaction)
                    .map(\.userID)
            }
        }
        #expect(try names() == ["ann", "gone"])
        for user: UserID in ["ann", "gone"] { try delete(user, erasing: true, world) }
        try world.runJobs()
        #expect(try Set(names()) == [""])
    }

    @Test func recordsWithoutAUserAreNotLookedUp() throws {
        let world = try World()
        let rows = [row(""), row("", request: "r")]
        #expect(try checked(rows, world) == rows)
    }
}
