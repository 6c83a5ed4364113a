package import Memory

extension ServerCall {
    /// The slot of the cached header block: a layer above finds its object again when a call of the
    /// same connection repeats the header block.
    ///
    /// It is always empty if the header block is not cached.
    package var headerSlot: Slot {
        // The call's stream has the header block.
        get { stream?.pointee.knownRequest?._withUnsafeGuaranteedRef { $0.slot } ?? Slot() }
        set { stream?.pointee.knownRequest?._withUnsafeGuaranteedRef { $0.slot = newValue } }
    }

    /// The slot of the method on this loop, for the calls to come.
    package var methodSlot: Slot {
        get { methodIndex.map { index in onLoop { $0.methodSlots[index] } } ?? Slot() }
        set { if let methodIndex { loop.methodSlots[methodIndex] = newValue } }
    }
}
