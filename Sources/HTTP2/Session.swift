import CNghttp2

/// One HTTP/2 connection's protocol state, for either end.
///
/// A session does no I/O and has no callbacks. Bytes go in through ``receive(_:)``, and come out of
/// ``nextOutput()``. The events that the peer caused wait in ``nextReady()`` (streams) and
/// ``takeEvents()`` (the connection).
///
/// Properties that every frame touches are `@exclusivity(unchecked)`. Swift would otherwise look up
/// at run time whether two accesses overlap. None does: one thread touches them, and no access
/// lasts while nghttp2 runs.
///
/// - Important: A session belongs to the event loop that made it, and is not `Sendable`.
package final class Session {
    package let role: Role

    /// The nghttp2 session: made in `init`, freed in `deinit`, never handed out.
    let raw: OpaquePointer

    let pool: StreamPool
    var fields: FieldRoom { pool.fields }
    private let streamLimit: Int
    let streamWindow: Int
    private let wideWindow: Int

    /// Streams that have ``SessionLimits/wideWindowBytes``.
    @exclusivity(unchecked) private var wideStreams = 0

    /// Bytes of `DATA` that came since the connection's window was opened.
    @exclusivity(unchecked) var arrivedBytes = 0

    /// Streams that have events, first come first.
    @exclusivity(unchecked) private var readyFirst: StreamPointer?
    @exclusivity(unchecked) private var readyLast: StreamPointer?

    /// All streams that are not yet back in the pool.
    @exclusivity(unchecked) private(set) var liveFirst: StreamPointer?

    /// The stream of the last frame; it saves a look-up for most frames.
    @exclusivity(unchecked) var current: StreamPointer?

    /// The streams that borrowed since ``settleLoans()``, the number of those that have not sent
    /// the lent bytes yet, and the owners of these bytes.
    @exclusivity(unchecked) var borrowers: [StreamPointer] = []
    @exclusivity(unchecked) var loans = 0
    @exclusivity(unchecked) var lenders: [AnyObject] = []

    /// Counts how often loans were settled, from 1.
    ///
    /// A stream with this number is among the borrowers.
    @exclusivity(unchecked) var lendingRound = 1

    @exclusivity(unchecked) private var events: [ConnectionEvent] = []

    /// Closed streams for which work still goes on.
    ///
    /// The call layer counts them, and they count as open ones until the work is done.
    @exclusivity(unchecked) package var abandonedStreams = 0

    /// The protocol violation of the peer that ends the connection, in a word or two; nil while it
    /// behaves.
    @exclusivity(unchecked) package private(set) var violation: StaticString?

    /// Memory that the session holds for its peer: its streams with their input and output, frames
    /// that wait, and the memory that the call layer adds.
    package var heldBytes: Int { held }

    // Other targets would still check each access to a stored property at run time.
    @exclusivity(unchecked) private var held = 0

    /// The part of it for frames.
    @exclusivity(unchecked) private var frameBytes = 0

    /// Streams that the peer or this session opened, and that are not closed.
    @exclusivity(unchecked) package private(set) var openStreams = 0

    /// `RST_STREAM` frames that the peer sent, or caused us to send, since ``takeResets()``.
    @exclusivity(unchecked) private var resets = 0

    /// The compressed blocks of answers that a server remembers.
    @exclusivity(unchecked) var answerBlocks = ResponseHeaderCache()

    /// The `HEADERS` that nghttp2 makes at present.
    @exclusivity(unchecked) var madeHeaders = MadeHeaders()

    /// The trailers that are sent next: nghttp2 knows nothing of them.
    @exclusivity(unchecked) var dueTrailers: DueTrailers?

    /// Whether `DATA` or `HEADERS` went out since ``takeSentSomething()``.
    @exclusivity(unchecked) private var sentSomething = false

    /// Whether the peer has got the number of a last stream.
    ///
    /// No later stream is accepted, even while that frame still waits to be sent.
    @exclusivity(unchecked) var isRefusing = false

    /// The position of the peer in its frames.
    @exclusivity(unchecked) package internal(set) var walk: FrameWalk

    /// The state of the peer's side of its streams.
    @exclusivity(unchecked) private var sides: PeerSides

    /// The header blocks of requests that the session knows.
    @exclusivity(unchecked) var headerCache: HeaderCache

    /// The cached header block whose stand-in nghttp2 has at present, and where the values of its
    /// open fields are; see ``RepeatedBlock``.
    @exclusivity(unchecked) var standIn: Unmanaged<CachedHeaders>?
    @exclusivity(unchecked) var openValues = OpenValues.same

    /// The compressed block that nghttp2 has at present, if it leaves the compression table as it
    /// is.
    @exclusivity(unchecked) var arriving: UnsafeRawBufferPointer?

    /// Decoded bytes of the header block that is arriving.
    @exclusivity(unchecked) var blockBytes = 0
    @exclusivity(unchecked) private var idleFrames = 0

    /// `CONTINUATION` frames of the header block that is arriving.
    @exclusivity(unchecked) private var continuations = 0

    /// Whether the peer speaks HTTP/1.1, so that there are no frames; see ``unframe(alsoOpen:)``.
    @exclusivity(unchecked) var isUnframed = false

    /// The failure that the next ``receive(_:)`` or ``nextOutput()`` throws.
    @exclusivity(unchecked) private var failure: SessionError?
    @exclusivity(unchecked) private var isFirstOutput = true

    /// - Parameter open: A server remembers header blocks of requests if it is given the names of
    ///   the fields whose values differ in each call; see ``Stream/known``.
    package init(
        role: Role, settings: Settings = Settings(), pool: StreamPool,
        cachingHeadersBut open: [StaticString]? = nil
    ) throws(SessionError) {
        self.role = role
        self.pool = pool
        headerCache = HeaderCache(open: open)
        walk = FrameWalk(role: role)
        streamLimit = Int(settings.concurrentStreams)
        streamWindow = Int(settings.streamWindowBytes)
        wideWindow = Int(settings.wideWindowBytes)
        let made = try SessionOptions.withCallbacks { (table) throws(SessionError) in
            try SessionOptions.withOptions { (option) throws(SessionError) in
                var session: OpaquePointer?
                let memory = pool.blocks.table
                switch role {
                case .client: nghttp2_session_client_new3(&session, table, nil, option, memory)
                case .server: nghttp2_session_server_new3(&session, table, nil, option, memory)
                }
                return session
            }
        }
        guard let raw = made else { throw .failed(NGHTTP2_ERR_NOMEM.rawValue) }
        self.raw = raw
        sides = PeerSides()

        // Unretained: nghttp2 calls back only inside `receive` and `nextOutput`, which hold `self`.
        nghttp2_session_set_user_data(raw, Unmanaged.passUnretained(self).toOpaque())
        var announced = settings
        if role == .server {
            // If one stream too many comes after our settings were acknowledged, nghttp2 ends the
            // connection. A caller that miscounts by one should lose only that call. So nghttp2
            // gets a higher limit, and `patchFirstSettings` announces the true one.
            announced.concurrentStreams = settings.concurrentStreams &* 2
        }
        var entries = SessionOptions.entries(announced, role)
        try check(nghttp2_submit_settings(raw, 0, &entries, entries.count))
        let window = Int32(clamping: settings.connectionWindowBytes)
        try check(nghttp2_session_set_local_window_size(raw, 0, 0, window))
    }

    deinit {
        nghttp2_session_del(raw)
        sides.free()
        pool.held -= held
        while let stream = liveFirst {
            liveFirst = stream.pointee.next
            pool.release(stream)
        }
        // The header blocks give memory back to the pool, which may end with this session.
        headerCache = HeaderCache(open: nil)
    }

    // MARK: - In

    /// Takes the bytes that the peer sent, or the first of them.
    ///
    /// - Parameter count: About how many it takes. It goes on to the end of a block that begins
    ///   before, so that the block is seen as a whole.
    /// - Returns: How many it has taken.
    /// - Throws: ``SessionError``. Then send the rest of ``nextOutput()`` before you close the
    ///   connection.
    @discardableResult
    package func receive(
        _ bytes: UnsafeRawBufferPointer, about count: Int = .max
    ) throws(SessionError) -> Int {
        try throwFailure()
        let end = min(bytes.count, count)
        var used = 0
        while used < end {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
            let step = walk.advance(rest, upTo: end - used, &sides)
            if walk.notice == .request {
                used += try feedRequest(rest, step)
            } else {
                try feed(.init(rebasing: rest[..<step]))
                used += step
            }
        }
        openConnectionWindow()
        try checkQueue()
        return used
    }

    /// Lets the peer send as much on the connection as has come.
    ///
    /// Bytes that are not read hold back their own stream, by its window, and no other one.
    private func openConnectionWindow() {
        guard arrivedBytes > 0 else { return }
        record(nghttp2_session_consume_connection(raw, arrivedBytes))
        arrivedBytes = 0
    }

    /// Notes that a stream is being reset; false if it was reset before.
    func noteReset(_ id: UInt32) -> Bool { sides.noteReset(id) }

    /// Gives nghttp2 the bytes that the walk went over, and judges the walk's notices.
    private func feed(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        guard walk.notice == .lastStream else {
            try pass(bytes)
            return judge(walk.notice, Int32(walk.stream))
        }
        // A client's `GOAWAY` names the last stream that the server has begun. A server begins
        // none, so the number means nothing. Yet nghttp2 ends the connection if it is a stream of
        // the client's, and some clients name such a stream in each GOAWAY.
        var failure: SessionError?
        withUnsafeBytes(of: UInt32(0)) { zeros in
            let zeros = UnsafeRawBufferPointer(rebasing: zeros[..<bytes.count])
            do throws(SessionError) { try pass(zeros) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    func pass(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        guard bytes.count > 0, let start = bytes.baseAddress else { return }
        let used = nghttp2_session_mem_recv(
            raw, start.assumingMemoryBound(to: UInt8.self), bytes.count)
        try throwFailure()
        guard used < 0 else { return }
        switch Int32(clamping: used) {
        case NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue:
            throw .badPreface
        case NGHTTP2_ERR_FLOODED.rawValue:
            terminate(.enhanceYourCalm, for: "too_many_unread_answers")
            throw .flooded
        case NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue:
            terminate(.enhanceYourCalm, for: "too_many_continuations")
            throw .flooded
        case let code:
            throw .failed(code)
        }
    }

    /// Ends the connection of a peer that causes many frames and reads none of them.
    private func checkQueue() throws(SessionError) {
        guard recountFrames() > SessionLimits.queuedFrames else { return }
        terminate(.enhanceYourCalm, for: "too_many_unread_frames")
        throw .flooded
    }

    /// The next stream that has events, and the events.
    ///
    /// Streams come in the order of their first event. Each comes once, with all events since it
    /// was last returned.
    package func nextReady() -> (stream: StreamPointer, events: StreamEvents)? {
        while let stream = readyFirst {
            readyFirst = stream.pointee.nextReady
            if readyFirst == nil { readyLast = nil }
            stream.pointee.nextReady = nil
            stream.pointee.flags.remove(.queued)
            guard stream.pointee.flags.contains(.held) else {
                if stream.pointee.isClosed { forget(stream) }
                continue
            }
            let events = stream.pointee.events
            stream.pointee.events = []
            return (stream, events)
        }
        return nil
    }

    /// Whether ``nextReady()`` has anything to return.
    package var hasReady: Bool { readyFirst != nil }

    /// Makes ``nextReady()`` return a stream again, because not all of its input was taken.
    package func requeue(_ stream: StreamPointer) {
        mark(stream, .data)
    }

    package func takeEvents() -> [ConnectionEvent] {
        guard !events.isEmpty else { return [] }
        defer { events.removeAll() }
        return events
    }

    /// How many streams the peer has reset since the last call, or caused us to reset.
    package func takeResets() -> Int {
        defer { resets = 0 }
        return resets
    }

    /// Whether `DATA` or `HEADERS` went out since the last call.
    package func takeSentSomething() -> Bool {
        defer { sentSomething = false }
        return sentSomething
    }

    /// Drops the first `count` bytes of the stream's input, after they were used.
    package func drop(_ count: Int, of stream: StreamPointer) {
        stream.pointee.input.consume(count)
        if stream.pointee.input.shrink(keeping: stream.pointee.keptBytes) {
            recount(stream)
        }
    }

    /// Reduces the memory of a stream that lasts to the bytes that wait.
    ///
    /// It frees the header block of the request, which cannot be read from now on, and empty
    /// buffers.
    package func trimMemory(_ stream: StreamPointer) {
        stream.pointee.flags.insert(.keepingLittle)
        stream.pointee.known = nil
        stream.pointee.headers.free()
        recount(stream)
    }

    /// Gives the peer new window for the bytes that were received on `stream`, without the last
    /// `keeping` bytes.
    package func consumeWindow(_ stream: StreamPointer, keeping: Int = 0) {
        let count = stream.pointee.unconsumed - keeping
        guard count > 0 else { return }
        stream.pointee.unconsumed = keeping
        guard !stream.pointee.isClosed, !stream.pointee.isRemoteEnded, !isUnframed else { return }
        record(nghttp2_session_consume_stream(raw, stream.pointee.id, count))
        guard !stream.pointee.flags.contains(.wide) else { return }
        stream.pointee.consumedBytes += count
        if stream.pointee.consumedBytes >= streamWindow { widen(stream) }
    }

    /// Gives a stream a wide window, because its reader takes what comes.
    private func widen(_ stream: StreamPointer) {
        guard wideWindow > streamWindow, wideStreams < SessionLimits.wideStreams else { return }
        stream.pointee.flags.insert(.wide)
        wideStreams += 1
        let (id, window) = (stream.pointee.id, Int32(clamping: wideWindow))
        record(nghttp2_session_set_local_window_size(raw, 0, id, window))
    }

    /// Ends the interest in a stream: it reports no more events, and its input is dropped.
    ///
    /// Output that waits is still sent. The pointer must not be used again.
    package func release(_ stream: StreamPointer) {
        precondition(stream.pointee.flags.contains(.held))
        stream.pointee.flags.remove(.held)
        stream.pointee.flags.insert(.discarding)
        stream.pointee.writableMark = -1
        consumeWindow(stream)
        stream.pointee.input.reset(keeping: SessionLimits.pooledBufferBytes)
        recount(stream)
        if stream.pointee.isClosed, !stream.pointee.flags.contains(.queued) { forget(stream) }
    }

    /// Marks every stream closed because the connection is gone.
    ///
    /// The session then accepts and gives no bytes; ``nextReady()`` returns the streams.
    package func connectionLost() {
        failure = failure ?? .failed(NGHTTP2_ERR_EOF.rawValue)
        dueTrailers = nil
        dropLoans()
        var next = liveFirst
        while let stream = next {
            next = stream.pointee.next
            if !stream.pointee.isClosed { close(stream, .internalError) }
        }
    }

    // MARK: - Out

    /// The next bytes for the peer, usually one frame; valid until the next call of a session of
    /// the same pool.
    package func nextOutput() throws(SessionError) -> UnsafeRawBufferPointer? {
        guard failure == nil else { return nil }
        if let dueTrailers { return make(dueTrailers) }
        var start: UnsafePointer<UInt8>?
        let count = nghttp2_session_mem_send(raw, &start)
        guard count > 0, let start else {
            if count < 0 { throw .failed(Int32(clamping: count)) }
            recountFrames()
            return nil
        }
        if isFirstOutput { patchFirstSettings(start, count) }
        let frame = UnsafeRawBufferPointer(start: start, count: count)
        return role == .server ? complete(frame) : frame
    }

    /// Whether ``nextOutput()`` may have something.
    package var wantsToSend: Bool {
        failure == nil && !isUnframed
            && (dueTrailers != nil || nghttp2_session_want_write(raw) != 0)
    }

    /// Whether anything can still come of this connection.
    package var isFinished: Bool {
        guard !isUnframed else { return isRefusing && openStreams == 0 }
        return dueTrailers == nil && nghttp2_session_want_read(raw) == 0
            && nghttp2_session_want_write(raw) == 0
    }

    // MARK: - For the callbacks

    func mark(_ stream: StreamPointer, _ event: StreamEvents) {
        guard stream.pointee.flags.contains(.held) else { return }
        stream.pointee.events.formUnion(event)
        guard !stream.pointee.flags.contains(.queued) else { return }
        stream.pointee.flags.insert(.queued)
        if let last = readyLast { last.pointee.nextReady = stream } else { readyFirst = stream }
        readyLast = stream
    }

    /// The stream with this number, unless it is closed.
    ///
    /// It is the current one from now on.
    func find(_ id: Int32) -> StreamPointer? {
        if let current, current.pointee.id == id { return current }
        guard let data = nghttp2_session_get_stream_user_data(raw, id) else { return nil }
        // Only streams of the pool are ever set as user data. A stream goes back to the pool after
        // nghttp2 has forgotten it.
        current = data.assumingMemoryBound(to: Stream.self)
        return current
    }

    /// Takes a stream from the pool for `id`, or for a number not yet known.
    func adopt(_ id: Int32) -> StreamPointer {
        let stream = pool.acquire()
        stream.pointee.id = id
        stream.pointee.flags = .held
        stream.pointee.next = liveFirst
        liveFirst?.pointee.previous = stream
        liveFirst = stream
        openStreams += 1
        if id > 0 { current = stream }
        return stream
    }

    func close(_ stream: StreamPointer, _ code: ErrorCode) {
        guard !stream.pointee.isClosed else { return }
        forgetLoan(of: stream)
        stream.pointee.flags.insert(.closed)
        stream.pointee.closeCode = code
        if stream.pointee.flags.contains(.wide) { wideStreams -= 1 }
        openStreams -= 1
        if current == stream { current = nil }
        mark(stream, .closed)
        let flags = stream.pointee.flags
        if !flags.contains(.held), !flags.contains(.queued) { forget(stream) }
    }

    private func forget(_ stream: StreamPointer) {
        count(held: -stream.pointee.heldBytes)
        let (previous, next) = (stream.pointee.previous, stream.pointee.next)
        if let previous { previous.pointee.next = next } else { liveFirst = next }
        next?.pointee.previous = previous
        pool.release(stream)
    }

    /// Adds to the memory that is held for the peer; negative if memory was freed.
    package func count(held bytes: Int) {
        held += bytes
        pool.held += bytes
    }

    /// Counts the present memory of the stream.
    ///
    /// Call it when its buffers may have grown or shrunk. The memory of the buffers counts, and not
    /// the bytes in them, so most calls find no difference.
    func recount(_ stream: StreamPointer) {
        let bytes = stream.pointee.memoryBytes
        guard bytes != stream.pointee.heldBytes else { return }
        count(held: bytes - stream.pointee.heldBytes)
        stream.pointee.heldBytes = bytes
    }

    /// Counts the frames that wait to be sent, and returns how many there are.
    @discardableResult
    private func recountFrames() -> Int {
        let frames = nghttp2_session_get_outbound_queue_size(raw)
        let bytes = frames * SessionLimits.queuedFrameBytes
        count(held: bytes - frameBytes)
        frameBytes = bytes
        return frames
    }

    func append(_ event: ConnectionEvent) {
        events.append(event)
    }

    func countReset() {
        resets += 1
    }

    func countSent() {
        sentSomething = true
    }

    var hasRoomForStream: Bool { openStreams + abandonedStreams < streamLimit && !isRefusing }

    func beginBlock() {
        blockBytes = 0
        // The block before may have been refused half-way, and trailers are never compared.
        headerCache.stop()
    }

    func beginFrames() {
        continuations = 0
    }

    func countContinuation() {
        continuations += 1
        if continuations == SessionLimits.continuations + 1 {
            terminate(.enhanceYourCalm, for: "too_many_continuations")
        }
    }

    /// Counts a decoded field, and returns the rest of the block's limit.
    func countField(_ bytes: Int) -> Int {
        blockBytes += bytes + 32
        return SessionLimits.headerListBytes - blockBytes
    }

    func countIdleFrame() {
        idleFrames += 1
        if idleFrames == SessionLimits.idleFrames + 1 {
            terminate(.enhanceYourCalm, for: "too_many_idle_frames")
        }
    }

    /// Remembers the peer's first protocol violation.
    func note(_ violation: StaticString) {
        self.violation = self.violation ?? violation
    }

    func countUsefulFrame() {
        guard idleFrames > 0 else { return }
        idleFrames = max(0, idleFrames - SessionLimits.idleFramesPerUsefulFrame)
    }

    /// Remembers a failure that cannot be thrown here.
    ///
    /// Other refusals of nghttp2 concern a stream that is just closing, and need no answer.
    func record(_ code: Int32) {
        if code <= NGHTTP2_ERR_FATAL.rawValue { failure = failure ?? .failed(code) }
    }

    private func check(_ code: Int32) throws(SessionError) {
        if code != 0 { throw .failed(code) }
    }

    private func throwFailure() throws(SessionError) {
        if let failure { throw failure }
    }

    /// Writes the true number of streams into our first `SETTINGS` frame (see `init`).
    private func patchFirstSettings(_ start: UnsafePointer<UInt8>, _ count: Int) {
        isFirstOutput = false
        guard role == .server, count >= 9, start[3] == UInt8(NGHTTP2_SETTINGS.rawValue) else {
            return
        }
        // nghttp2 made the frame in its own writable buffer; the pointer is only declared const.
        let frame = UnsafeMutablePointer(mutating: start)
        for entry in stride(from: 9, to: count - 5, by: 6)
        where frame[entry] == 0
            && frame[entry + 1] == UInt8(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue)
        {
            withUnsafeBytes(of: UInt32(streamLimit).bigEndian) { value in
                for index in 0..<4 { frame[entry + 2 + index] = value[index] }
            }
        }
    }
}
