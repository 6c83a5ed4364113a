import CNghttp2

extension Session {
    /// Opens a stream with a request; its output may be added at once.
    ///
    /// - Throws: ``SessionError`` if the connection has no stream numbers left, or accepts no more
    ///   streams.
    package func open(
        _ fixed: FixedFields?, _ block: HeaderBlock?
    ) throws(SessionError) -> StreamPointer {
        let list = fields.fill(fixed, block)
        let stream = adopt(0)
        stream.pointee.flags.insert(.headersSent)
        var provider = Self.provider(stream)
        let id = nghttp2_submit_request(raw, nil, list, fields.count, &provider, stream)
        stream.pointee.id = max(0, id)
        guard id > 0 else {
            close(stream, .refusedStream)
            release(stream)
            throw .failed(id)
        }
        return stream
    }

    /// Whether the peer lets us open one more stream now.
    package var canOpenStream: Bool {
        nghttp2_session_check_request_allowed(raw) != 0
            && openStreams < Int(peerStreamLimit)
    }

    /// Streams that the peer lets us have open at once.
    package var peerStreamLimit: UInt32 {
        nghttp2_session_get_remote_settings(raw, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    }

    /// The largest header block that the peer says it accepts.
    package var peerHeaderListBytes: Int {
        let setting = NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE
        return Int(nghttp2_session_get_remote_settings(raw, setting))
    }

    /// Sends the header block of a response, once; with `end`, nothing follows it.
    ///
    /// `fixed` must live as long as the process.
    package func submitHeaders(
        _ stream: StreamPointer, _ fixed: FixedFields?, _ block: HeaderBlock? = nil,
        end: Bool = false
    ) {
        guard !stream.pointee.isClosed else { return }
        precondition(!stream.pointee.flags.contains(.headersSent))
        stream.pointee.flags.insert(.headersSent)
        guard !isUnframed else { return storeResponse(stream, fixed, block, end: end) }
        let list: UnsafeMutablePointer<nghttp2_nv>
        let count: Int
        if let fixed, block == nil {
            // Its maker keeps it for the life of the process.
            let headers = Unmanaged.passUnretained(fixed)
            stream.pointee.fixedHeaders = headers
            // Fields whose block is known are put into the frame when it is made.
            let isKnown = answerBlocks.hasHeaders(headers)
            (list, count) = (fixed.fields, isKnown ? 0 : fixed.count)
        } else {
            list = fields.fill(fixed, block)
            count = fields.count
        }
        let id = stream.pointee.id
        if end {
            record(nghttp2_submit_response(raw, id, list, count, nil))
        } else {
            var provider = Self.provider(stream)
            record(nghttp2_submit_response(raw, id, list, count, &provider))
        }
    }

    /// Lets a client go on that waits before it sends its request's body.
    ///
    /// It does nothing if the body is complete, or if an answer has begun.
    package func submitContinue(_ stream: StreamPointer) {
        guard !stream.pointee.isClosed, !stream.isRemoteEnded, !isUnframed,
            !stream.pointee.flags.contains(.headersSent)
        else { return }
        stream.pointee.flags.insert(.interimHeaders)
        let list = fields.fill(.informational, nil)
        let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
        record(
            nghttp2_submit_headers(raw, flags, stream.pointee.id, nil, list, fields.count, nil))
    }

    /// Sends what was added to the stream's output, as far as the peer's window allows.
    package func resume(_ stream: StreamPointer) {
        recount(stream)
        guard stream.pointee.flags.contains(.deferred), !stream.pointee.isClosed else { return }
        stream.pointee.flags.remove(.deferred)
        record(nghttp2_session_resume_data(raw, stream.pointee.id))
    }

    /// Ends the stream after its output, with trailers that are the same for every call.
    ///
    /// `trailers` must live as long as the process.
    package func finish(_ stream: StreamPointer, trailers: FixedFields) {
        stream.pointee.fixedTrailers = Unmanaged.passUnretained(trailers)
        stream.pointee.flags.formUnion([.finishing, .trailersFollow])
        resume(stream)
    }

    /// Ends the stream after its output, with ``Stream/outputTrailers``.
    package func finishWithTrailers(_ stream: StreamPointer) {
        stream.pointee.flags.formUnion([.finishing, .trailersFollow])
        resume(stream)
    }

    /// Ends our side of the stream after its output, without trailers.
    package func finish(_ stream: StreamPointer) {
        stream.pointee.flags.insert(.finishing)
        resume(stream)
    }

    /// Reports ``StreamEvents/writable`` once, when fewer than `mark` bytes wait.
    package func notifyWhenWritable(_ stream: StreamPointer, below mark: Int) {
        stream.pointee.writableMark = mark
    }

    /// Ends the stream at once; output that waits is dropped.
    package func reset(_ stream: StreamPointer, _ code: ErrorCode) {
        guard !stream.pointee.isClosed, stream.pointee.id > 0 else { return }
        guard !isUnframed else { return cutOff(stream, code) }
        record(nghttp2_submit_rst_stream(raw, 0, stream.pointee.id, code.rawValue))
    }

    /// Ends the stream at once because of its memory, which is given back now.
    package func abandon(_ stream: StreamPointer) {
        reset(stream, .enhanceYourCalm)
        // nghttp2 sends the reset before any further frame of the stream. If it still asked for a
        // frame, there would be none, and no end that looks like success.
        stream.pointee.flags.subtract([.finishing, .trailersFollow])
        stream.pointee.writableMark = -1
        forgetLoan(of: stream)
        stream.pointee.output.free()
        recount(stream)
    }

    /// The streams that are not closed, in the order of their memory, the largest first.
    package func streamsBySize() -> [StreamPointer] {
        var streams: [StreamPointer] = []
        var next = liveFirst
        while let stream = next {
            next = stream.pointee.next
            if !stream.pointee.isClosed { streams.append(stream) }
        }
        return streams.sorted { $0.pointee.heldBytes > $1.pointee.heldBytes }
    }

    /// Resets streams whose peer reads too slowly.
    ///
    /// These are streams whose peer has taken less than `bytes` of the waiting output during
    /// `checks` calls of this function in a row. The caller calls it at equal distances in time.
    /// Otherwise a window that stays closed, or is opened byte by byte, would hold the queued bytes
    /// for as long as the connection lives.
    ///
    /// - Returns: How many streams there were.
    package func resetStalled(after checks: Int, taking bytes: Int) -> Int {
        var count = 0
        var next = liveFirst
        while let stream = next {
            next = stream.pointee.next
            let isWaiting = !stream.pointee.isClosed && stream.pointee.waitingBytes > 0
            if isWaiting { stream.pointee.stalledChecks += 1 }
            guard !isWaiting || stream.pointee.stalledChecks >= checks else { continue }
            if isWaiting, stream.pointee.sentBytes - stream.pointee.stalledMark < bytes {
                reset(stream, .enhanceYourCalm)
                count += 1
            }
            stream.pointee.stalledChecks = 0
            stream.pointee.stalledMark = stream.pointee.sentBytes
        }
        return count
    }

    /// Bytes of output that wait on all streams together; counted on request.
    package var queuedBytes: Int {
        var sum = 0
        var next = liveFirst
        while let stream = next {
            next = stream.pointee.next
            if !stream.pointee.isClosed { sum += stream.pointee.waitingBytes }
        }
        return sum
    }

    /// Asks the peer for a sign of life.
    package func ping(_ number: UInt64) {
        withUnsafeBytes(of: number.bigEndian) { bytes in
            // Eight bytes of a local value, bound to the type that nghttp2 reads.
            let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            record(nghttp2_submit_ping(raw, 0, start))
        }
    }

    /// Notifies the peer that streams will soon be refused, without refusing any yet.
    package func announceShutdown() {
        guard !isUnframed else { return }
        record(nghttp2_submit_shutdown_notice(raw))
    }

    /// Refuses every stream that has not arrived yet.
    package func refuseNewStreams(_ code: ErrorCode = .noError, debugData: StaticString = "") {
        let last = nghttp2_session_get_last_proc_stream_id(raw)
        isRefusing = true
        guard !isUnframed else { return }
        record(
            nghttp2_submit_goaway(
                raw, 0, last, code.rawValue, debugData.utf8Start, debugData.utf8CodeUnitCount))
    }

    /// Ends the connection: it sends a `GOAWAY`, and takes nothing afterwards.
    ///
    /// - Parameter violation: The protocol violation of the peer, if that is the reason.
    package func terminate(_ code: ErrorCode, for violation: StaticString? = nil) {
        if let violation { note(violation) }
        guard !isUnframed else { return isRefusing = true }
        record(nghttp2_session_terminate_session(raw, code.rawValue))
    }

    fileprivate static func provider(_ stream: StreamPointer) -> nghttp2_data_provider {
        nghttp2_data_provider(source: nghttp2_data_source(ptr: stream)) {
            _, _, room, length, flags, source, userData in
            guard let stream = source?.pointee.ptr, let room, let flags else { return 0 }
            return Session.from(userData)._withUnsafeGuaranteedRef {
                $0.read(stream.assumingMemoryBound(to: Stream.self), room, length, flags)
            }
        }
    }

    /// Fills one `DATA` frame from the stream's output, and returns what follows it.
    private func read(
        _ stream: StreamPointer, _ room: UnsafeMutablePointer<UInt8>, _ length: Int,
        _ flags: UnsafeMutablePointer<UInt32>
    ) -> Int {
        let isLoan = stream.pointee.output.isEmpty
        let waiting = isLoan ? stream.pointee.loan : stream.pointee.output.bytes
        let count = min(length, waiting.count)
        if count > 0, let start = waiting.baseAddress {
            UnsafeMutableRawPointer(room).copyMemory(from: start, byteCount: count)
            if isLoan {
                takeLoan(count, of: stream)
            } else {
                stream.pointee.output.consume(count)
            }
            stream.pointee.sentBytes &+= count
        }
        // The session is asked for the stream once more when the frame has gone.
        current = stream
        let left = noteOutput(of: stream)
        if left == 0, stream.pointee.flags.contains(.finishing) {
            flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
            if count > 0, let fixed = stream.pointee.fixedTrailers,
                role == .server, answerBlocks.hasTrailers(fixed)
            {
                // For nghttp2 this frame ends the stream; see `complete`.
                dueTrailers = DueTrailers(stream: stream.pointee.id, fields: fixed)
            } else if stream.pointee.flags.contains(.trailersFollow) {
                flags.pointee |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
                submitTrailers(stream)
            }
        } else if count == 0 {
            stream.pointee.flags.insert(.deferred)
            return Int(NGHTTP2_ERR_DEFERRED.rawValue)
        }
        return count
    }

    /// Sees to what follows when output of the stream has gone.
    ///
    /// - Returns: The bytes that still wait.
    func noteOutput(of stream: StreamPointer) -> Int {
        let left = stream.pointee.waitingBytes
        if left == 0, stream.pointee.output.shrink(keeping: stream.pointee.keptBytes) {
            recount(stream)
        }
        if left < stream.pointee.writableMark {
            stream.pointee.writableMark = -1
            mark(stream, .writable)
        }
        return left
    }

    private func submitTrailers(_ stream: StreamPointer) {
        let id = stream.pointee.id
        if let fixed = stream.pointee.fixedTrailers {
            // The maker of the fields keeps them for the life of the process.
            fixed._withUnsafeGuaranteedRef {
                record(nghttp2_submit_trailer(raw, id, $0.fields, $0.count))
            }
        } else {
            let list = fields.fill(nil, stream.pointee.outputTrailers)
            record(nghttp2_submit_trailer(raw, id, list, fields.count))
        }
    }
}
