import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@Suite struct ConsumerTests {
    private let name = ConsumerName(stored: "orders")

    private func acquire(
        _ world: World, _ edit: (inout Consumers.Acquisition) -> Void = { _ in }
    ) throws(StorageError) -> Consumers.Acquired {
        var wish = Consumers.Acquisition(name)
        edit(&wish)
        return try world.call(by: nil) { (ledger) throws(StorageError) in
            try Consumers.acquire(wish, in: ledger)
        }
    }

    private func acquired(
        _ world: World, _ edit: (inout Consumers.Acquisition) -> Void = { _ in }
    ) throws -> ConsumerRecord {
        guard case .done(let record, _) = try acquire(world, edit) else {
            throw StorageError(.unavailable, "the consumer was not acquired")
        }
        return record
    }

    private func acknowledge(
        _ world: World, _ reader: Int64, _ position: Int64? = nil, releasing: Bool = false
    ) throws(StorageError) -> Consumers.Acknowledged {
        var news = Consumers.Acknowledgement(ConsumerClaim(name, reader: reader))
        if let position { news.position = .init(position, in: world.app.history) }
        news.releases = releasing
        return try world.call(by: nil) { (ledger) throws(StorageError) in
            try Consumers.acknowledge(news, in: ledger)
        }
    }

    private func stored(_ world: World) throws(StorageError) -> ConsumerRecord? {
        try world.store.read { (transaction) throws(StorageError) in
            try Consumers.record(of: name, app: world.app, in: transaction)
        }
    }

    private func delete(_ world: World) throws(StorageError) -> Bool {
        try world.call(by: nil) { (ledger) throws(StorageError) in
            try Consumers.delete(name, in: ledger)
        }
    }

    // MARK: Readers

    @Test func aNewConsumerBeginsWithThePresentState() throws {
        let world = try World("A")
        let record = try acquired(world)
        #expect(record.beginsWithState && record.reader == World.start)
        #expect(record.createdMs == World.start && record.acknowledgedMs == 0)
        #expect(record.leaseEndMs == World.start + Limits.defaultConsumerLeaseMs)
    }

    @Test func anotherReaderWaitsForTheLease() throws {
        let world = try World()
        let first = try acquired(world) { $0.leaseMs = 1_000 }
        world.advance(milliseconds: 999)
        #expect(try acquire(world) == .busy(first))
        world.advance(milliseconds: 1)
        let second = try acquired(world)
        #expect(second.reader > first.reader && second.createdMs == first.createdMs)
    }

    @Test func anotherReaderTakesOverAndFencesTheOneBefore() throws {
        let world = try World()
        let first = try acquired(world)
        let second = try acquired(world) { $0.takesOver = true }
        // In the same millisecond too.
        #expect(second.reader == first.reader + 1)
        #expect(try acknowledge(world, first.reader, 3) == .fenced(present: second.reader))
        #expect(try stored(world) == second)
        #expect(try acknowledge(world, second.reader + 1) == .fenced(present: second.reader))
    }

    /// The clock was ahead when the reader acquired the consumer.
    @Test func aLeaseOfTheFutureIsOver() throws {
        let world = try World()
        let longest = Limits.consumerLeaseMs.upperBound
        let first = try acquired(world) { $0.leaseMs = longest }
        // A lease that this clock may have written holds.
        #expect(try acquire(world) == .busy(first))
        world.advance(milliseconds: -1)
        let second = try acquired(world)
        #expect(second.reader > first.reader)
        #expect(second.leaseEndMs == World.start - 1 + Limits.defaultConsumerLeaseMs)
    }

    @Test func aReaderKeepsItsConsumerAfterTheClockWasSetBack() throws {
        let world = try World()
        let first = try acquired(world)
        world.advance(milliseconds: -365 * 86_400_000)
        guard case .done(let renewed, true) = try acknowledge(world, first.reader) else {
            throw StorageError(.unavailable, "it was fenced")
        }
        let now = World.start - 365 * 86_400_000
        #expect(renewed.leaseEndMs == now + first.leaseMs)
        #expect(try acquire(world) == .busy(renewed))
        world.advance(milliseconds: first.leaseMs)
        #expect(try acquired(world).reader > first.reader)
    }

    @Test func aReleasedConsumerIsFreeAtOnce() throws {
        let world = try World()
        let first = try acquired(world)
        guard case .done(let released, true) = try acknowledge(world, first.reader, releasing: true)
        else { throw StorageError(.unavailable, "it was not released") }
        #expect(released.leaseEndMs == World.start)
        // Until another reader comes, the reader may still acknowledge.
        guard case .done(_, true) = try acknowledge(world, first.reader, 1) else {
            throw StorageError(.unavailable, "it was fenced")
        }
        _ = try acknowledge(world, first.reader, releasing: true)
        #expect(try acquired(world).reader > first.reader)
    }

    @Test func aReaderOfADeletedConsumerIsFencedForEver() throws {
        let world = try World()
        let first = try acquired(world)
        #expect(try delete(world) && !delete(world))
        #expect(try acknowledge(world, first.reader, 1) == .fenced(present: 0))
        // Also if the clock went back.
        world.advance(milliseconds: -5_000)
        let again = try acquired(world)
        #expect(again.reader > first.reader)
        #expect(try acknowledge(world, first.reader, 1) == .fenced(present: again.reader))
    }

    // MARK: Positions

    @Test func aPositionMovesAheadOnly() throws {
        let world = try World()
        let reader = try acquired(world).reader
        world.advance(milliseconds: 10)
        guard case .done(let at5, true) = try acknowledge(world, reader, 5) else {
            throw StorageError(.unavailable, "it did not move")
        }
        #expect(at5.position == 5 && !at5.beginsWithState)
        #expect(at5.acknowledgedMs == World.start + 10)
        world.advance(milliseconds: 10)
        #expect(try acknowledge(world, reader, 4) == .done(at5, changed: false))
        #expect(try stored(world) == at5)
        // The same position renews the lease, and so does none; in one moment nothing changes.
        guard case .done(let renewed, true) = try acknowledge(world, reader, 5) else {
            throw StorageError(.unavailable, "it was not renewed")
        }
        #expect(renewed.position == 5 && renewed.leaseEndMs == at5.leaseEndMs + 10)
        #expect(try acknowledge(world, reader) == .done(renewed, changed: false))
    }

    @Test func aConsumerBeginsAtItsStart() throws {
        let world = try World("A", "B")
        #expect(try world.add("B", to: "A") == .success)
        let end = try world.store.read { (transaction) throws(StorageError) in
            try Feed.state(of: world.app, in: transaction).position
        }
        #expect(end > 0)
        #expect(try acquired(world) { $0.start = .now }.position == end)
        let history = world.app.history
        // An existing one stays where it is, unless it is reset.
        let kept = try acquired(world) { ($0.start, $0.takesOver) = (.state, true) }
        #expect(kept.position == end && !kept.beginsWithState)
        let reset = try acquired(world) {
            ($0.start, $0.takesOver, $0.resets) = (.after(.init(1, in: history)), true, true)
        }
        #expect(reset.position == 1)
        #expect(try acquired(world) { ($0.takesOver, $0.resets) = (true, true) }.beginsWithState)
    }

    @Test func aPositionOfAnotherHistoryCountsForNothing() throws {
        let world = try World()
        let reader = try acquired(world).reader
        _ = try acknowledge(world, reader, 9)
        let old = Consumers.Position(9, in: world.app.history)
        world.settings.history = world.settings.history.renewed(at: world.now)
        let record = try #require(try stored(world))
        #expect(record.isTrimmed(in: FeedState(), of: world.app.history))
        var news = Consumers.Acknowledgement(ConsumerClaim(name, reader: reader))
        news.position = old
        let answer = try world.call(by: nil) { (ledger) throws(StorageError) in
            try Consumers.acknowledge(news, in: ledger)
        }
        #expect(answer == .foreignPosition)
        #expect(
            try acquire(world) { ($0.start, $0.takesOver) = (.after(old), true) }
                == .foreignPosition)
        // A position of the new history is ahead of it, whatever its number.
        guard case .done(let moved, true) = try acknowledge(world, reader, 2) else {
            throw StorageError(.unavailable, "it did not move")
        }
        #expect(moved.position == 2 && moved.historyID == world.app.history.id)
    }

    @Test func aPositionBeforeTheLogIsTrimmed() throws {
        var feed = FeedState()
        (feed.position, feed.trimmedTo) = (10, 4)
        var record = ConsumerRecord()
        let history = History()
        for (position, isTrimmed) in [(3, true), (4, false), (10, false), (11, true)] {
            record.position = Int64(position)
            #expect(record.isTrimmed(in: feed, of: history) == isTrimmed)
        }
        record.position = 4
        #expect(record.waitingEvents(of: feed, in: history) == 6)
        record.beginsWithState = true
        #expect(!record.isTrimmed(in: feed, of: history))
        #expect(record.waitingEvents(of: feed, in: history) == 10)
    }

    // MARK: Limits

    @Test(arguments: [0, 1, Limits.consumers])
    func anAppHasNoMoreConsumersThanItMayHave(_ limit: Int) throws {
        let world = try World()
        world.settings.limits.consumers = limit
        let results = try world.call(by: nil) { (ledger) throws(StorageError) in
            var results: [Consumers.Acquired] = []
            for number in 0...limit {
                let name = ConsumerName(stored: "c\(number)")
                results.append(try Consumers.acquire(.init(name), in: ledger))
            }
            return results
        }
        #expect(results.last == .full && results.filter { $0 == .full }.count == 1)
        let listed = try world.store.read { (transaction) throws(StorageError) in
            try Consumers.list(of: world.app, in: transaction)
        }
        #expect(listed.count == limit)
        #expect(listed.map(\.name.text) == listed.map(\.name.text).sorted())
    }

    @Test func aNameHasItsAlphabetAndLength() {
        #expect(ConsumerName("a.B-c_1") != nil)
        #expect(ConsumerName(String(repeating: "x", count: Limits.consumerBytes)) != nil)
        let wrong = ["", "a b", "é", String(repeating: "x", count: Limits.consumerBytes + 1)]
        for text in wrong {
            #expect(ConsumerName(text) == nil)
        }
    }
}
