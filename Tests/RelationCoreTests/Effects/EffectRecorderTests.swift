import Foundation
import Protobuf
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCore

/// A recorder tells how the rows that a write touches end.
@Suite struct EffectRecorderTests {
    /// Runs `body` in a transaction with a recorder, and returns what that tells.
    private func effects(
        on world: World, _ body: (EffectRecorder) throws(StorageError) -> Void
    ) throws -> WrittenEffects {
        var effects = WrittenEffects()
        try world.store.write(touching: []) { (transaction) throws(StorageError) in
            let recorder = EffectRecorder(over: transaction)
            let savepoint = recorder.savepoint()
            try body(recorder)
            let last = recorder.savepoint()
            effects = try recorder.revert()
            // The write is taken back, and callers may still go back to any of its states.
            #expect(recorder.savepoint().changes == savepoint.changes)
            recorder.rollback(to: last)
            recorder.rollback(to: savepoint)
        }
        return effects
    }

    private func set(
        _ name: String, to number: UInt32 = 0, of user: UserID, _ world: World,
        in transaction: any WriteTransaction
    ) throws(StorageError) {
        var record = GroupRecord()
        record.number = number
        try Tables.groups.set(
            record, at: world.app.partition(of: user), GroupName(name), in: transaction)
    }

    @Test func aRowIsReportedOnceAsItEnds() throws {
        let world = try World("A")
        let recorded = try effects(on: world) { (recorder) throws(StorageError) in
            try set("work", of: "A", world, in: recorder)
            try set("work", to: 300, of: "A", world, in: recorder)
        }
        let row = try #require(recorded.rows.first)
        #expect(recorded.rows.count == 1 && recorded.rowCount == 1 && !recorded.isCut)
        var expected = WrittenEffects.Row()
        (expected.app, expected.table) = (world.app.id, "groups")
        (expected.owner, expected.key) = ("A", "work")
        // Four bytes of the app, the user with its end, the kind, the name, and the record.
        expected.bytes = 4 + 2 + 1 + 4 + 3
        #expect(row == expected)
        #expect(recorded.rowBytes == row.bytes)
    }

    @Test func aRowThatEndsAsItWasIsNoEffect() throws {
        let world = try World("A")
        try world.set(Tables.groups, GroupRecord(), of: "A", GroupName("work"))
        let partition = world.app.partition(of: "A")
        let recorded = try effects(on: world) { (recorder) throws(StorageError) in
            try set("work", of: "A", world, in: recorder)
            try set("new", of: "A", world, in: recorder)
            Tables.groups.remove(partition, GroupName("new"), in: recorder)
            Tables.groups.remove(partition, GroupName("never"), in: recorder)
        }
        #expect(recorded == WrittenEffects())
    }

    @Test func aRemovedRowHasTheBytesOfItsKey() throws {
        let world = try World("A")
        try world.set(Tables.groups, GroupRecord(), of: "A", GroupName("work"))
        let recorded = try effects(on: world) { (recorder) throws(StorageError) in
            Tables.groups.remove(
                world.app.partition(of: "A"), GroupName("work"), in: recorder)
        }
        #expect(recorded.rows.map(\.isDeleted) == [true])
        let keyBytes: Int64 = 4 + 2 + 1 + 4
        #expect(recorded.rows.map(\.bytes) == [keyBytes])
    }

    @Test func whatIsTakenBackIsNotSent() throws {
        let world = try World("A")
        let recorded = try effects(on: world) { (recorder) throws(StorageError) in
            try set("one", of: "A", world, in: recorder)
            let savepoint = recorder.savepoint()
            try set("one", to: 7, of: "A", world, in: recorder)
            try set("two", of: "A", world, in: recorder)
            recorder.rollback(to: savepoint)
            try set("two", of: "A", world, in: recorder)
            recorder.rollback(to: savepoint)
        }
        #expect(recorded.rows.map(\.key) == ["one"])
    }

    @Test func eventsAreSentInTheOrderOfTheFeed() throws {
        let world = try World("A", "B")
        let recorded = try effects(on: world) { (recorder) throws(StorageError) in
            let ledger = Ledger(
                app: world.app, now: world.now, origin: Origin(user: "A"), transaction: recorder)
            _ = try FriendRules.add(FriendItem(user: "B"), to: "A", .both, force: false, in: ledger)
            try ledger.close()
        }
        #expect(recorded.eventCount == 2 && !recorded.isCut)
        #expect(Set(recorded.events.map(\.user)) == ["A", "B"])
        #expect(recorded.events[0].position < recorded.events[1].position)
        #expect(recorded.events.allSatisfy { $0.kind == .addFriend && $0.items == 1 })
        let friends = recorded.rows.filter { $0.table == "friends" }
        #expect(Set(friends.map { "\($0.owner) \($0.key)" }) == ["A B", "B A"])
    }

    /// The lists have bounds, and the counts go on.
    @Test func listsOfRowsAndEventsAreCut() throws {
        let world = try World("A")
        let partition = world.app.partition(of: "A")
        for count in [Limits.effectEvents, Limits.effectEvents + 1] {
            let recorded = try effects(on: world) { (recorder) throws(StorageError) in
                for number in 1...count {
                    var event = ChangeRecord()
                    event.kind = .groupCreated
                    event.feedPosition = Int64(count - number)
                    try Tables.changes.set(
                        event, at: partition, UInt64(1_000 + number), in: recorder)
                }
            }
            #expect(recorded.rows.count == Limits.effectRows && recorded.rowCount == Int64(count))
            #expect(recorded.events.count == Limits.effectEvents)
            #expect(recorded.eventCount == Int64(count))
            #expect(recorded.isCut == (count > Limits.effectEvents))
            #expect(recorded.events.first?.sequence == Int64(1_000 + count))
        }
    }

    /// Each table of the source has a name, and no two have the same.
    @Test func eachTableHasAName() throws {
        let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
        let text = try String(
            contentsOfFile: "\(root)/Sources/RelationCore/Tables.swift", encoding: .utf8)
        let kinds = text.matches(of: /\n\s+0x([0-9a-f]{2}), coder|>\(0x([0-9a-f]{2}), coder/)
            .compactMap { UInt8($0.output.1 ?? $0.output.2 ?? "", radix: 16) }
        #expect(kinds.count > 60)
        let names = TableWords.names
        #expect(Set(kinds) == Set(names.keys))
        #expect(Set(names.values).count == names.count)
    }

    @Test func keysArePrintedInWords() {
        let user: UserID = "bob"
        #expect(
            TimedPendency(timeMs: 5, key: PendencyKey(.comeIn, user)).words
                == "5 PENDENCY_TYPE_COME_IN bob")
        #expect(ListedFollow(.followers, timeMs: 6, user: user).words == "followers 6 bob")
        #expect(Mention(.blacklist, user).words == "blacklist bob")
        #expect(ContactDigest(.phone, [0xAB, 1]).words == "CONTACT_KIND_PHONE ab01")
        #expect(GroupMember(group: 3, user: user).words == "3 bob")
        #expect(OnlyKey().words == "")
    }
}
