import HTTP2
import PeerSupport
import Testing

/// The exchange of two sessions, and their accounts of windows and streams.
struct SessionTests {
    private static let head = FixedFields([
        (":status", "200"), ("content-type", "application/grpc"),
    ])
    private static let trailers = FixedFields([("grpc-status", "0")])

    @Test(arguments: [Int.max, 1, 7, 4_096])
    func aRequestAndItsAnswerCrossInChunksOfAnySize(chunkBytes: Int) throws {
        let pair = try SessionPair(chunkBytes: chunkBytes)
        let body = Array(repeating: UInt8(7), count: 40_000)
        let call = try pair.open(body: body)
        try pair.exchange()
        let ready = pair.server.allReady()
        #expect(ready.count == 1)
        let (stream, events) = try #require(ready.first)
        #expect(events == [.headers, .data, .end])
        #expect(stream.pointee.headers.text(":path") == "/test.Echo/Unary")
        #expect(stream.pointee.headers.pairs.count == 6)
        #expect(Array(stream.pointee.input.bytes) == body)

        pair.server.submitHeaders(stream, Self.head)
        stream.pointee.output.append(stream.pointee.input.bytes)
        pair.server.finish(stream, trailers: Self.trailers)
        pair.server.release(stream)
        try pair.exchange()
        let answers = pair.client.allReady()
        #expect(answers.map(\.stream) == [call])
        #expect(answers.first?.events == [.headers, .data, .end, .closed])
        #expect(Array(call.pointee.input.bytes) == body)
        #expect(call.pointee.trailers.pairs == [["grpc-status", "0"]])
        #expect(call.pointee.closeCode == .noError)
        pair.client.release(call)
        #expect(pair.client.openStreams == 0)
        #expect(pair.server.openStreams == 0)
    }

    @Test func theFirstSettingsNameTheLimits() throws {
        let pair = try SessionPair()
        let frames = Frame.read(try pair.server.output())
        let settings = try #require(frames.first).settings
        #expect(settings[3] == SessionLimits.concurrentStreams)
        #expect(settings[4] == SessionLimits.streamWindowBytes)
        #expect(settings[6] == UInt32(SessionLimits.headerListBytes))
        #expect(settings[1] == SessionLimits.headerTableBytes)
        #expect(SessionLimits.connectionWindowBytes > SessionLimits.streamWindowBytes)
        let window = frames.first { $0.kind == .windowUpdate && $0.stream == 0 }
        #expect(
            Frame.number(try #require(window).payload) + 65_535
                == SessionLimits.connectionWindowBytes)
    }

    @Test func theWindowOpensByConsumptionAndNotByReceipt() throws {
        let pair = try SessionPair()
        let length = Int(SessionLimits.wideWindowBytes) * 3
        try pair.exchange()
        let call = try pair.open(body: [UInt8](repeating: 1, count: length))
        try pair.exchange()
        let stream = try #require(pair.server.allReady().first).stream
        #expect(stream.pointee.input.count == Int(SessionLimits.streamWindowBytes))
        #expect(call.pointee.output.count == length - Int(SessionLimits.streamWindowBytes))

        // If all of it is kept back, nothing is paid.
        pair.server.consumeWindow(stream, keeping: stream.pointee.input.count)
        try pair.exchange()
        #expect(stream.pointee.input.count == Int(SessionLimits.streamWindowBytes))

        // A reader that has consumed a whole window has a wide one from then on.
        pair.server.consumeWindow(stream)
        try pair.exchange()
        let windows = SessionLimits.streamWindowBytes + SessionLimits.wideWindowBytes
        #expect(stream.pointee.input.count == Int(windows))
        pair.server.consumeWindow(stream)
        try pair.exchange()
        let more = windows + SessionLimits.wideWindowBytes
        #expect(stream.pointee.input.count == Int(more))
    }

    @Test func aStalledStreamStallsNoOther() throws {
        let pair = try SessionPair()
        try pair.exchange()
        let length = Int(SessionLimits.streamWindowBytes) * 2
        _ = try pair.open(body: [UInt8](repeating: 1, count: length))
        try pair.exchange()
        _ = try pair.open(body: [1, 2, 3])
        try pair.exchange()
        let last = try #require(pair.server.allReady().last)
        #expect(last.events == [.headers, .data, .end])
        #expect(Array(last.stream.pointee.input.bytes) == [1, 2, 3])
    }

    @Test func dataOfAReleasedStreamIsPaidBack() throws {
        let pair = try SessionPair()
        try pair.exchange()
        // The streams send more than the connection's window in all: that works only if each stream
        // is paid back.
        let length = Int(SessionLimits.streamWindowBytes)
        let streams = Int(SessionLimits.connectionWindowBytes) / length + 3
        for number in 0..<streams {
            let call = try pair.open(body: [UInt8](repeating: 1, count: length), end: false)
            try pair.exchange()
            let stream = try #require(pair.server.allReady().last).stream
            #expect(stream.pointee.input.count == length, "stream \(number)")
            pair.client.reset(call, .cancel)
            pair.client.release(call)
            try pair.exchange()
            let ready = pair.server.allReady()
            #expect(ready.map(\.events) == [.closed])
            #expect(stream.pointee.closeCode == .cancel)
            pair.server.release(stream)
        }
        #expect(pair.server.openStreams == 0)
    }

    @Test func aServerThatEndsFirstAsksTheClientToStop() throws {
        let pair = try SessionPair()
        try pair.exchange()
        let call = try pair.open(body: [1], end: false)
        try pair.exchange()
        let stream = try #require(pair.server.allReady().first).stream
        pair.server.submitHeaders(stream, Self.head, end: true)
        pair.server.release(stream)
        let frames = Frame.read(try pair.server.output())
        #expect(frames.map(\.kind) == [.headers, .resetStream])
        #expect(frames.last?.errorCode == ErrorCode.noError.rawValue)
        #expect(pair.server.openStreams == 0)
        for frame in frames { try pair.client.receive(frame.bytes) }
        #expect(pair.client.allReady().map(\.events) == [[.headers, .end, .closed]])
        #expect(call.pointee.closeCode == .noError)
    }

    @Test func interimResponsesAreDropped() throws {
        let pair = try SessionPair()
        try pair.exchange()
        let call = try pair.open()
        _ = try pair.client.output()
        let id = UInt32(call.pointee.id)
        let early = Frame.headers(id, [(":status", "103"), ("link", "x")], end: false)
        let final = Frame.headers(id, [(":status", "200"), ("a", "b")], end: false)
        let end = Frame.headers(id, [("grpc-status", "0")])
        try pair.client.receive(early.bytes)
        #expect(pair.client.allReady().isEmpty)
        try pair.client.receive(final.bytes + end.bytes)
        #expect(pair.client.allReady().map(\.events) == [[.headers, .end, .closed]])
        #expect(call.pointee.headers.pairs == [[":status", "200"], ["a", "b"]])
        #expect(call.pointee.trailers.pairs == [["grpc-status", "0"]])
    }

    @Test func shutdownComesInTwoSteps() throws {
        let pair = try SessionPair()
        try pair.exchange()
        _ = try pair.open(body: [1], end: false)
        try pair.exchange()
        pair.server.announceShutdown()
        var frames = Frame.read(try pair.server.output())
        #expect(frames.map(\.lastStream) == [UInt32(Int32.max)])
        pair.server.refuseNewStreams()
        frames = Frame.read(try pair.server.output())
        #expect(frames.map(\.lastStream) == [1])
        #expect(frames.map(\.errorCode) == [0])
        #expect(!pair.server.isFinished)
        let stream = try #require(pair.server.allReady().first).stream
        pair.server.submitHeaders(stream, Self.head, end: true)
        pair.server.release(stream)
        _ = try pair.server.output()
        #expect(pair.server.isFinished)
    }

    @Test func aLostConnectionClosesEveryStream() throws {
        let pair = try SessionPair()
        try pair.exchange()
        for _ in 0..<3 { _ = try pair.open(end: false) }
        try pair.exchange()
        let streams = pair.server.allReady().map(\.stream)
        pair.server.connectionLost()
        let ready = pair.server.allReady()
        #expect(Set(ready.map(\.stream)) == Set(streams))
        #expect(ready.allSatisfy { $0.events == .closed })
        for stream in streams { pair.server.release(stream) }
        #expect(pair.server.openStreams == 0)
        #expect(throws: SessionError.self) { try pair.server.receive([0]) }
    }

    @Test func writableComesOnceWhenTheQueueHasShrunk() throws {
        let pair = try SessionPair()
        try pair.exchange()
        _ = try pair.open()
        try pair.exchange()
        let stream = try #require(pair.server.allReady().first).stream
        pair.server.submitHeaders(stream, Self.head)
        let bytes = [UInt8](repeating: 1, count: 60_000)
        bytes.withUnsafeBytes { stream.pointee.output.append($0) }
        pair.server.notifyWhenWritable(stream, below: 20_000)
        try pair.exchange()
        #expect(pair.server.allReady().map(\.events) == [.writable])
        bytes.withUnsafeBytes { stream.pointee.output.append($0) }
        pair.server.resume(stream)
        try pair.exchange()
        #expect(pair.server.allReady().isEmpty)
    }
}
