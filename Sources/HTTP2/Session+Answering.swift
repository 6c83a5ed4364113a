import CNghttp2

/// A `HEADERS` frame of an answer, while nghttp2 makes it.
struct MadeHeaders {
    /// All its fields, if they are the same for every call.
    var fields: Unmanaged<FixedFields>?
    var isHeaders = false
    /// Whether nghttp2 knows of no field, so that their block is to be put in.
    var isEmpty = false
}

/// Trailers that follow the last `DATA` of a stream at once.
struct DueTrailers {
    let stream: Int32
    let fields: Unmanaged<FixedFields>
}

// Answers whose header blocks are known. nghttp2 still decides when each frame goes out, and keeps
// all accounts of streams and windows. It makes an empty `HEADERS` for the header block, and ends
// the stream with the last `DATA`. The session puts the known blocks in on the way out.
extension Session {
    /// Notes the fields of a `HEADERS` frame that nghttp2 makes now.
    func beginHeaders(_ frame: UnsafePointer<nghttp2_frame>) {
        let stream = find(frame.pointee.hd.stream_id)
        var isHeaders = frame.pointee.headers.cat == NGHTTP2_HCAT_RESPONSE
        if let stream, stream.pointee.flags.contains(.interimHeaders) {
            guard !isHeaders else {
                // The interim header block itself, which is the first of the stream.
                madeHeaders = MadeHeaders()
                return
            }
            stream.pointee.flags.remove(.interimHeaders)
            isHeaders = true
        }
        madeHeaders = MadeHeaders(
            fields: isHeaders ? stream?.pointee.fixedHeaders : stream?.pointee.fixedTrailers,
            isHeaders: isHeaders, isEmpty: frame.pointee.headers.nvlen == 0)
    }

    /// Completes a frame that nghttp2 has made.
    func complete(_ frame: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        switch nghttp2_frame_type(UInt32(frame[3])) {
        case NGHTTP2_DATA where dueTrailers != nil:
            // nghttp2 made the frame in its own writable buffer; the pointer is only declared
            // const.
            UnsafeMutableRawBufferPointer(mutating: frame)[4] &= ~Self.endStream
        case NGHTTP2_HEADERS:
            return completeHeaders(frame)
        case NGHTTP2_CONTINUATION:
            answerBlocks.forget()
        default: break
        }
        return frame
    }

    private static let endStream = UInt8(NGHTTP2_FLAG_END_STREAM.rawValue)
    private static let endHeaders = UInt8(NGHTTP2_FLAG_END_HEADERS.rawValue)

    private func completeHeaders(_ frame: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let made = madeHeaders
        let block = UnsafeRawBufferPointer(rebasing: frame[FrameWalk.headerBytes...])
        guard made.isEmpty, let fields = made.fields else {
            let isWhole = frame[4] & Self.endHeaders != 0
            answerBlocks.note(block, of: isWhole ? made.fields : nil, isHeaders: made.isHeaders)
            return frame
        }
        // nghttp2 begins the block with another size of the table if the client has asked for one.
        // The known blocks were forgotten then.
        let stream = UInt32(
            bigEndian: frame.loadUnaligned(fromByteOffset: 5, as: UInt32.self))
        return makeHeaders(fields, isHeaders: made.isHeaders, flags: frame[4], stream, after: block)
    }

    func make(_ due: DueTrailers) -> UnsafeRawBufferPointer {
        dueTrailers = nil
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        return makeHeaders(
            due.fields, isHeaders: false, flags: Self.endStream | Self.endHeaders,
            UInt32(bitPattern: due.stream), after: nothing)
    }

    /// Makes a `HEADERS` frame with the block of the fields.
    ///
    /// If that is no longer known, the fields are written out in a form that asks nothing of the
    /// compression table.
    private func makeHeaders(
        _ fields: Unmanaged<FixedFields>, isHeaders: Bool, flags: UInt8, _ stream: UInt32,
        after beginning: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        pool.frame.reset(keeping: SessionLimits.pooledBufferBytes)
        // Room for the frame's header, and for the number that has a known block.
        let start = pool.frame.reserve(FrameWalk.headerBytes + MemoryLayout<UInt64>.size)
        pool.frame.advance(FrameWalk.headerBytes)
        if beginning.isEmpty, let block = answerBlocks.block(of: fields, isHeaders: isHeaders) {
            start.storeBytes(
                of: block.bytes.littleEndian, toByteOffset: FrameWalk.headerBytes, as: UInt64.self)
            pool.frame.advance(block.count)
        } else {
            pool.frame.append(beginning)
            // Their maker keeps them for the life of the process.
            fields._withUnsafeGuaranteedRef { $0.writeOut(to: &pool.frame) }
        }
        let frame = UnsafeMutableRawBufferPointer(mutating: pool.frame.bytes)
        // The fields of an answer are far shorter than a frame may be.
        let length = UInt32(frame.count - FrameWalk.headerBytes)
        frame.storeBytes(of: (length << 8 | NGHTTP2_HEADERS.rawValue).bigEndian, as: UInt32.self)
        frame[4] = flags
        frame.storeBytes(of: stream.bigEndian, toByteOffset: 5, as: UInt32.self)
        return UnsafeRawBufferPointer(frame)
    }
}
