import PeerSupport
import Testing

@testable import HTTP2

/// Frames on a stream after its end: from a peer that must know of the end, and from one that
/// cannot know of it yet.
struct ClosedStreamTests {
    private static let head = FixedFields([
        (":status", "200"), ("content-type", "application/grpc"),
    ])
    private static let response = [(":status", "200"), ("content-type", "application/grpc")]
    private static let trailers = [("a", "b")]

    private let pool = StreamPool()

    private func server() throws -> Session {
        let server = try Session(role: .server, pool: pool)
        try server.receive(Frame.preface)
        _ = try server.output()
        return server
    }

    /// A client that has begun so many streams and ended its side of each.
    private func client(streams: Int) throws -> Session {
        let client = try Session(role: .client, pool: pool)
        try client.receive(Frame(.settings).bytes)
        for _ in 0..<streams {
            var block = HeaderBlock(SessionPair.request())
            defer { block.free() }
            client.finish(try client.open(nil, block))
        }
        _ = try client.output()
        return client
    }

    /// The frames with which a session answers `frames`, which come together or byte by byte.
    private func answers(
        of session: Session, to frames: [Frame], oneByOne: Bool
    ) throws -> [Frame] {
        let bytes = frames.flatMap(\.bytes)
        for part in oneByOne ? bytes.map({ [$0] }) : [bytes] { try session.receive(part) }
        return Frame.read(try session.output())
    }

    private func text(_ word: StaticString?) -> String? { word.map { "\($0)" } }

    /// Ends the server's side of the streams that have events.
    private func answer(_ server: Session) throws {
        for (stream, _) in server.allReady() {
            server.submitHeaders(stream, Self.head, end: true)
            server.release(stream)
        }
        _ = try server.output()
        #expect(server.openStreams == 0)
    }

    private static let late: [Frame] = [
        .data(1, [1]), .data(1, []), .data(1, [], end: true), .headers(1, trailers),
        .headers(1, trailers, end: false),
    ]

    @Test(arguments: late, [false, true])
    func nothingFollowsTheEndOfAStream(late: Frame, oneByOne: Bool) throws {
        for isAnswered in [false, true] {
            let server = try server()
            try server.receive(Frame.headers(1, SessionPair.request()).bytes)
            if isAnswered { try answer(server) }
            let frames = try answers(of: server, to: [late], oneByOne: oneByOne)
            #expect(frames.map(\.kind) == [.goAway])
            #expect(frames.map(\.errorCode) == [ErrorCode.streamClosed.rawValue])
            #expect(text(server.violation) == "frame_after_end")
        }
    }

    @Test(arguments: late, [false, true])
    func nothingFollowsTheEndOfAnAnswer(late: Frame, oneByOne: Bool) throws {
        let client = try client(streams: 2)
        let end = Frame.headers(1, Self.response)
        let frames = try answers(of: client, to: [end, late], oneByOne: oneByOne)
        #expect(frames.last?.kind == .goAway)
        #expect(frames.last?.errorCode == ErrorCode.streamClosed.rawValue)
    }

    @Test(arguments: late, [false, true])
    func whatFollowsAResetIsAnErrorOfItsStreamAndReportedOnce(late: Frame, oneByOne: Bool) throws {
        let reset = [Frame.reset(1), late]
        let server = try server()
        try server.receive(Frame.headers(1, SessionPair.request(), end: false).bytes)
        let client = try client(streams: 1)
        for session in [server, client] {
            let frames = try answers(of: session, to: reset, oneByOne: oneByOne)
            #expect(frames.map(\.kind) == [.resetStream])
            #expect(frames.map(\.stream) == [1])
            #expect(frames.map(\.errorCode) == [ErrorCode.streamClosed.rawValue])
            if late.flags & Frame.endStream == 0 {
                #expect(try answers(of: session, to: [late], oneByOne: oneByOne) == [])
            }
            #expect(session.violation == nil)
        }
        // It costs the client as much as a reset of its own.
        #expect(server.takeResets() == 2)
    }

    @Test func whatCrossesAResetOfOursIsDroppedAndPaidBack() throws {
        let pair = try SessionPair()
        try pair.exchange()
        let length = Int(SessionLimits.streamWindowBytes)
        let streams = Int(SessionLimits.connectionWindowBytes) / length + 3
        for _ in 0..<streams {
            let call = try pair.open(body: [], end: false)
            try pair.exchange()
            let stream = try #require(pair.server.allReady().last).stream
            pair.server.reset(stream, .cancel)
            pair.server.release(stream)
            let reset = try pair.server.output()
            // The client has not seen the end, and sends as much as it may.
            let body = [UInt8](repeating: 1, count: length)
            body.withUnsafeBytes { call.pointee.output.append($0) }
            pair.client.resume(call)
            try pair.server.receive(try pair.client.output())
            #expect(call.pointee.output.isEmpty)
            try pair.server.receive(
                Frame.headers(UInt32(call.pointee.id), Self.trailers).bytes)
            try pair.client.receive(reset)
            try pair.exchange()
            pair.client.release(call)
        }
        #expect(pair.server.takeResets() == 0)
        #expect(pair.server.violation == nil)
        #expect(pair.server.openStreams == 0)
    }

    @Test func framesWithoutUseAreCountedWhereTheyAreDropped() throws {
        for late in [Frame.data(1, []), .headers(1, Self.trailers, end: false)] {
            let server = try server()
            try server.receive(Frame.headers(1, SessionPair.request(), end: false).bytes)
            let stream = try #require(server.allReady().first).stream
            server.reset(stream, .cancel)
            server.release(stream)
            _ = try server.output()
            for _ in 0..<SessionLimits.idleFrames { try server.receive(late.bytes) }
            #expect(try Frame.read(server.output()) == [])
            try server.receive(late.bytes)
            #expect(text(server.violation) == "too_many_idle_frames")
        }
    }

    @Test(arguments: [false, true]) func aStreamThatWasLeftOutCannotBegin(oneByOne: Bool) throws {
        for (first, second) in [(3, 1), (101, 51), (1_000_001, 1), (Int(Int32.max), 99)] {
            let server = try server()
            let frames = [first, second].map { Frame.headers(UInt32($0), SessionPair.request()) }
            let answers = try answers(of: server, to: frames, oneByOne: oneByOne)
            #expect(answers.map(\.errorCode) == [ErrorCode.protocolError.rawValue])
            #expect(text(server.violation) == "head_below_last_stream")
        }
    }

    @Test func aStreamThatLastsIsKnownHoweverManyCameAfterIt() throws {
        let server = try server()
        let long = Frame.headers(1, SessionPair.request(), end: false)
        let last = 2 * UInt32(SessionLimits.rememberedStreams) + 101
        try server.receive(long.bytes + Frame.headers(last, SessionPair.request()).bytes)
        let streams = server.allReady().map(\.stream)
        try server.receive(Frame.data(1, [7]).bytes + Frame.headers(1, Self.trailers).bytes)
        #expect(server.allReady().map(\.events) == [[.data, .end]])
        #expect(Array(streams[0].pointee.input.bytes) == [7])
        #expect(server.violation == nil)
    }

    private static let early: [Frame] = [
        .data(5, [1]), .headers(5, Self.response), .reset(5),
        Frame(.windowUpdate, stream: 5, payload: [0, 0, 0, 1]), .data(2, [1]),
        .headers(2, Self.response),
    ]

    @Test(arguments: early)
    func onAStreamThatTheClientHasNotBegunNothingComes(frame: Frame) throws {
        let client = try client(streams: 2)
        let frames = try answers(of: client, to: [frame], oneByOne: false)
        #expect(frames.map(\.errorCode) == [ErrorCode.protocolError.rawValue])
    }

    @Test func trailersWithoutTheEndAreAnErrorOfTheirStream() throws {
        let client = try client(streams: 2)
        let head = Frame.headers(1, Self.response, end: false)
        let frames = try answers(
            of: client, to: [head, .headers(1, Self.trailers, end: false)], oneByOne: false)
        #expect(frames.map(\.stream) == [1])
        #expect(frames.map(\.errorCode) == [ErrorCode.protocolError.rawValue])
    }

    @Test func ofSoManyStreamsIsRememberedHowTheyEnded() throws {
        // The newest stream pushes either the second or the first of these out of the memory.
        for newest in [SessionLimits.rememberedStreams, SessionLimits.rememberedStreams + 1] {
            let server = try server()
            for stream: UInt32 in [1, 3] {
                try server.receive(Frame.headers(stream, SessionPair.request()).bytes)
            }
            let last = Frame.headers(UInt32(2 * newest + 1), SessionPair.request())
            try server.receive(last.bytes)
            try answer(server)
            // A frame on a forgotten stream is dropped.
            try server.receive(Frame.data(1, [1]).bytes)
            #expect(server.violation == nil)
            try server.receive(Frame.data(3, [1]).bytes)
            let isRemembered = newest == SessionLimits.rememberedStreams
            #expect(text(server.violation) == (isRemembered ? "frame_after_end" : nil))
        }
    }

    @Test func sidesAreWhatWasNotedLastWhateverTheOrder() {
        var sides = PeerSides()
        defer { sides.free() }
        var expected: [UInt32: PeerSides.Side] = [:]
        var newest: UInt32 = 0
        var random = SeededNumbers(seed: 11)
        for _ in 0..<20_000 {
            let jump = Int.random(in: 0..<50, using: &random) == 0 ? 3_000 : 3
            let above = UInt32.random(in: 0...UInt32(jump), using: &random)
            let below = UInt32.random(in: 0...UInt32(jump), using: &random)
            let id = (newest + above - min(newest, below)) | 1
            let all: [PeerSides.Side] = [.begun, .ended, .reset]
            let side = all.randomElement(using: &random) ?? .begun
            sides.note(id, side)
            if id + UInt32(2 * SessionLimits.rememberedStreams) > newest { expected[id] = side }
            newest = max(newest, id)
            #expect(sides.isNew(newest + 2) && !sides.isNew(newest))
        }
        for id in stride(from: 1, through: newest, by: 2) {
            let isKept = id + UInt32(2 * SessionLimits.rememberedStreams) > newest
            #expect(sides.side(of: id) == (isKept ? expected[id] ?? .unknown : .unknown), "\(id)")
        }
    }

    @Test func sidesTakeMemoryForTheStreamsThatThereWere() {
        var sides = PeerSides()
        defer { sides.free() }
        let first = sides.memoryBytes
        #expect(first <= 32)
        for number in 0..<UInt32(SessionLimits.rememberedStreams) {
            sides.note(2 * number + 1, number % 3 == 0 ? .ended : .reset)
            let isNew = sides.noteReset(2 * number + 1)
            #expect(isNew)
        }
        let most = sides.memoryBytes
        #expect(most == SessionLimits.rememberedStreams * 3 / 8)
        for number in 0..<UInt32(SessionLimits.rememberedStreams) {
            #expect(sides.side(of: 2 * number + 1) == (number % 3 == 0 ? .ended : .reset))
            let isNew = sides.noteReset(2 * number + 1)
            #expect(!isNew)
        }
        sides.note(UInt32(SessionLimits.rememberedStreams) * 8 + 1, .begun)
        #expect(sides.memoryBytes == most && sides.side(of: 1) == .unknown)
    }

    @Test(arguments: [false, true]) func aClientMaySendGoAwayInManyWays(oneByOne: Bool) throws {
        for last in [0, 1, 3, 4, UInt32(Int32.max)] {
            let server = try server()
            let goAway = Frame(
                .goAway, payload: Frame.bigEndian(last) + [0, 0, 0, 0] + Array("bye".utf8))
            let frames = [
                Frame.headers(1, SessionPair.request(), end: false), goAway, goAway,
                .data(1, [1], end: true),
            ]
            #expect(try answers(of: server, to: frames, oneByOne: oneByOne) == [])
            #expect(server.allReady().map(\.events) == [[.headers, .data, .end]])
            let event = ConnectionEvent.goAway(
                lastStream: 0, code: .noError, debugData: Array("bye".utf8))
            #expect(server.takeEvents().suffix(2) == [event, event])
            #expect(server.violation == nil)
        }
    }

    /// The peer resets a stream that we reset too, and still sends on it.
    @Test(arguments: [false, true])
    func noStreamIsResetTwice(isSentBefore: Bool) throws {
        let server = try server()
        try server.receive(Frame.headers(1, SessionPair.request(), end: false).bytes)
        for (stream, _) in server.allReady() {
            server.reset(stream, .cancel)
            server.release(stream)
        }
        var frames = isSentBefore ? Frame.read(try server.output()) : []
        for _ in 0..<2 {
            let late = [Frame.reset(1), .data(1, [1])]
            frames += try answers(of: server, to: late, oneByOne: false)
        }
        #expect(frames.filter { $0.kind == .resetStream }.count == 1)
        // None of this holds for a later stream.
        try server.receive(Frame.headers(3, SessionPair.request(), end: false).bytes)
        for (stream, _) in server.allReady() {
            server.reset(stream, .cancel)
            server.release(stream)
        }
        frames = Frame.read(try server.output())
        #expect(frames.filter { $0.kind == .resetStream }.map(\.stream) == [3])
    }
}
