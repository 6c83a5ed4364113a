// The heads that a server's session knows.
extension Session {
    /// Whether a field of the arriving head, in another place than before, is known all the same.
    func knowsField(
        _ stream: StreamPointer, _ name: OpaquePointer, _ value: OpaquePointer
    ) -> Bool {
        switch knownHeads.take(name, value, &stream.pointee.head) {
        case .known: return true
        case .kept: return false
        case .strange:
            // Known fields are not counted one by one: a known head is far below the limit.
            blockBytes = stream.pointee.head.listBytes
            return false
        }
    }

    /// Looks whether the head that has arrived is known, and remembers it if it is not.
    func endHead(of stream: StreamPointer) {
        guard standIn == nil else { return }
        if let known = knownHeads.end(&stream.pointee.head) {
            stream.pointee.known = known
            if let arriving { remember(arriving, known.takeUnretainedValue(), stream) }
            return
        }
        guard !stream.pointee.flags.contains(.headTooLarge),
            let (dropped, kept) = knownHeads.keep(stream.pointee.head)
        else { return }
        count(held: kept.memoryBytes)
        if let dropped { forget(dropped) }
    }

    /// Remembers the compressed block in which a known head has arrived.
    private func remember(
        _ block: UnsafeRawBufferPointer, _ known: KnownHead, _ stream: StreamPointer
    ) {
        let before = known.memoryBytes
        known.remember(block, walk.tableTurn, open: stream.pointee.head)
        count(held: known.memoryBytes - before)
    }

    /// Drops the heads that it knows, to give memory back.
    package func forgetHeads() {
        // A head that is arriving may repeat one of them.
        guard !walk.isInHeaderBlock else { return }
        for head in knownHeads.removeAll() { forget(head) }
    }

    /// Gives the streams that a head was known for a copy of it, since it is dropped.
    private func forget(_ head: KnownHead) {
        count(held: -head.memoryBytes)
        var next = liveFirst
        while let stream = next {
            next = stream.pointee.next
            // Only the addresses are compared.
            guard stream.pointee.known?.toOpaque() == Unmanaged.passUnretained(head).toOpaque()
            else { continue }
            stream.pointee.known = nil
            head.copy(head.count, to: &stream.pointee.head)
            recount(stream)
        }
    }
}
