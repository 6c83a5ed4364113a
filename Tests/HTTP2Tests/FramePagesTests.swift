import CNghttp2
import PeerSupport
import Testing

@testable import HTTP2

/// The memory of sessions that are idle.
struct FramePagesTests {
    private static let pageBytes = 4_096

    private func page(of memory: UnsafeMutableRawPointer) -> Int {
        Int(bitPattern: memory) / Self.pageBytes
    }

    @Test func theStateOfASessionStandsInThePageThatAnIdleFrameTouches() throws {
        let blocks = FreeLists()
        let memory = blocks.table.pointee
        let frame = try #require(memory.malloc(16_394, memory.mem_user_data))
        let state = try #require(memory.calloc(1, 2_936, memory.mem_user_data))
        #expect(page(of: state) == page(of: frame))
        #expect(page(of: state + 2_935) == page(of: frame + 200))
        // The rest of the frame is in pages that no one else has.
        #expect(page(of: frame + 16_393) == page(of: frame) + 4)
        memory.free(frame, memory.mem_user_data)
        memory.free(state, memory.mem_user_data)
        #expect(blocks.framePages == 0)
    }

    @Test func sessionsShareTheirPagesInPairs() throws {
        let pool = StreamPool()
        var sessions: [Session] = []
        for count in 1...20 {
            sessions.append(try Session(role: .server, pool: pool))
            #expect(pool.blocks.framePages == count)
        }
        sessions = []
        #expect(pool.blocks.framePages == 0)
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func pagesAreGivenBackWhenBothPartsAreFree(seed: UInt64) throws {
        let blocks = FreeLists()
        let memory = blocks.table.pointee
        var random = SeededNumbers(seed: seed)
        var live: [(start: UnsafeMutableRawPointer, count: Int, mark: UInt8)] = []
        for step in 0..<2_000 {
            if Bool.random(using: &random) || live.isEmpty {
                let sizes = [
                    FramePages.frameSizes.upperBound, FramePages.annexSizes.upperBound,
                    FramePages.frameSizes.lowerBound, FramePages.annexSizes.lowerBound, 5_000,
                ]
                let count = sizes[Int.random(in: 0..<sizes.count, using: &random)]
                let start = try #require(memory.malloc(count, memory.mem_user_data))
                #expect(Int(bitPattern: start) % 16 == 0)
                let mark = UInt8(truncatingIfNeeded: step)
                start.initializeMemory(as: UInt8.self, repeating: mark, count: count)
                live.append((start, count, mark))
            } else {
                let index = Int.random(in: 0..<live.count, using: &random)
                let (start, count, mark) = live.remove(at: index)
                let bytes = UnsafeRawBufferPointer(start: start, count: count)
                #expect(bytes.allSatisfy { $0 == mark }, "seed \(seed), step \(step)")
                memory.free(start, memory.mem_user_data)
            }
            // Each has a part in use.
            #expect(blocks.framePages <= live.count)
        }
        for block in live { memory.free(block.start, memory.mem_user_data) }
        #expect(blocks.framePages == 0)
    }
}
