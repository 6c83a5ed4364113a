import Memory
import Testing

@testable import Protobuf

/// The arenas that calls use one after another.
struct ArenaShelfTests {
    @Test func noMoreArenasAreKeptThanTheShelfHolds() throws {
        func nested(_ levels: Int) throws(CodecError) {
            try Arena.temporary { (arena) throws(CodecError) in
                _ = arena.allocate(100)
                #expect(
                    arena.usedBytes >= 100 && arena.usedBytes < 200, "the arena was used before")
                if levels > 1 { try nested(levels - 1) }
            }
        }
        try nested(3 * ArenaShelf.kept)
        // Other tests may have taken some at this moment.
        #expect(ArenaShelf.count <= ArenaShelf.kept)
    }
}
