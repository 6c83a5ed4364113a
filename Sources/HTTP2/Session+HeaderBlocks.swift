// The header blocks that a server's session knows.
extension Session {
    /// Gives nghttp2 the bytes up to the header block of a request, and the header block itself if
    /// it is whole.
    ///
    /// - Parameter count: Where the header of the frame ends.
    /// - Returns: How many bytes were used.
    func feedRequest(
        _ bytes: UnsafeRawBufferPointer, _ count: Int
    ) throws(SessionError) -> Int {
        let start = count - FrameWalk.headerBytes
        let header = UnsafeRawBufferPointer(rebasing: bytes[start..<count])
        // The bytes before may be the end of another block, which may change the known header
        // blocks.
        try pass(.init(rebasing: bytes[..<start]))
        guard let block = walk.takeBlock(.init(rebasing: bytes[count...])) else {
            try pass(header)
            return count
        }
        let end = count + block.count
        if let known = headerCache.find(block, walk.tableVersion) {
            try passStandIn(known, header, .same)
        } else if let known = headerCache.findOpen(block, walk.tableVersion) {
            let arePlain = known._withUnsafeGuaranteedRef { $0.repeated?.areValuesPlain ?? false }
            try passStandIn(known, header, arePlain ? .plain : .decoded)
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

    /// The values of the open fields of a stand-in.
    enum OpenValues {
        /// The block that is remembered has them.
        case same
        /// They were found in the block that has come, as plain text.
        case plain
        /// nghttp2 decodes them with the stand-in.
        case decoded
    }

    /// Gives nghttp2 the stand-in for a request's frame.
    private func passStandIn(
        _ known: Unmanaged<CachedHeaders>, _ header: UnsafeRawBufferPointer, _ values: OpenValues
    ) throws(SessionError) {
        standIn = known
        openValues = values
        defer { standIn = nil }
        // No header block is dropped while a block arrives.
        let frame = known._withUnsafeGuaranteedRef {
            $0.repeated?.standIn(header, isDecoding: values == .decoded)
        }
        if let frame { try pass(frame) }
    }

    /// Gives the stream of a stand-in the open fields that nghttp2 does not decode.
    @inline(__always)
    func applyStandIn(_ known: Unmanaged<CachedHeaders>, _ stream: StreamPointer) {
        stream.pointee.known = known
        known._withUnsafeGuaranteedRef {
            guard let repeated = $0.repeated else { return }
            switch openValues {
            case .same: stream.pointee.headers.append(repeated.open)
            case .plain: repeated.appendValues(to: &stream.pointee.headers)
            case .decoded: break
            }
        }
    }

    /// Whether a field of the arriving header block, at another address than before, is known all
    /// the same.
    func matchesCachedField(
        _ stream: StreamPointer, _ name: OpaquePointer, _ value: OpaquePointer
    ) -> Bool {
        switch headerCache.match(name, value, &stream.pointee.headers) {
        case .known: return true
        case .kept: return false
        case .strange:
            // Known fields are not counted one by one: a cached header block is far below the
            // limit.
            blockBytes = stream.pointee.headers.listBytes
            return false
        }
    }

    /// Looks whether the header block that has arrived is known, and remembers it if it is not.
    func endHeaders(of stream: StreamPointer) {
        guard standIn == nil else { return }
        if let known = headerCache.end(&stream.pointee.headers) {
            stream.pointee.known = known
            if let arriving { remember(arriving, known.takeUnretainedValue(), stream) }
            return
        }
        guard !stream.pointee.flags.contains(.headersTooLarge),
            let (dropped, kept) = headerCache.insert(stream.pointee.headers)
        else { return }
        count(held: kept.memoryBytes)
        if let dropped { forget(dropped) }
    }

    /// Remembers the compressed block in which a cached header block has arrived.
    private func remember(
        _ block: UnsafeRawBufferPointer, _ known: CachedHeaders, _ stream: StreamPointer
    ) {
        let before = known.memoryBytes
        known.remember(block, walk.tableVersion, open: stream.pointee.headers)
        count(held: known.memoryBytes - before)
    }

    /// Drops the header blocks that it knows, to give memory back.
    package func forgetHeaders() {
        // A header block that is arriving may repeat one of them.
        guard !walk.isInHeaderBlock else { return }
        for header in headerCache.removeAll() { forget(header) }
    }

    /// Gives the streams that a header block was known for a copy of it, since it is dropped.
    func forget(_ header: CachedHeaders) {
        count(held: -header.memoryBytes)
        var next = liveFirst
        while let stream = next {
            next = stream.pointee.next
            // Only the addresses are compared.
            guard stream.pointee.known?.toOpaque() == Unmanaged.passUnretained(header).toOpaque()
            else { continue }
            stream.pointee.known = nil
            header.copy(header.count, to: &stream.pointee.headers)
            recount(stream)
        }
    }
}
