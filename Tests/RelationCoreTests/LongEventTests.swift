import Memory
import Protobuf
import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

/// A call that has more to tell than one event holds makes several, and nothing else changes.
@Suite struct LongEventTests {
    private static let friends = (10..<30).map { UserID(stored: "F\($0)".utf8) }

    private func value(_ count: Int) -> [CustomValue] {
        [CustomValue("Long", .data([UInt8](repeating: 120, count: count)))]
    }

    /// A user with friends whose rows have `bytes` bytes.
    private func world(_ bytes: Int) throws -> World {
        let world = try World("A")
        try world.create(Self.friends)
        for friend in Self.friends {
            let outcome = try world.importFriend(friend, of: "A") { $0.custom = value(bytes) }
            try #require(outcome == .success)
        }
        return world
    }

    private func encoded(_ record: ChangeRecord) throws -> Int {
        try Arena.temporary { (arena) throws(StorageError) in
            try Tables.changes.encode(record, in: arena).count
        }
    }

    @Test func eachPartHasItsOwnSequenceAndWholeRowsInOrder() throws {
        let world = try world(500_000)
        let before = try world.userRecord(of: "A")!.sequence
        try world.call(by: "A", requestID: "r") { (ledger) throws(StorageError) in
            for friend in Self.friends {
                var change = FriendItem(user: friend)
                change.values.remark = "new"
                change.values.groups = ["of \(friend)"]
                _ = try FriendRules.update(change, of: "A", in: ledger)
            }
        }
        let log = try world.log(of: "A").filter { $0.sequence > before }
        let parts = log.filter { $0.1.kind == .friendChange }
        #expect(parts.count == 3 && log.count == 4, "the groups are one event")
        #expect(parts.flatMap { $0.1.items.map(\.userID) } == Self.friends.map(\.text))
        for (sequence, event) in parts {
            #expect(try encoded(event) <= Limits.messageBytes)
            #expect(event.requestID == "r")
            for item in event.items {
                let row = try world.friend(UserID(stored: item.userID.utf8), of: "A")
                #expect(item.friendEntry == row && row?.sequence == sequence)
            }
        }
        let userRecord = try #require(try world.userRecord(of: "A"))
        #expect(
            userRecord.sequence == parts.last?.sequence
                && userRecord.friendsSequence == userRecord.sequence)
        #expect(userRecord.groupsSequence == userRecord.sequence)
        // A reader that has taken a part finds the rows of the parts behind it, and no others.
        for (number, part) in parts.enumerated() {
            let entries = try world.read { (transaction) throws(StorageError) in
                let (point, _) = FriendSync.next(since: part.sequence, after: nil, userRecord)
                return try FriendSync.entries(
                    of: "A", after: point, limit: 100, app: world.app, in: transaction)
            }
            let rest = parts.dropFirst(number + 1).flatMap { $0.1.items.map(\.userID) }
            #expect(entries.map(\.key.user.text).sorted() == rest)
        }
        #expect(try Audit(world, ["A"] + Self.friends).findings == [])
        #expect(try world.integrity() == [])
    }

    @Test func whatFitsIsOneEvent() throws {
        let world = try world(1_000)
        let before = try world.userRecord(of: "A")!.sequence
        try world.call(by: "A") { (ledger) throws(StorageError) in
            for friend in Self.friends {
                var change = FriendItem(user: friend)
                change.values.remark = "new"
                _ = try FriendRules.update(change, of: "A", in: ledger)
            }
        }
        #expect(try world.events(of: "A", after: before).count == 1)
    }

    @Test func theMembersOfOneGroupMayBeInSeveralEvents() throws {
        let world = try World("A", "B")
        try #require(try world.add("B", to: "A") == .success)
        try #require(try world.createGroup("g", of: "A") == .success)
        let before = try world.userRecord(of: "A")!.sequence
        let name = String(repeating: "n", count: 58)
        let members = (100_000..<160_000).map { UserID(stored: "\(name)\($0)".utf8) }
        try world.call(by: "A") { (ledger) throws(StorageError) in
            for member in members {
                try ledger.notify("A", .groupMembersChanged, ofGroup: "g", moving: member) {
                    $0.addedUserIDs.append(member.text)
                }
            }
        }
        let events = try world.events(of: "A", after: before)
        #expect(events.count == 2)
        #expect(events.allSatisfy { $0.items.map(\.group?.name) == ["g"] })
        #expect(events.flatMap { $0.items[0].addedUserIDs } == members.map(\.text))
        for event in events { #expect(try encoded(event) <= Limits.messageBytes) }
    }

    @Test(arguments: [UInt64.random(in: 0..<1 << 32), 7])
    func whateverACallDoesNoEventIsTooLongAndNoneIsSplitInVain(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let world = try world(0)
        for _ in 0..<6 {
            let before = try world.userRecord(of: "A")!.sequence
            try world.call(by: "A") { (ledger) throws(StorageError) in
                for friend in Self.friends.shuffled(using: &random) {
                    try self.act(friend, &random, in: ledger)
                }
            }
            var last: [ChangeKind: ChangeRecord] = [:]
            for event in try world.events(of: "A", after: before) {
                #expect(try encoded(event) <= Limits.messageBytes, "seed \(seed)")
                let limit = Limits.eventBytes
                if let earlier = last[event.kind], let first = event.items.first {
                    var both = earlier
                    both.items.append(first)
                    #expect(try encoded(both) > limit - 10 * both.items.count, "seed \(seed)")
                }
                last[event.kind] = event
                for item in event.items {
                    guard let row = item.friendEntry else { continue }
                    let stored = try world.friend(UserID(stored: row.userID.utf8), of: "A")
                    #expect(stored == nil || stored == row, "seed \(seed)")
                }
            }
            #expect(try Audit(world, ["A"] + Self.friends).findings == [], "seed \(seed)")
        }
    }

    /// Does something to one friend, whose row may become long by it.
    private func act(
        _ friend: UserID, _ random: inout SeededNumbers, in ledger: Ledger
    ) throws(StorageError) {
        let bytes = Int.random(in: 0...900_000, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: _ = try FriendRules.delete(friend, from: "A", .both, in: ledger)
        case 1:
            var row = FriendImport.Row(owner: "A", friend: friend)
            row.values.custom = value(bytes)
            row.values.groups = ["of \(friend)", "all"]
            _ = try FriendImport.write(row, notify: true, in: ledger)
        case 2:
            var addition = FriendItem(user: friend)
            addition.values.custom = value(bytes)
            _ = try FriendRules.add(addition, to: "A", .both, force: true, in: ledger)
        default:
            var change = FriendItem(user: friend)
            change.values.custom = value(bytes)
            change.values.groups = bytes % 2 == 0 ? nil : ["odd"]
            _ = try FriendRules.update(change, of: "A", in: ledger)
        }
    }
}
