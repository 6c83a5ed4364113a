import Memory
import Testing

/// Arena, views and buffers.
struct ArenaTests {
    @Test func anArenaIsBounded() throws {
        try Arena.temporary(capacity: 8192) { arena in
            #expect(arena.capacity == 8192)
            _ = try #require(arena.allocate(8000))
            #expect(arena.allocate(193) == nil)
            #expect(arena.allocate(-1) == nil)
            #expect(arena.allocate(.max) == nil)
            #expect(arena.text(String(repeating: "x", count: 200)) == nil)
            _ = try #require(arena.allocate(192))
            #expect(arena.usedBytes == arena.capacity)
            #expect(arena.allocate(1) == nil)
            arena.reset()
            _ = try #require(arena.allocate(8192))
        }
    }

    @Test func piecesAreAlignedAndApart() throws {
        try Arena.temporary(capacity: 8192) { arena in
            var ends: UInt = 0
            for count in [1, 0, 7, 8, 9, 24] {
                let memory: UnsafeMutableRawPointer = try #require(arena.allocate(count))
                let piece = UInt(bitPattern: memory)
                #expect(piece % 8 == 0)
                #expect(piece >= ends)
                ends = piece + UInt(count)
            }
        }
    }

    @Test func aMarkGivesBackWhatCameAfterIt() throws {
        try Arena.temporary(capacity: 4 << 20) { arena in
            let before = try #require(arena.text("before"))
            let mark = arena.mark()
            let used = arena.usedBytes
            _ = arena.text("after")
            arena.rewind(to: mark)
            #expect(arena.usedBytes == used)
            #expect(before == "before")
        }
    }

    @Test func aResetKeepsALittleMemoryAndGivesTheRestBack() throws {
        try Arena.temporary(capacity: 4 << 20) { arena in
            let kept = MemoryLimits.arenaKeptBytes
            for _ in 0..<3 {
                let memory = try #require(arena.allocate(2 * kept))
                memory.initializeMemory(as: UInt8.self, repeating: 1, count: 2 * kept)
                arena.reset()
                // Memory that the system has taken back is zero when it is read.
                #expect(memory.load(fromByteOffset: kept - 1, as: UInt8.self) != 0)
                #expect(memory.load(fromByteOffset: kept, as: UInt8.self) == 0)
            }
        }
    }

    #if DEBUG
        @Test func aViewThatOutlivesItsCallIsVisible() throws {
            try Arena.temporary(capacity: 4 << 20) { arena in
                let text = try #require(arena.text("of the call"))
                arena.reset()
                #expect(text.withBytes { $0.allSatisfy { $0 == 0xDB } })
            }
        }
    #endif

    @Test func textsCompareByTheirBytes() throws {
        try Arena.temporary(capacity: 4 << 20) { arena in
            let texts = try ["", "a", "ab", "abcdefghijkl", "b", "é", "e\u{301}", "好"].map {
                try #require(arena.text($0))
            }
            let strings = texts.map { String($0) }
            for (text, string) in zip(texts, strings) {
                #expect(text.count == string.utf8.count)
                for (other, otherString) in zip(texts, strings) {
                    #expect((text == other) == string.utf8.elementsEqual(otherString.utf8))
                    #expect(
                        (text < other)
                            == string.utf8.lexicographicallyPrecedes(otherString.utf8))
                }
            }
            let literal: Text = "abcdefghijkl"
            #expect(literal == texts[3])
            #expect(literal.hashValue == texts[3].hashValue)
            #expect("\(literal)" == "abcdefghijkl")
            #expect(Set(texts).count == 8)
        }
    }

    @Test func aBufferGrowsAndKeepsItsBytes() {
        let buffer = OutputBuffer(capacity: 1)
        var expected: [UInt8] = []
        for round in 0..<300 {
            let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: round % 50)
            buffer.append(bytes)
            expected += bytes
        }
        #expect(Array(buffer.bytes) == expected)
        buffer.truncate(to: 10)
        buffer.mutableBytes[9] = 255
        #expect(Array(buffer.bytes) == expected.prefix(9) + [255])
        buffer.reserve(2).storeBytes(of: 0x0102, as: UInt16.self)
        buffer.advance(2)
        #expect(buffer.count == 12)
        buffer.removeAll()
        #expect(buffer.isEmpty && buffer.capacity > 16)
        buffer.removeAll(keepingCapacity: false)
        #expect(buffer.capacity == 16)
    }
}
