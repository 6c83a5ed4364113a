public import Memory

extension Arena {
    /// An arena for a message of the largest size and its answer.
    @usableFromInline package init() {
        self.init(capacity: CodecLimits.arenaBytes)
    }

    /// Calls `body` with an arena for a message of the largest size and its answer.
    ///
    /// Views into it are invalid when `body` ends: the next caller gets the arena.
    @usableFromInline package static func temporary<R, E: Error>(
        _ body: (Arena) throws(E) -> R
    ) throws(E) -> R {
        try ArenaShelf.with(body)
    }
}
