import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// CheckIntegrity of a user whom many others name.
@Suite struct MentionsCheckTests {
    private let fans = (0...CoreLimits.mentionsPerCheck).map {
        UserID(stored: "fan\(10_000 + $0)".utf8)
    }

    /// Each fan has A as a friend of one side, and has dismissed it.
    private func world() throws -> World {
        let world = try World("A")
        try world.create(fans)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            for fan in fans {
                let row = FriendImport.Row(owner: fan, friend: "A")
                #expect(try FriendImport.write(row, notify: false, in: ledger) == .success)
                #expect(try Dismissals.dismiss("A", for: fan, in: ledger) == .success)
            }
        }
        return world
    }

    @Test func aCheckLooksAtManyWhoNameAUserInParts() throws {
        let world = try world()
        let last = try #require(fans.last)
        // The last fan has lost its own rows, and its counters with them.
        try world.set(Tables.friends, nil, of: last, "A")
        try world.set(Tables.dismissals, nil, of: last, "A")
        var walk = IntegrityWalk(world.app)
        var parts: [MentionsCheck.Part] = []
        var stops = 0
        try world.read { (transaction) throws(StorageError) in
            while let part = try walk.next(in: transaction) {
                guard case .mentions("A", let found) = part else { continue }
                parts.append(found)
                if walk.isBetweenUsers { stops += 1 }
            }
        }
        // A part of mentions, one of the last mention and of users that dismissed A, and the rest.
        #expect(parts.count == 3 && stops == 2)
        let findings = parts.flatMap(\.findings)
        #expect(findings.map(\.subject) == ["mentions", "dismissers"])
        #expect(findings.allSatisfy { $0.other == last && $0.fault == .indexWithoutRow })
        // The last fan dismisses A once more in the meantime.
        try world.call(by: last) { (ledger) throws(StorageError) in
            #expect(try Dismissals.dismiss("A", for: last, in: ledger) == .success)
        }
        try world.call(by: nil) { (ledger) throws(StorageError) in
            for part in parts {
                #expect(try MentionsCheck.repair(part, of: "A", in: ledger) == part.findings)
            }
        }
        #expect(try world.rows(of: Tables.mentions, of: "A").count == fans.count - 1)
        #expect(try world.rows(of: Tables.dismissers, of: "A").map(\.key) == fans)
        try world.read { (transaction) throws(StorageError) in
            #expect(
                try Integrity.findings(of: "A", app: world.app, in: transaction).isEmpty)
        }
    }

    @Test func theRowsOfADeletionAreNotLookedAt() throws {
        let world = try world()
        try world.deleteAccount("A")
        var check = MentionsCheck("A", world.app)
        try world.read { (transaction) throws(StorageError) in
            #expect(try check.next(in: transaction).findings.isEmpty)
        }
        #expect(check.isDone && !check.hasBegun)
    }
}
