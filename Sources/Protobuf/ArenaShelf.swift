internal import Memory
internal import Synchronization

/// Arenas that calls use one after another: a new one costs two calls of the system and new pages.
///
/// They are for messages that own what they have: an arena is free as soon as such a message is
/// written or read.
enum ArenaShelf {
    /// Arenas that are kept for the next calls; each keeps a few pages.
    static let kept = 4

    private static let arenas = Mutex<[Arena]>([])

    /// How many arenas wait for calls now.
    static var count: Int { arenas.withLock { $0.count } }

    static func with<R, E: Error>(_ body: (Arena) throws(E) -> R) throws(E) -> R {
        let arena = arenas.withLock { $0.popLast() } ?? Arena()
        defer { recycle(arena) }
        return try body(arena)
    }

    private static func recycle(_ arena: Arena) {
        arena.reset()
        let isKept = arenas.withLock { arenas in
            guard arenas.count < kept else { return false }
            arenas.append(arena)
            return true
        }
        if !isKept { arena.free() }
    }
}
