internal import Memory
internal import Protobuf
internal import Synchronization

/// Arenas that calls use one after another: a new one costs two calls of the system and new pages.
///
/// A message of a client owns what it has, so an arena is free as soon as a message is written or
/// read.
enum ArenaShelf {
    /// Arenas that are kept for the next calls; each keeps a few pages.
    static let kept = 4

    private static let arenas = Mutex<[Arena]>([])

    /// How many arenas wait for calls now.
    static var count: Int { arenas.withLock { $0.count } }

    static func with<R>(_ body: (Arena) throws(CodecError) -> R) throws(CodecError) -> R {
        let arena = arenas.withLock { $0.popLast() } ?? Arena()
        defer { put(arena) }
        return try body(arena)
    }

    private static func put(_ arena: Arena) {
        arena.reset()
        let isKept = arenas.withLock { arenas in
            guard arenas.count < kept else { return false }
            arenas.append(arena)
            return true
        }
        if !isKept { arena.free() }
    }
}
