public import Memory

extension Arena {
    /// An arena for a message of the largest size and its answer.
    @usableFromInline package init() {
        self.init(capacity: CodecLimits.arenaBytes)
    }

    /// Calls `body` with an arena for a message of the largest size and its answer, which is freed
    /// when `body` ends.
    @usableFromInline package static func temporary<R, E: Error>(
        _ body: (Arena) throws(E) -> R
    ) throws(E) -> R {
        try temporary(capacity: CodecLimits.arenaBytes, body)
    }
}
