import CNghttp2

// The callbacks. Each finds its stream, takes the contents of the frame, and returns a code.
extension Session {
    /// Judges a frame that has begun, in cases that nghttp2 skips.
    ///
    /// RFC 9113, section 5.1: nothing may follow the end of a stream, or its reset. But frames that
    /// the sender has sent before it learned of a reset of ours are not an error. Nothing may come
    /// either on a stream that was skipped when a later one began (section 5.1.1).
    func judge(_ notice: FrameWalk.Notice, _ id: Int32) {
        switch notice {
        case .nothing, .lastStream, .request: break
        case .afterEnd:
            terminate(.streamClosed, for: "frame_after_end")
        case .afterReset:
            record(nghttp2_submit_rst_stream(raw, 0, id, ErrorCode.streamClosed.rawValue))
        case .secondHeaderBlock:
            if !isOpen(id) { countIdleFrame() }
        case .unknownHeaderBlock:
            if !isOpen(id) { terminate(.protocolError, for: "head_below_last_stream") }
        case .emptyData:
            countIdleFrame()
        }
    }

    /// Whether nghttp2 knows the stream.
    private func isOpen(_ id: Int32) -> Bool {
        nghttp2_session_get_stream_local_close(raw, id) >= 0
    }

    /// Counts the frames that nghttp2 drops silently, and those of one header block.
    ///
    /// nghttp2 does not report frames of unknown types; they cost no more than their bytes.
    fileprivate func onBeginFrame(_ type: UInt8, _ id: Int32) -> Int32 {
        switch nghttp2_frame_type(UInt32(type)) {
        case NGHTTP2_PRIORITY:
            countIdleFrame()
            // RFC 9113, section 6.3: nghttp2 skips the frame before it checks the stream.
            if id == 0 { terminate(.protocolError, for: "priority_without_stream") }
        case NGHTTP2_CONTINUATION:
            countContinuation()
        case NGHTTP2_HEADERS:
            beginFrames()
        default: break
        }
        return 0
    }

    fileprivate func onBeginHeaders(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
        beginBlock()
        let id = frame.pointee.hd.stream_id
        guard role == .server, frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else {
            // Trailers of a request mean nothing in gRPC: they are counted and not kept.
            if role == .server { find(id)?.pointee.flags.insert(.ignoringFields) }
            return 0
        }
        guard hasRoomForStream else {
            // A stream that is refused because we are about to end is not an error of the peer's.
            if !isRefusing { countReset() }
            record(nghttp2_submit_rst_stream(raw, 0, id, ErrorCode.refusedStream.rawValue))
            return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
        }
        let stream = adopt(id)
        record(nghttp2_session_set_stream_user_data(raw, id, stream))
        guard let standIn else {
            headerCache.begin()
            return 0
        }
        applyStandIn(standIn, stream)
        return 0
    }

    fileprivate func onHeader(
        _ id: Int32, _ heldName: OpaquePointer, _ heldValue: OpaquePointer
    ) -> Int32 {
        // Nearly all fields end here: they are those of a stand-in, or at known addresses.
        guard standIn == nil else {
            return openValues == .decoded ? onOpenField(id, heldName, heldValue) : 0
        }
        if headerCache.takes(heldName, heldValue) { return 0 }
        return onOtherHeader(id, heldName, heldValue)
    }

    /// Takes a field that is not at a known address.
    @inline(never)
    private func onOtherHeader(
        _ id: Int32, _ heldName: OpaquePointer, _ heldValue: OpaquePointer
    ) -> Int32 {
        if headerCache.isFollowing, let stream = find(id),
            matchesCachedField(stream, heldName, heldValue)
        {
            return 0
        }
        let (name, value) = (bytes(of: heldName), bytes(of: heldValue))
        let left = countField(name.count + value.count)
        guard left >= 0 else {
            let excess = SessionLimits.headerListBytes * (SessionLimits.headerListExcessFactor - 1)
            if -left > excess {
                terminate(.enhanceYourCalm, for: "too_large_header_list")
                return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
            }
            find(id)?.pointee.flags.insert(.headersTooLarge)
            return 0
        }
        guard let stream = find(id), !stream.pointee.flags.contains(.ignoringFields) else {
            return 0
        }
        if stream.pointee.flags.contains(.headersDone) {
            stream.pointee.trailers.append(name, value)
        } else {
            stream.pointee.headers.append(name, value)
        }
        return 0
    }

    /// Takes an open field of a stand-in; the other fields there mean nothing.
    private func onOpenField(
        _ id: Int32, _ heldName: OpaquePointer, _ heldValue: OpaquePointer
    ) -> Int32 {
        let name = bytes(of: heldName)
        if name.first != UInt8(ascii: ":"), let stream = find(id) {
            stream.pointee.headers.append(name, bytes(of: heldValue))
        }
        return 0
    }

    fileprivate func onData(_ id: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32 {
        arrivedBytes += bytes.count
        guard let stream = find(id), !stream.pointee.flags.contains(.discarding) else {
            record(nghttp2_session_consume_stream(raw, id, bytes.count))
            return 0
        }
        stream.pointee.input.append(bytes)
        recount(stream)
        stream.pointee.unconsumed += bytes.count
        mark(stream, .data)
        return 0
    }

    fileprivate func onFrame(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
        let header = frame.pointee.hd
        let ends = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        switch nghttp2_frame_type(UInt32(header.type)) {
        case NGHTTP2_DATA:
            onDataFrame(header, ends)
        case NGHTTP2_HEADERS:
            countUsefulFrame()
            onHeadersFrame(header.stream_id, ends)
        case NGHTTP2_SETTINGS:
            if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0 {
                append(.settingsAcknowledged)
            } else {
                onSettings(frame.pointee.settings)
            }
        case NGHTTP2_WINDOW_UPDATE:
            let bytes = frame.pointee.window_update.window_size_increment
            if header.stream_id > 0 {
                find(header.stream_id)?.pointee.grantedBytes += Int(bytes)
            }
        case NGHTTP2_PING:
            if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0 {
                let data = frame.pointee.ping.opaque_data
                append(
                    .pingAcknowledged(
                        withUnsafeBytes(of: data) {
                            UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self))
                        }))
            } else {
                append(.ping)
            }
        case NGHTTP2_GOAWAY:
            onGoAway(frame.pointee.goaway)
        case NGHTTP2_RST_STREAM:
            countReset()
        default:
            break
        }
        return 0
    }

    private func onDataFrame(_ header: nghttp2_frame_hd, _ ends: Bool) {
        if header.length > 0 { countUsefulFrame() }
        guard ends, let stream = find(header.stream_id) else { return }
        stream.pointee.flags.insert(.remoteEnded)
        mark(stream, .end)
    }

    private func onHeadersFrame(_ id: Int32, _ ends: Bool) {
        guard let stream = find(id) else { return }
        if !stream.pointee.flags.contains(.headersDone) {
            if role == .client, isInformational(stream.pointee.headers), !ends {
                // RFC 9110, section 15.2: an interim response is dropped, and the final one
                // follows.
                stream.pointee.headers.reset(keeping: SessionLimits.pooledBufferBytes)
                return
            }
            stream.pointee.flags.formUnion(ends ? [.headersDone, .headersEndStream] : .headersDone)
            endHeaders(of: stream)
            recount(stream)
            mark(stream, .headers)
        }
        guard ends else { return }
        stream.pointee.flags.insert(.remoteEnded)
        mark(stream, .end)
    }

    private func isInformational(_ headers: HeaderBlock) -> Bool {
        headers.value(of: ":status")?.first == UInt8(ascii: "1")
    }

    private func onSettings(_ frame: nghttp2_settings) {
        countIdleFrame()
        // Another size of the compression table applies from now on.
        answerBlocks.forget()
        append(.settings(concurrentStreams: peerStreamLimit))
        let entries = UnsafeBufferPointer(start: frame.iv, count: frame.niv)
        let name = Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue)
        guard let window = entries.last(where: { $0.settings_id == name })?.value else { return }
        // RFC 9113, section 6.9.2: this is an error of the connection, although nghttp2 resets the
        // stream.
        var next = liveFirst
        while let stream = next {
            next = stream.pointee.next
            let grown = Int(window) + stream.pointee.grantedBytes - stream.pointee.sentBytes
            if grown > Int(Int32.max) {
                return terminate(.flowControlError, for: "too_large_window")
            }
        }
    }

    private func onGoAway(_ frame: nghttp2_goaway) {
        let data = UnsafeBufferPointer(start: frame.opaque_data, count: frame.opaque_data_len)
        append(
            .goAway(
                lastStream: frame.last_stream_id, code: ErrorCode(rawValue: frame.error_code),
                debugData: Array(data.prefix(256))))
    }

    fileprivate func onClose(_ id: Int32, _ code: UInt32) -> Int32 {
        if let stream = find(id) { close(stream, ErrorCode(rawValue: code)) }
        return 0
    }

    fileprivate func onSent(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
        let header = frame.pointee.hd
        guard header.type <= UInt8(NGHTTP2_HEADERS.rawValue) else {
            if role == .server { onSentRefusal(frame) }
            return 0
        }
        countSent()
        let ends = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        guard ends, role == .server, let stream = find(header.stream_id),
            !stream.pointee.isRemoteEnded
        else { return 0 }
        // RFC 9113, section 8.1: a server that has answered before the request ended asks the
        // client with NO_ERROR to stop. Without this the stream would count for ever.
        let code = ErrorCode.noError.rawValue
        record(nghttp2_submit_rst_stream(raw, 0, header.stream_id, code))
        return 0
    }

    /// Counts the frames that the peer caused us to send.
    ///
    /// A stream that we reset for an error of the peer costs the peer as much as one that it resets
    /// itself. The end of the connection gets a reason.
    private func onSentRefusal(_ frame: UnsafePointer<nghttp2_frame>) {
        switch nghttp2_frame_type(UInt32(frame.pointee.hd.type)) {
        case NGHTTP2_RST_STREAM:
            switch ErrorCode(rawValue: frame.pointee.rst_stream.error_code) {
            case .protocolError, .flowControlError, .streamClosed, .frameSizeError: countReset()
            // Streams that we end for reasons of our own, and refusals, which are counted when they
            // come.
            default: break
            }
        case NGHTTP2_GOAWAY:
            let code = ErrorCode(rawValue: frame.pointee.goaway.error_code)
            if code != .noError { note(code.word) }
        default: break
        }
    }

    /// RFC 9113, section 5.4.2: a stream is reset once, even if both layers found a reason.
    fileprivate func beforeSending(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
        let header = frame.pointee.hd
        if header.type == UInt8(NGHTTP2_HEADERS.rawValue), role == .server { beginHeaders(frame) }
        guard header.type == UInt8(NGHTTP2_RST_STREAM.rawValue),
            !noteReset(UInt32(bitPattern: header.stream_id))
        else { return 0 }
        return NGHTTP2_ERR_CANCEL.rawValue
    }

    fileprivate func onNotSent(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
        guard role == .client, frame.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue),
            frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
        else { return 0 }
        // nghttp2 never opened this stream, so it neither finds the stream nor reports its end.
        var next = liveFirst
        while let stream = next, stream.pointee.id != frame.pointee.hd.stream_id {
            next = stream.pointee.next
        }
        guard let stream = next else { return 0 }
        mark(stream, .notSent)
        close(stream, .refusedStream)
        return 0
    }

    // MARK: - The callbacks of nghttp2

    static func from(_ userData: UnsafeMutableRawPointer?) -> Unmanaged<Session> {
        // It is set in `init`, and never nil while nghttp2 runs.
        Unmanaged.fromOpaque(userData!)
    }

    static func install(in table: OpaquePointer) {
        nghttp2_session_callbacks_set_on_begin_frame_callback(table) { _, header, userData in
            Session.from(userData)._withUnsafeGuaranteedRef {
                $0.onBeginFrame(header!.pointee.type, header!.pointee.stream_id)
            }
        }
        nghttp2_session_callbacks_set_on_begin_headers_callback(table) { _, frame, userData in
            Session.from(userData)._withUnsafeGuaranteedRef { $0.onBeginHeaders(frame!) }
        }
        nghttp2_session_callbacks_set_on_header_callback2(table) {
            _, frame, name, value, _, userData in
            Session.from(userData)._withUnsafeGuaranteedRef {
                $0.onHeader(frame!.pointee.hd.stream_id, name!, value!)
            }
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(table) {
            _, _, stream, data, length, userData in
            Session.from(userData)._withUnsafeGuaranteedRef {
                $0.onData(stream, UnsafeRawBufferPointer(start: data, count: length))
            }
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(table) { _, frame, userData in
            Session.from(userData)._withUnsafeGuaranteedRef { $0.onFrame(frame!) }
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(table) {
            _, stream, code, userData in
            Session.from(userData)._withUnsafeGuaranteedRef { $0.onClose(stream, code) }
        }
        nghttp2_session_callbacks_set_before_frame_send_callback(table) { _, frame, userData in
            Session.from(userData)._withUnsafeGuaranteedRef { $0.beforeSending(frame!) }
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(table) { _, frame, userData in
            Session.from(userData)._withUnsafeGuaranteedRef { $0.onSent(frame!) }
        }
        nghttp2_session_callbacks_set_on_frame_not_send_callback(table) { _, frame, _, userData in
            Session.from(userData)._withUnsafeGuaranteedRef { $0.onNotSent(frame!) }
        }
    }
}
