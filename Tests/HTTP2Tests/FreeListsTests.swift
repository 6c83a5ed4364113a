import CNghttp2
import PeerSupport
import Testing

@testable import HTTP2

/// The memory that nghttp2 gets.
struct FreeListsTests {
    private struct Block {
        let start: UnsafeMutableRawPointer
        var count: Int
        let mark: UInt8

        func fill(_ range: Range<Int>) {
            (start + range.lowerBound).initializeMemory(
                as: UInt8.self, repeating: mark, count: range.count)
        }

        func isIntact(_ count: Int) -> Bool {
            UnsafeRawBufferPointer(start: start, count: count).allSatisfy { $0 == mark }
        }
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func noBlockOverlapsAnother(seed: UInt64) throws {
        let blocks = FreeLists()
        let memory = blocks.table.pointee
        var random = SeededNumbers(seed: seed)
        var live: [Block] = []
        for step in 0..<3_000 {
            let size = Int.random(in: 1...700, using: &random)
            let mark = UInt8(truncatingIfNeeded: step)
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let start = try #require(memory.malloc(size, memory.mem_user_data))
                #expect(Int(bitPattern: start) % 16 == 0)
                let block = Block(start: start, count: size, mark: mark)
                block.fill(0..<size)
                live.append(block)
            case 2 where !live.isEmpty:
                let index = Int.random(in: 0..<live.count, using: &random)
                let old = live.remove(at: index)
                let start = try #require(memory.realloc(old.start, size, memory.mem_user_data))
                let block = Block(start: start, count: size, mark: old.mark)
                #expect(block.isIntact(min(size, old.count)), "seed \(seed), step \(step)")
                block.fill(0..<size)
                live.append(block)
            default:
                guard let block = live.popLast() else { continue }
                #expect(block.isIntact(block.count), "seed \(seed), step \(step)")
                memory.free(block.start, memory.mem_user_data)
            }
        }
        for block in live {
            #expect(block.isIntact(block.count))
            memory.free(block.start, memory.mem_user_data)
        }
    }

    @Test func aFreedBlockIsGivenOutAgainAndZeroedIfAsked() throws {
        let blocks = FreeLists()
        let memory = blocks.table.pointee
        let first = try #require(memory.malloc(100, memory.mem_user_data))
        first.initializeMemory(as: UInt8.self, repeating: 0xFF, count: 100)
        memory.free(first, memory.mem_user_data)
        let second = try #require(memory.calloc(25, 4, memory.mem_user_data))
        #expect(second == first)
        #expect(UnsafeRawBufferPointer(start: second, count: 100).allSatisfy { $0 == 0 })
        memory.free(second, memory.mem_user_data)
        #expect(memory.calloc(.max, 2, memory.mem_user_data) == nil)
        memory.free(nil, memory.mem_user_data)
    }

    @Test func noMoreThanTheLimitIsKept() throws {
        let blocks = FreeLists()
        let memory = blocks.table.pointee
        let count = 2 * SessionLimits.freeBlockBytes / 512
        let all = (0..<count).map { _ in memory.malloc(512, memory.mem_user_data) }
        for block in all { memory.free(block, memory.mem_user_data) }
        #expect(blocks.freeBytes == SessionLimits.freeBlockBytes)
    }
}
