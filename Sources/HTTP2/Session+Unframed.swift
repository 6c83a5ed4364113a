import CNghttp2

// A session whose peer speaks HTTP/1.1. There are no frames then: whoever reads the peer's bytes
// opens a stream for each request, and takes its answer from the stream. For the call layer these
// are streams as all others: with their windows, their bounds, and their end.
extension Session {
    /// Takes requests without frames from now on; nothing has come yet.
    ///
    /// - Parameter names: Fields whose values differ in each call, beside those that the session
    ///   knows of.
    package func unframe(alsoOpen names: [StaticString]) {
        precondition(role == .server && openStreams == 0)
        isUnframed = true
        // Nothing of a frame is awaited.
        walk = FrameWalk(role: .client)
        headerCache = HeaderCache(open: (headerCache.open ?? []) + names)
    }

    // MARK: - Requests

    /// Whether a request may have that method, that target and that host, by the rules of HTTP/2.
    package static func allows(
        _ method: UnsafeRawBufferPointer, _ target: UnsafeRawBufferPointer,
        _ host: UnsafeRawBufferPointer
    ) -> Bool {
        guard let path = target.baseAddress, let authority = host.baseAddress, !host.isEmpty,
            nghttp2_check_path(path.assumingMemoryBound(to: UInt8.self), target.count) != 0,
            nghttp2_check_authority(authority.assumingMemoryBound(to: UInt8.self), host.count) != 0
        else { return false }
        if method.isEqual(to: "CONNECT") { return false }
        return target.first == UInt8(ascii: "/")
            || method.isEqual(to: "OPTIONS") && target.isEqual(to: "*")
    }

    /// Opens a stream for a request with these fields.
    ///
    /// - Returns: Nil if the peer may have no further stream.
    package func accept(_ headers: HeaderBlock) -> StreamPointer? {
        guard hasRoomForStream else { return nil }
        let stream = begin()
        if let known = headerCache.find(headers, open: &stream.pointee.headers) {
            stream.pointee.known = known
        } else {
            stream.pointee.headers.append(headers)
            if let (dropped, kept) = headerCache.insert(headers) {
                count(held: kept.memoryBytes)
                if let dropped { forget(dropped) }
            }
        }
        recount(stream)
        mark(stream, .headers)
        return stream
    }

    /// A request that was recognised by its bytes.
    package struct WrittenRequest {
        package let stream: StreamPointer
        /// The bytes of its header section.
        package let headerBytes: Int
        /// The bytes of its body.
        package let bodyBytes: Int
        /// The note that ``remember(_:length:note:of:)`` was given.
        package let note: Bool
    }

    /// Opens a stream for the request with which the bytes begin, if its headers came before.
    ///
    /// - Parameter length: The name of the field with the length of its body.
    package func accept(
        writtenIn bytes: UnsafeRawBufferPointer, length: StaticString
    ) -> WrittenRequest? {
        guard hasRoomForStream, let (known, span) = headerCache.find(writtenIn: bytes) else {
            return nil
        }
        let stream = begin()
        stream.pointee.known = known
        var bodyBytes = 0
        if span.digits.count > 0 {
            stream.pointee.headers.append(length, span.digits)
            // So few digits are within 64 bits.
            for digit in span.digits { bodyBytes = bodyBytes &* 10 &+ Int(digit & 0x0F) }
        }
        recount(stream)
        mark(stream, .headers)
        return WrittenRequest(
            stream: stream, headerBytes: span.end, bodyBytes: bodyBytes, note: span.note)
    }

    /// Remembers the bytes of the headers with which the stream was opened, if its fields came
    /// before and none of them but the length may differ.
    ///
    /// - Parameters:
    ///   - length: Where the digits of the length are; nil if there are none.
    ///   - note: A mark that its reader needs when the section is repeated.
    package func remember(
        _ section: UnsafeRawBufferPointer, length: Range<Int>?, note: Bool, of stream: StreamPointer
    ) {
        guard let known = stream.pointee.known?.takeUnretainedValue(),
            known.openCount == (length == nil ? 0 : 1),
            let written = HeaderSection(section, gap: length, note: note)
        else { return }
        let before = known.memoryBytes
        known.remember(written)
        count(held: known.memoryBytes - before)
    }

    private func begin() -> StreamPointer {
        let stream = adopt(1)
        stream.pointee.flags.insert(.headersDone)
        return stream
    }

    /// Takes bytes of the request's body.
    package func arrive(_ bytes: UnsafeRawBufferPointer, on stream: StreamPointer) {
        guard !stream.pointee.flags.contains(.discarding) else { return }
        stream.pointee.input.append(bytes)
        recount(stream)
        stream.pointee.unconsumed += bytes.count
        mark(stream, .data)
    }

    /// Whether the peer may send more of the request.
    package func hasWindow(_ stream: StreamPointer) -> Bool {
        stream.pointee.unconsumed < streamWindow
    }

    /// The request is complete.
    ///
    /// - Parameter hasBody: Whether a body was announced.
    package func endRequest(of stream: StreamPointer, hasBody: Bool) {
        stream.pointee.flags.formUnion(hasBody ? .remoteEnded : [.remoteEnded, .headersEndStream])
        mark(stream, .end)
    }

    // MARK: - Answers

    /// Keeps the fields of an answer in the stream.
    func storeResponse(
        _ stream: StreamPointer, _ fixed: FixedFields?, _ block: HeaderBlock?, end: Bool
    ) {
        fixed?.copy(to: &stream.pointee.outputTrailers)
        if let block { stream.pointee.outputTrailers.append(block) }
        if end { stream.pointee.flags.insert(.finishing) }
        recount(stream)
    }

    /// The fields of the answer, valid until the stream ends; nil while there are none.
    package func answer(of stream: StreamPointer) -> HeaderBlock? {
        stream.pointee.flags.contains(.headersSent) ? stream.pointee.outputTrailers : nil
    }

    /// The bytes of the answer's body that go out next, valid until the stream changes.
    package func nextBytes(of stream: StreamPointer) -> UnsafeRawBufferPointer {
        stream.pointee.output.isEmpty ? stream.pointee.loan : stream.pointee.output.bytes
    }

    /// The first `count` bytes of ``nextBytes(of:)`` have gone.
    package func sent(_ count: Int, of stream: StreamPointer) {
        if stream.pointee.output.isEmpty {
            takeLoan(count, of: stream)
        } else {
            stream.pointee.output.consume(count)
        }
        stream.pointee.sentBytes &+= count
        _ = noteOutput(of: stream)
    }

    /// Whether the answer is complete, and has no bytes that wait.
    package func isAnswered(_ stream: StreamPointer) -> Bool {
        stream.pointee.flags.contains(.finishing) && stream.pointee.waitingBytes == 0
    }

    /// Notes that the answer has no end, and why.
    func cutOff(_ stream: StreamPointer, _ code: ErrorCode) {
        guard !stream.pointee.flags.contains(.cutOff) else { return }
        stream.pointee.flags.insert(.cutOff)
        stream.pointee.closeCode = code
    }

    /// Why the answer has no end; nil if it has one.
    package func cutOffCode(of stream: StreamPointer) -> ErrorCode? {
        stream.pointee.flags.contains(.cutOff) ? stream.pointee.closeCode : nil
    }

    /// Ends a stream; the pointer must not be used again by its opener.
    package func end(_ stream: StreamPointer) {
        close(stream, cutOffCode(of: stream) ?? .noError)
    }
}

extension FixedFields {
    /// Adds the fields to a block.
    fileprivate func copy(to block: inout HeaderBlock) {
        for index in 0..<count {
            let field = fields[index]
            block.append(
                UnsafeRawBufferPointer(start: field.name, count: field.namelen),
                UnsafeRawBufferPointer(start: field.value, count: field.valuelen))
        }
    }
}
