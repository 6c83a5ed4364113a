import HTTP2
import PeerSupport
import Testing

/// Every limit of a session, reached by raw frames.
struct SessionLimitTests {
    private let pool = StreamPool()

    private func server(_ settings: Settings = Settings()) throws -> Session {
        let server = try Session(role: .server, settings: settings, pool: pool)
        try server.receive(Frame.preface)
        _ = try server.output()
        return server
    }

    /// The error code of the `GOAWAY` among the frames that the session sends.
    private func goAwayCode(_ session: Session) throws -> ErrorCode? {
        let frames = Frame.read(try session.output())
        return frames.last { $0.kind == .goAway }?.errorCode.map { ErrorCode(rawValue: $0) }
    }

    /// Feeds frames until the session ends the connection; nil if it does not.
    private func goAwayCode(
        _ session: Session, after frames: some Sequence<Frame>
    ) throws -> ErrorCode? {
        for frame in frames {
            do throws(SessionError) {
                try session.receive(frame.bytes)
            } catch {
                #expect(error == .flooded)
                break
            }
        }
        return try goAwayCode(session)
    }

    @Test func oneStreamTooManyIsRefusedAlone() throws {
        var settings = Settings()
        settings.concurrentStreams = 3
        let server = try server(settings)
        for number in 0..<4 {
            let id = UInt32(number * 2 + 1)
            try server.receive(Frame.headers(id, SessionPair.request(), end: false).bytes)
        }
        let frames = Frame.read(try server.output())
        #expect(frames.map(\.kind) == [.resetStream])
        #expect(frames.first?.stream == 7)
        #expect(frames.first?.errorCode == ErrorCode.refusedStream.rawValue)
        #expect(server.allReady().count == 3)
        // This also holds after the settings were acknowledged, when nghttp2 would end the whole
        // connection.
        let acknowledged = Frame(.settings, flags: Frame.acknowledgement)
        try server.receive(acknowledged.bytes)
        try server.receive(Frame.headers(9, SessionPair.request(), end: false).bytes)
        #expect(Frame.read(try server.output()).map(\.kind) == [.resetStream])
    }

    @Test func row48StreamsForWhichWorkGoesOnTakeThePlaceOfOpenOnes() throws {
        var settings = Settings()
        settings.concurrentStreams = 3
        let server = try server(settings)
        server.abandonedStreams = 2
        try server.receive(Frame.headers(1, SessionPair.request(), end: false).bytes)
        try server.receive(Frame.headers(3, SessionPair.request(), end: false).bytes)
        #expect(Frame.read(try server.output()).map(\.stream) == [3])
        server.abandonedStreams = 1
        try server.receive(Frame.headers(5, SessionPair.request(), end: false).bytes)
        #expect(try server.output().isEmpty)
        // Refusals count together with the resets that the peer sends itself.
        #expect(server.takeResets() == 1)
        try server.receive(Frame.reset(5).bytes)
        #expect(server.takeResets() == 1)
    }

    @Test func aPeerThatReadsNoRefusalsLosesTheConnection() throws {
        var settings = Settings()
        settings.concurrentStreams = 1
        let server = try server(settings)
        let streams = (0...(2 * SessionLimits.queuedFrames)).lazy.map { number in
            Frame.headers(UInt32(2 * number + 1), SessionPair.request(), end: false)
        }
        #expect(try goAwayCode(server, after: streams) == .enhanceYourCalm)
        #expect(server.violation?.description == "too_many_unread_frames")
    }

    @Test func aHeaderBlockBeyondTheLimitIsMarkedAndTheConnectionLives() throws {
        let server = try server()
        let filler = String(repeating: "x", count: SessionLimits.headerListBytes)
        let large = SessionPair.request() + [("filler", filler)]
        // One field of this size needs continuations of 16 KiB.
        let block = Frame.block(large)
        let first = Frame(.headers, flags: 1, stream: 1, payload: Array(block.prefix(16_000)))
        let rest = Frame(
            .continuation, flags: Frame.endHeaders, stream: 1,
            payload: Array(block.dropFirst(16_000)))
        try server.receive(first.bytes + rest.bytes)
        try server.receive(Frame.headers(3, SessionPair.request()).bytes)
        let ready = server.allReady()
        #expect(ready.map(\.stream.pointee.areHeadersTooLarge) == [true, false])
        #expect(ready.first?.stream.pointee.headers.text("filler") == nil)
        #expect(try goAwayCode(server) == nil)
    }

    @Test func aHeaderBlockOfTheLimitIsTaken() throws {
        let server = try server()
        let request = SessionPair.request()
        let used = request.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count + 32 }
        let room = SessionLimits.headerListBytes - used - "filler".utf8.count - 32
        let filler = String(repeating: "x", count: room)
        let block = Frame.block(request + [("filler", filler)])
        let frame = Frame(.headers, flags: 1, stream: 1, payload: Array(block.prefix(16_000)))
        let rest = Frame(
            .continuation, flags: Frame.endHeaders, stream: 1,
            payload: Array(block.dropFirst(16_000)))
        try server.receive(frame.bytes + rest.bytes)
        #expect(server.allReady().map(\.stream.pointee.areHeadersTooLarge) == [false])
    }

    @Test func aBombOfIndexedFieldsEndsTheConnection() throws {
        let server = try server()
        // A field of 3,000 bytes enters the table, and is then repeated by one byte each.
        let value = [UInt8](repeating: UInt8(ascii: "x"), count: 3_000)
        var block = Frame.block(SessionPair.request())
        block += [0x40, 1, UInt8(ascii: "a"), 0x7F, 0xB9, 0x16] + value
        block += [UInt8](repeating: 0x80 | 62, count: 2_000)
        let frame = Frame(.headers, flags: 5, stream: 1, payload: block)
        #expect(try goAwayCode(server, after: [frame]) == .enhanceYourCalm)
    }

    @Test(arguments: [0, 1])
    func aHeaderBlockOfSomeTimesTheLimitIsMarkedAndALargerOneEndsTheConnection(more: Int) throws {
        let server = try server()
        let most = SessionLimits.headerListBytes * SessionLimits.headerListExcessFactor
        let request = SessionPair.request()
        var left = most - request.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count + 32 }
        // A field of 3,000 bytes enters the table, and is then repeated by one byte each.
        let value = [UInt8](repeating: UInt8(ascii: "x"), count: 3_000)
        var block = Frame.block(request) + [0x40, 1, UInt8(ascii: "a"), 0x7F, 0xB9, 0x16] + value
        let size = 1 + 3_000 + 32
        let again = (left - size) / size - 1
        block += [UInt8](repeating: 0x80 | 62, count: again)
        left -= (again + 1) * size
        block += Frame.block([("b", String(repeating: "y", count: left - 33 + more))])
        let frame = Frame(.headers, flags: 5, stream: 1, payload: block)
        #expect(try goAwayCode(server, after: [frame]) == (more == 0 ? nil : .enhanceYourCalm))
        guard more == 0 else { return }
        #expect(server.allReady().map(\.stream.pointee.areHeadersTooLarge) == [true])
    }

    @Test func aFloodOfContinuationsEndsTheConnection() throws {
        let server = try server()
        let first = Frame(.headers, stream: 1, payload: Frame.block(SessionPair.request()))
        let more = Frame(.continuation, stream: 1, payload: Frame.block([("a", "b")]))
        let frames = [first] + Array(repeating: more, count: SessionLimits.continuations + 1)
        #expect(try goAwayCode(server, after: frames) == .enhanceYourCalm)
    }

    /// A request in the most frames that it may have.
    private var mostContinuations: [Frame] {
        var frames = [Frame(.headers, stream: 1, payload: Frame.block(SessionPair.request()))]
        for number in 1...SessionLimits.continuations {
            let isLast = number == SessionLimits.continuations
            frames.append(
                Frame(
                    .continuation, flags: isLast ? 4 : 0, stream: 1,
                    payload: Frame.block([("a", "b")])))
        }
        return frames
    }

    @Test func asManyContinuationsAsAllowedAreTaken() throws {
        let server = try server()
        #expect(try goAwayCode(server, after: mostContinuations) == nil)
        #expect(server.allReady().count == 1)
    }

    @Test func continuationsThatArriveByTheByteAreCountedAsFrames() throws {
        let server = try server()
        for byte in mostContinuations.flatMap(\.bytes) { try server.receive([byte]) }
        #expect(try goAwayCode(server, after: []) == nil)
        #expect(server.allReady().count == 1)
    }

    @Test(arguments: ["empty data", "priority", "settings"])
    func aFloodOfFramesWithoutEffectEndsTheConnection(kind: String) throws {
        let server = try server()
        try server.receive(Frame.headers(1, SessionPair.request(), end: false).bytes)
        let frame =
            switch kind {
            case "empty data": Frame.data(1, [])
            case "priority": Frame(.priority, stream: 1, payload: [0, 0, 0, 0, 16])
            default: Frame(.settings)
            }
        let count = SessionLimits.idleFrames
        for _ in 0..<(count - 1) {
            try server.receive(frame.bytes)
            if kind == "settings" { _ = try server.output() }
        }
        #expect(try goAwayCode(server) == nil)
        #expect(
            try goAwayCode(server, after: [frame, frame, frame]) == .enhanceYourCalm)
    }

    @Test func usefulFramesForgiveEmptyOnes() throws {
        let server = try server()
        try server.receive(Frame.headers(1, SessionPair.request(), end: false).bytes)
        for _ in 0..<SessionLimits.idleFrames {
            try server.receive(Frame.data(1, []).bytes + Frame.data(1, []).bytes)
            try server.receive(Frame.data(1, [1]).bytes)
        }
        #expect(try goAwayCode(server) == nil)
    }

    @Test func aUsefulFrameForgivesSomeEmptyOnesAndNoMore() throws {
        let server = try server()
        try server.receive(Frame.headers(1, SessionPair.request(), end: false).bytes)
        for _ in 0..<SessionLimits.idleFrames { try server.receive(Frame.data(1, []).bytes) }
        try server.receive(Frame.data(1, [1]).bytes)
        for _ in 0..<SessionLimits.idleFramesPerUsefulFrame {
            try server.receive(Frame.data(1, []).bytes)
        }
        #expect(try goAwayCode(server) == nil)
        #expect(try goAwayCode(server, after: [Frame.data(1, [])]) == .enhanceYourCalm)
    }

    @Test func unreadAnswersToPingsEndTheConnection() throws {
        let server = try server()
        let pings = Array(repeating: Frame.ping(), count: SessionLimits.unreadAcknowledgements + 2)
        #expect(try goAwayCode(server, after: pings) == .enhanceYourCalm)
    }

    @Test func tooManyEntriesOfSettingsEndTheConnection() throws {
        let server = try server()
        let entry: [UInt8] = [0, 9, 0, 0, 0, 0]
        let entries = Array(repeating: entry, count: SessionLimits.settingsEntries + 1).flatMap {
            $0
        }
        let frame = Frame(.settings, payload: entries)
        #expect(try goAwayCode(server, after: [frame]) == .enhanceYourCalm)
    }

    @Test func aFloodOfResetsEndsTheConnection() throws {
        let server = try server()
        var code: ErrorCode?
        var id: UInt32 = 1
        while code == nil, id < 2 * UInt32(SessionLimits.resetBurst) * 4 {
            try server.receive(
                Frame.headers(id, SessionPair.request(), end: false).bytes + Frame.reset(id).bytes)
            for (stream, _) in server.allReady() { server.release(stream) }
            code = try goAwayCode(server)
            id += 2
        }
        #expect(code != nil)
        #expect(UInt64(id / 2) >= SessionLimits.resetBurst)
        #expect(server.takeResets() > 0)
    }

    @Test(arguments: [
        Frame(.pushPromise, flags: 4, stream: 1, payload: [0, 0, 0, 2]),
        Frame(.windowUpdate, stream: 0, payload: [0, 0, 0, 0]),
        Frame(.data, stream: 1, payload: [1]),
        Frame(.continuation, flags: 4, stream: 1),
    ])
    func aFrameThatMayNotComeEndsTheConnection(frame: Frame) throws {
        let server = try server()
        #expect(try goAwayCode(server, after: [frame]) == .protocolError)
        #expect(server.isFinished)
    }

    @Test func aWindowBeyondItsLimitEndsTheConnection() throws {
        let server = try server()
        let frame = Frame(.windowUpdate, stream: 0, payload: [0x7F, 0xFF, 0xFF, 0xFF])
        #expect(try goAwayCode(server, after: [frame]) == .flowControlError)
    }

    @Test func aWrongIndexEndsTheConnection() throws {
        let server = try server()
        let frame = Frame(.headers, flags: 5, stream: 1, payload: [0xFF, 0xFF, 0x7F])
        #expect(try goAwayCode(server, after: [frame]) == .compressionError)
    }

    @Test func unknownFramesAndSettingsAreIgnored() throws {
        let server = try server()
        try server.receive(Frame(type: 0x42, flags: 9, stream: 5, payload: [1, 2, 3]).bytes)
        try server.receive(Frame(.settings, payload: [0x0A, 0x0A, 0, 0, 0, 1]).bytes)
        try server.receive(Frame.headers(1, SessionPair.request()).bytes)
        #expect(server.allReady().count == 1)
        #expect(try goAwayCode(server) == nil)
    }

    @Test func bytesOfAnotherProtocolAreRecognised() throws {
        let server = try Session(role: .server, pool: pool)
        #expect(throws: SessionError.badPreface) {
            try server.receive(Array("GET / HTTP/1.1\r\nhost: x\r\n\r\n".utf8))
        }
    }

    @Test(arguments: [
        [(":method", "POST"), (":scheme", "http")],
        SessionPair.request() + [(":path", "/late")],
        SessionPair.request() + [("Upper", "case")],
        SessionPair.request() + [("connection", "close")],
        SessionPair.request() + [("transfer-encoding", "chunked")],
        SessionPair.request() + [("te", "gzip")],
    ])
    func aMalformedHeaderBlockEndsItsStreamAlone(fields: [(String, String)]) throws {
        let server = try server()
        try server.receive(Frame.headers(1, fields).bytes)
        let frames = Frame.read(try server.output())
        #expect(frames.map(\.kind) == [.resetStream])
        #expect(frames.first?.errorCode == ErrorCode.protocolError.rawValue)
        // The call layer gets the end and no event before it.
        #expect(server.allReady().map(\.events) == [.closed])
        try server.receive(Frame.headers(3, SessionPair.request()).bytes)
        #expect(server.allReady().map(\.events) == [[.headers, .end]])
    }
}
