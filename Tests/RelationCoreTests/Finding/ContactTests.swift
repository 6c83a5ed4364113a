import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@testable import RelationCore

/// SetContactDigests and FindContacts.
@Suite struct ContactTests {
    private func digest(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(number), count: Limits.contactDigestBytes)
    }

    private func set(
        _ numbers: [Int], of kind: ContactKind = .phone, for user: UserID, in world: World
    ) throws -> FriendOutcome {
        try world.call(by: user) { (ledger) throws(StorageError) in
            try Contacts.set(numbers.map(digest), of: kind, for: user, in: ledger)
        }
    }

    private func ask(
        _ numbers: [Int], of kind: ContactKind = .phone, for user: UserID = "A",
        isAdmin: Bool = false, in world: World
    ) throws -> Contacts.Found {
        try world.call(by: user) { (ledger) throws(StorageError) in
            try Contacts.find(
                numbers.map(digest), of: kind, for: user, isAdmin: isAdmin, in: ledger)
        }
    }

    private func found(
        _ numbers: [Int], of kind: ContactKind = .phone, for user: UserID = "A",
        isAdmin: Bool = false, in world: World
    ) throws -> [String] {
        let found = try ask(numbers, of: kind, for: user, isAdmin: isAdmin, in: world)
        #expect(found.outcome == .success)
        return found.contacts.map { "\($0.digest[0]) \($0.user)" }
    }

    @Test func aDigestFindsEachUserThatHasIt() throws {
        let world = try World("A", "B", "C")
        #expect(try set([1, 2], for: "C", in: world) == .success)
        #expect(try set([2], for: "B", in: world) == .success)
        #expect(try set([3], of: .email, for: "B", in: world) == .success)
        #expect(try found([3, 2, 1], in: world) == ["2 B", "2 C", "1 C"])
        #expect(try found([1, 2, 3], of: .email, in: world) == ["3 B"])
        // No user finds itself.
        #expect(try found([2], for: "C", in: world) == ["2 B"])
        // New digests take the place of all old ones of their kind.
        #expect(try set([2, 3], for: "C", in: world) == .success)
        #expect(try found([1, 2, 3], in: world) == ["2 B", "2 C", "3 C"])
        #expect(try set([], for: "B", in: world) == .success)
        #expect(try found([2], in: world) == ["2 C"])
        #expect(try found([3], of: .email, in: world) == ["3 B"])
        #expect(try Audit(world, ["A", "B", "C"]).findings == [])
    }

    @Test func theSameDigestsChangeNothingAndNoEventTellsOfThem() throws {
        let world = try World("A")
        let sequence = try world.userRecord(of: "A")?.sequence
        #expect(try set([], for: "A", in: world) == .unchanged)
        #expect(try set([2, 1, 2], for: "A", in: world) == .success)
        #expect(try set([1, 2], for: "A", in: world) == .unchanged)
        #expect(try world.userRecord(of: "A")?.sequence == sequence)
    }

    @Test func oneUserMoreThanADigestMayHaveIsRefused() throws {
        let world = try World("A")
        let users = (0...Limits.contactOwners).map { UserID(stored: "u\($0)".utf8) }
        try world.create(users)
        for user in users.dropLast() { #expect(try set([1], for: user, in: world) == .success) }
        let last = try #require(users.last)
        #expect(
            try set([1, 2], for: last, in: world)
                == Outcome(.invalidParameter, Reason.ContactSet.digestFull))
        #expect(try found([2], in: world).isEmpty)
        #expect(try found([1], in: world).count == Limits.contactOwners)
        // One that has it already needs no room, and one that gives it up makes room.
        #expect(try set([1, 2], for: users[0], in: world) == .success)
        #expect(try set([2], for: users[0], in: world) == .success)
        #expect(try set([1, 2], for: last, in: world) == .success)
        #expect(try Audit(world, ["A"] + users).findings == [])
    }

    @Test func whoeverIsNotToBeFoundIsAbsent() throws {
        let world = try World("A", "B", "C", "D")
        for user in ["B", "C", "D"] as [UserID] { _ = try set([1], for: user, in: world) }
        _ = try set([1], of: .email, for: "B", in: world)
        try world.letFind("B", by: .phone, .noUser)
        _ = try world.block("A", by: "C")
        #expect(try found([1], in: world) == ["1 D"])
        #expect(try found([1], of: .email, in: world) == ["1 B"])
        #expect(try found([1], isAdmin: true, in: world) == ["1 B", "1 C", "1 D"])
        #expect(try found([1], for: "D", in: world) == ["1 C"])
    }

    @Test func aUserAsksForSoManyDigestsADay() throws {
        var settings = AppSettings.tim
        settings.limits.contactLookups = 5
        let world = try World("A", "B", settings: settings)
        _ = try set([1], for: "B", in: world)
        #expect(try ask([1, 1, 9], in: world).leftNow == 2)
        // A request beyond the limit finds and counts nothing.
        let refused = try ask([1, 2, 3], in: world)
        #expect(refused.outcome == Outcome(.invalidParameter, Reason.ContactFind.limit))
        #expect(refused.contacts.isEmpty && refused.leftNow == 2)
        #expect(try ask([1, 2], of: .email, in: world).leftNow == 0)
        #expect(try ask([1], isAdmin: true, in: world).outcome != .success)
        #expect(try ask([2], for: "B", in: world).leftNow == 4)
        // A new account of the same id has no more of it, and the next day in UTC has all.
        try world.deleteAccount("A")
        try world.runJobs()
        try world.create(["A"])
        #expect(try ask([1], in: world).outcome != .success)
        world.advance(milliseconds: 14 * 3_600_000 - 1)
        #expect(try ask([1], in: world).outcome != .success)
        world.advance(milliseconds: 1)
        #expect(try found([1], in: world) == ["1 B"])
        #expect(try ask([1], in: world).leftNow == 3)
    }

    @Test(arguments: [60_000, 5_400_000, 7 * 86_400_000])
    func digestsAreCountedInTheWindowsThatTheAppSets(_ length: Int64) throws {
        var settings = AppSettings.tim
        settings.limits.contactLookups = 2
        settings.contactLookupsWindowMs = length
        let world = try World("A", "B", settings: settings)
        world.now = Timestamp(milliseconds: World.start / length * length)
        #expect(try ask([1], in: world).leftNow == 1)
        world.advance(milliseconds: length - 1)
        #expect(try ask([1], in: world).leftNow == 0)
        let refused = try ask([1], in: world)
        #expect(refused.outcome == Outcome(.invalidParameter, Reason.ContactFind.limit))
        world.advance(milliseconds: 1)
        #expect(try ask([1], in: world).leftNow == 1)
        // A window that began at another moment counts anew.
        world.advance(milliseconds: length / 2)
        world.settings.contactLookupsWindowMs = length / 2
        #expect(try ask([1], in: world).leftNow == 1)
    }

    @Test func aDeletedAccountIsNotFoundAndLeavesNoDigest() throws {
        let world = try World("A", "B", "C")
        let most = Array(1...Limits.contactDigests)
        for kind in [ContactKind.phone, .email] {
            #expect(try set(most, of: kind, for: "B", in: world) == .success)
        }
        _ = try set([1], for: "C", in: world)
        try world.deleteAccount("B")
        #expect(try found([1, 2], in: world) == ["1 C"])
        try world.runJobs()
        #expect(try world.rows(of: Tables.contactOwners, in: world.app.contacts).count == 1)
        #expect(try world.rows(of: Tables.contactDigests, of: "B").isEmpty)
    }

    @Test func anAccountThatIsBeingDeletedTakesNoRoomOfADigest() throws {
        let users = (0..<Limits.contactOwners).map { UserID(stored: "u\($0)".utf8) }
        let world = try World("A", "B", "C")
        try world.create(users)
        for user in users { #expect(try set([1, 2], for: user, in: world) == .success) }
        try world.deleteAccount(users[0])
        #expect(try found([1], for: "B", in: world).count == Limits.contactOwners - 1)
        #expect(try set([1], for: "A", in: world) == .success)
        // The place is taken again, and the row is no longer than before.
        #expect(try set([1], for: "B", in: world).code == .invalidParameter)
        let rows = try world.rows(of: Tables.contactOwners, in: world.app.contacts)
        #expect(rows.allSatisfy { $0.record.userIDs.count == Limits.contactOwners })
        #expect(try world.integrity() == [])
        // The deletion goes on with the digests that it has left, and takes nothing from others.
        try world.runJobs()
        #expect(try found([1], for: "C", in: world).count == Limits.contactOwners)
        #expect(try found([2], for: "C", in: world).count == Limits.contactOwners - 1)
        #expect(try set([2], for: "B", in: world) == .success)
        #expect(try Audit(world, ["A", "B", "C"] + users).findings == [])
        #expect(try world.integrity() == [])
    }

    /// An app whose accounts are all being deleted is empty, and may be imported into.
    @Test func anImportCountsNoAccountThatIsBeingDeleted() throws {
        let users = (0..<Limits.contactOwners).map { UserID(stored: "u\($0)".utf8) }
        let world = try World()
        try world.create(users)
        for user in users { #expect(try set([1], for: user, in: world) == .success) }
        for user in users { try world.deleteAccount(user) }
        try world.create(["A"])
        var record = ContactDigestsRecord()
        record.phones = [digest(1)]
        try world.call(by: nil) { (ledger) throws(StorageError) in
            try Contacts.restore(record, of: "A", in: ledger)
        }
        try world.runJobs()
        #expect(try world.rows(of: Tables.contactDigests, of: "A").map(\.record) == [record])
        #expect(try Audit(world, ["A"] + users).findings == [])
    }

    @Test func aCheckFindsBothSidesOfADigest() throws {
        let world = try World("A", "B")
        _ = try set([1], for: "A", in: world)
        let (missing, stray) = (ContactDigest(.phone, digest(1)), ContactDigest(.email, digest(2)))
        try world.call(by: nil) { (ledger) throws(StorageError) in
            try Contacts.remove("A", from: missing, in: ledger)
            try Contacts.add("B", to: stray, in: ledger)
        }
        #expect(try world.integrity().contains { $0.contains("contacts") })
        let indexed = try world.read { (transaction) throws(StorageError) in
            try Integrity.contacts(of: world.app, after: nil, limit: 9, in: transaction)
        }
        #expect(indexed.entries.map(\.isStray) == [true])
        try world.call(by: nil) { (ledger) throws(StorageError) in
            let repaired = try Integrity.repair("A", in: ledger)
            #expect(repaired.map(\.subject) == ["contacts"])
            let removed = try Integrity.removeStrays(among: indexed.entries, in: ledger)
            #expect(removed.count == 1)
        }
        #expect(try world.integrity().isEmpty)
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }
}
