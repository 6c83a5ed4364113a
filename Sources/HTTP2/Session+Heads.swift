// The heads that a server's session knows.
extension Session {
    /// Gives nghttp2 the bytes up to the head of a request's frame, and the header block after it
    /// if it is whole.
    ///
    /// - Parameter count: Where the head of the frame ends.
    /// - Returns: How many bytes were used.
    func feedRequest(
        _ bytes: UnsafeRawBufferPointer, _ count: Int
    ) throws(SessionError) -> Int {
        let start = count - FrameWalk.headBytes
        let head = UnsafeRawBufferPointer(rebasing: bytes[start..<count])
        // The bytes before may be the end of another block, which may change the known heads.
        try pass(.init(rebasing: bytes[..<start]))
        guard let block = walk.takeBlock(.init(rebasing: bytes[count...])) else {
            try pass(head)
            return count
        }
        let end = count + block.count
        if let known = knownHeads.find(block, walk.tableTurn) {
            try passStandIn(known, head, with: nil)
        } else if let (known, part) = knownHeads.findOpen(block, walk.tableTurn) {
            try passStandIn(known, head, with: part)
        } else {
            if CompressedBlock.leavesTable(block) {
                arriving = block
            } else {
                walk.noteTableChange()
            }
            defer { arriving = nil }
            try pass(.init(rebasing: bytes[start..<end]))
        }
        return end
    }

    /// Gives nghttp2 the stand-in for a request's frame.
    ///
    /// - Parameter part: The open field, if its value differs from the last one.
    private func passStandIn(
        _ known: Unmanaged<KnownHead>, _ head: UnsafeRawBufferPointer,
        with part: UnsafeRawBufferPointer?
    ) throws(SessionError) {
        standIn = known
        isOpenFieldDue = part != nil
        defer { standIn = nil }
        // No head is dropped while a block arrives.
        let frame = known._withUnsafeGuaranteedRef { $0.repeated?.standIn(head, with: part) }
        if let frame { try pass(frame) }
    }

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
