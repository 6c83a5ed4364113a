import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// DeleteAllFriends.
@Suite struct FriendDeleteAllTests {
    private let users: [UserID] = ["A", "B", "C", "D", "E"]

    /// A has B and C as mutual friends and D one way; E has A one way.
    private func world() throws -> World {
        let world = try World("A", "B", "C", "D", "E")
        for user in ["B", "C"] as [UserID] {
            let answer = try world.add(user, to: "A") {
                $0.group = "work"
                $0.remark = "x"
            }
            #expect(answer == .success)
        }
        #expect(try world.add("D", to: "A", .single) == .success)
        #expect(try world.add("A", to: "E", .single) == .success)
        return world
    }

    @Test func singleEmptiesTheOwnListAndNotifiesNoOtherUser() throws {
        let world = try world()
        let userRecords = try users.map { try world.userRecord(of: $0)?.sequence ?? 0 }
        let deleted = try world.deleteAll(of: "A")
        #expect(deleted == (3, 0))
        #expect(try world.friends(of: "A") == [])
        #expect(try world.friends(of: "B") == ["A"] && world.friends(of: "E") == ["A"])
        #expect(try world.group("work", of: "A")?.memberCount == 0)
        let notified = try world.events(of: "A", after: userRecords[0])
        #expect(notified.map(\.kind) == [.deleteFriend])
        #expect(notified.first?.items.map(\.userID) == ["B", "C", "D"])
        for (user, userRecord) in zip(users, userRecords).dropFirst() {
            #expect(try world.events(of: user, after: userRecord).isEmpty)
        }
        #expect(try Audit(world, users).findings == [])
    }

    @Test func bothNotifiesOnceWhoeverLostAFriendAndNoOtherUser() throws {
        let world = try world()
        let userRecords = try users.map { try world.userRecord(of: $0)?.sequence ?? 0 }
        let deleted = try world.deleteAll(of: "A", .both)
        #expect(deleted == (3, 2))
        #expect(try world.friends(of: "A") == [] && world.friends(of: "B") == [])
        // A user that has the caller, and is not the caller's friend, keeps its row.
        #expect(try world.friends(of: "E") == ["A"])
        let events = try zip(users, userRecords).map { try world.events(of: $0, after: $1) }
        #expect(
            events.map { $0.map(\.kind) } == [
                [.deleteFriend], [.deleteFriend],
                [.deleteFriend], [], [],
            ])
        #expect(events[1].first?.items.map(\.userID) == ["A"])
        #expect(try Audit(world, users).findings == [])
    }

    @Test func anEmptyListIsEmptiedWithoutAnEvent() throws {
        let world = try world()
        let before = try world.snapshot(of: users)
        #expect(try world.deleteAll(of: "D", .both) == (0, 0))
        #expect(try world.snapshot(of: users) == before)
    }

    @Test func aFullListGoesInOneCall() throws {
        let world = try World("A")
        let many = (0..<3_000).map { UserID(stored: "u\($0)".utf8) }
        try world.create(many)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            for user in many {
                var row = FriendImport.Row(owner: "A", friend: user)
                row.bothWays = true
                _ = try FriendImport.write(row, notify: false, in: ledger)
            }
        }
        #expect(try world.deleteAll(of: "A", .both) == (3_000, 3_000))
        #expect(try world.userRecord(of: "A")?.friendCount == 0)
        #expect(try world.log(of: "A").map(\.1.kind) == [.listChanged, .deleteFriend])
        #expect(try world.log(of: "A").last?.1.items.count == 3_000)
        #expect(try world.log(of: many[2_999]).map(\.1.kind) == [.listChanged, .deleteFriend])
        #expect(try Audit(world, ["A"] + many).findings == [])
    }
}
