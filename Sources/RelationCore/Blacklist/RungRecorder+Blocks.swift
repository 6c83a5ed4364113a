import RelationModel

extension RungRecorder {
    /// Whether a rule goes on although the other user may have the caller on its blacklist.
    ///
    /// A rule asks it in two places, and a block decides in that of ``Ledger/blocks``. A block that
    /// the call never reveals is overlooked in the last place.
    ///
    /// - Parameters:
    ///   - isBlocked: Whether there is such an entry.
    ///   - disclosure: ``BlockDisclosure/first``, or ``BlockDisclosure/last``: where nothing else
    ///     stands in the way.
    @inline(__always)
    mutating func passes(
        block isBlocked: Bool, _ disclosure: BlockDisclosure, in ledger: Ledger
    ) -> Bool {
        guard disclosure != .first else {
            return ledger.blocks != .first || passes(.peerBlacklist, !isBlocked)
        }
        guard ledger.blocks != .first else { return true }
        return passes(.peerBlacklist, !ledger.reveals(block: isBlocked))
    }
}

extension Ledger {
    /// Whether a block is revealed now, where nothing else stands in the way; notes it otherwise.
    fileprivate func reveals(block isBlocked: Bool) -> Bool {
        guard isBlocked else { return false }
        guard blocks == .never else { return true }
        hasOverlookedBlock = true
        return false
    }
}
