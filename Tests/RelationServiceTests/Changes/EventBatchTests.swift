import Memory
import Protobuf
import RelationCore
import Testing

@testable import RelationChanges

/// Blocks of messages that serve one turn of the hub after another.
@Suite struct EventBatchTests {
    private let watch = AppWatch(App(id: 7, settings: .tim), position: 0)
    private let eventBatch = EventBatch()

    /// Adds so many messages with events of that length.
    private func fill(_ messages: Int, of length: Int) throws {
        let arena = Arena()
        defer { arena.free() }
        let event = [UInt8](repeating: 0, count: length)
        for expected in 0..<messages {
            let number = try event.withUnsafeBufferPointer { (bytes) throws(CodecError) in
                try eventBatch.add(
                    UnsafeRawBufferPointer(bytes), position: 1, nil, watch.token, arena)
            }
            #expect(number == expected)
        }
    }

    @Test func theMemoryOfASmallTurnIsKept() throws {
        for _ in 0..<3 {
            try fill(10, of: 100)
            #expect(WatchMessage(eventBatch, 9).answer.count > 100)
            let room = eventBatch.room
            eventBatch.clear()
            #expect(eventBatch.room == room)
        }
    }

    @Test func theMemoryOfALargeTurnIsGivenBack() throws {
        try fill(1, of: WatchLimits.eventBatchBytes + 1)
        #expect(eventBatch.room.bytes > WatchLimits.eventBatchBytes)
        eventBatch.clear()
        #expect(eventBatch.room.bytes < WatchLimits.eventBatchBytes)
        try fill(WatchLimits.eventBatchMessages + 1, of: 1)
        #expect(eventBatch.room.messages > WatchLimits.eventBatchMessages)
        eventBatch.clear()
        #expect(eventBatch.room.messages == 0)
    }

    @Test func moreBatchesMayWaitForALoopThanAreKept() throws {
        let harness = try WatchHarness("ann", promptEvents: 0)
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.settle()
        let turns = 2 * WatchLimits.keptEventBatches + 1
        for _ in 0..<turns {
            try harness.change("ann")
            #expect(harness.work.runHub())
        }
        try harness.settle()
        #expect(client.sequences(stream) == Array(1...Int64(turns)))
    }
}
