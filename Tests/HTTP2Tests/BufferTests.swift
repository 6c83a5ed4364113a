import PeerSupport
import Testing

@testable import HTTP2

/// The raw memory below a session.
struct BufferTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func aQueueHoldsWhatAnArrayWould(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        var queue = ByteQueue()
        defer { queue.free() }
        var model: [UInt8] = []
        for step in 0..<500 {
            if Bool.random(using: &random) {
                let bytes = random.bytes(Int.random(in: 0...300, using: &random))
                bytes.withUnsafeBytes { queue.append($0) }
                model += bytes
            } else {
                let count = Int.random(in: 0...model.count, using: &random)
                queue.consume(count)
                model.removeFirst(count)
            }
            #expect(Array(queue.bytes) == model, "seed \(seed), step \(step)")
        }
        queue.reset(keeping: 0)
        #expect(queue.isEmpty)
    }

    @Test func aBlockKeepsOrderLengthsAndMarks() {
        var block = HeaderBlock()
        defer { block.free() }
        block.append("a", "")
        block.append("name", "value", transient: true)
        block.append("a", String(repeating: "v", count: 70_000))
        #expect(block.pairs.map(\.first) == ["a", "name", "a"])
        #expect(block.pairs.map { $0[1].count } == [0, 5, 70_000])
        #expect(block.listBytes == 1 + 4 + 5 + 1 + 70_000 + 3 * 32)
        var fields = block.makeIterator()
        var marks: [Bool] = []
        while fields.next() != nil { marks.append(fields.isTransient) }
        #expect(marks == [false, true, false])
    }

    @Test func aFieldIsFoundByItsWholeName() {
        var block = HeaderBlock()
        defer { block.free() }
        #expect(block.value(of: "a") == nil && !block.hasSeveral("a"))
        block.append("ab", "1")
        block.append("a", "")
        block.append("b", "22", transient: true)
        block.append("ba", "3")
        block.append("b", "44", transient: true)
        func value(_ name: StaticString) -> String? {
            block.value(of: name).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(value("ab") == "1" && value("a") == "" && value("b") == "22")
        #expect(value("ba") == "3" && value("c") == nil && value("abc") == nil)
        #expect(block.hasSeveral("b"))
        #expect(!block.hasSeveral("a") && !block.hasSeveral("ba") && !block.hasSeveral("c"))
    }

    @Test func aRecycledStreamIsAsNew() {
        let pool = StreamPool()
        let stream = pool.acquire()
        stream.pointee.headers.append("a", "b")
        let large = SessionLimits.pooledBufferBytes + 1
        stream.pointee.output.append(UnsafeRawBufferPointer(start: nil, count: 0))
        [UInt8](repeating: 1, count: large).withUnsafeBytes { stream.pointee.output.append($0) }
        stream.pointee.flags = .held
        pool.release(stream)
        let again = pool.acquire()
        #expect(again == stream)
        #expect(again.pointee.headers.count == 0)
        #expect(again.pointee.output.isEmpty)
        #expect(again.pointee.flags.isEmpty)
        pool.release(again)
    }
}
