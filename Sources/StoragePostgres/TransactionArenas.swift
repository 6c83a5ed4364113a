internal import Memory
internal import Protobuf
internal import Synchronization

/// The arenas of transactions, which use them one after another.
///
/// A new arena costs a call of the system, and a page fault for each page that is touched.
enum TransactionArenas {
    private static let idle = Mutex<[Arena]>([])

    static func acquire() -> Arena {
        idle.withLock { $0.popLast() } ?? Arena(capacity: Limits.transactionArenaBytes)
    }

    /// Takes an arena back; all views into it are then invalid.
    static func release(_ arena: Arena) {
        arena.reset()
        let isKept = idle.withLock { idle in
            guard idle.count < Limits.idleArenas else { return false }
            idle.append(arena)
            return true
        }
        if !isKept { arena.free() }
    }
}
