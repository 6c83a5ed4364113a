import HTTP2
import PeerSupport
import Testing

/// Streams that are not read: they stop themselves, and no other stream of their connection.
struct WindowTests {
    private static let head = FixedFields([
        (":status", "200"), ("content-type", "application/grpc"),
    ])
    private static let trailers = FixedFields([("grpc-status", "0")])

    /// Answers a stream with more bytes than a window takes.
    private static func flood(_ stream: StreamPointer, in pair: SessionPair) {
        pair.server.submitHeaders(stream, head)
        let body = [UInt8](repeating: 7, count: 2 * Int(SessionLimits.wideWindowBytes))
        body.withUnsafeBytes { stream.pointee.output.append($0) }
        pair.server.resume(stream)
    }

    @Test(arguments: [8, 64, 200, 1_000])
    func answersThatAreNotReadStopNoOtherAnswer(streams: Int) throws {
        let pair = try SessionPair()
        try pair.exchange()
        var calls: [StreamPointer] = []
        for _ in 0..<streams {
            calls.append(try pair.open(body: [1]))
            try pair.exchange()
            for (stream, events) in pair.server.allReady() where events.contains(.headers) {
                Self.flood(stream, in: pair)
            }
            try pair.exchange()
        }
        let call = try pair.open(body: [2])
        try pair.exchange()
        let (stream, _) = try #require(pair.server.allReady().last)
        pair.server.submitHeaders(stream, Self.head)
        ([3, 4] as [UInt8]).withUnsafeBytes { stream.pointee.output.append($0) }
        pair.server.finish(stream, trailers: Self.trailers)
        try pair.exchange()
        #expect(Array(call.pointee.input.bytes) == [3, 4])
        #expect(call.pointee.isClosed)
        let unread = calls.map(\.pointee.input.count)
        #expect(unread.allSatisfy { $0 == Int(SessionLimits.streamWindowBytes) })
        #expect(unread.reduce(0, +) <= SessionLimits.unconsumedBytes)
    }

    @Test(arguments: [8, 64, 200, 1_000])
    func requestsThatAreNotReadStopNoOtherRequest(streams: Int) throws {
        let pair = try SessionPair()
        try pair.exchange()
        let body = [UInt8](repeating: 7, count: 2 * Int(SessionLimits.streamWindowBytes))
        for _ in 0..<streams {
            _ = try pair.open(body: body, end: false)
            try pair.exchange()
        }
        let waiting = pair.server.allReady().map(\.stream.pointee.input.count)
        #expect(waiting.count == streams)
        #expect(waiting.allSatisfy { $0 == Int(SessionLimits.streamWindowBytes) })
        _ = try pair.open(body: [1, 2, 3])
        try pair.exchange()
        let last = try #require(pair.server.allReady().last)
        #expect(Array(last.stream.pointee.input.bytes) == [1, 2, 3])
    }

    /// As many streams as may be open have read once, and then read no more: the most memory that
    /// a peer can make a session hold.
    @Test func theBytesThatAreNotReadHaveABound() throws {
        let pair = try SessionPair()
        try pair.exchange()
        var calls: [StreamPointer] = []
        for _ in 0..<Int(SessionLimits.concurrentStreams) {
            let call = try pair.open(body: [1])
            calls.append(call)
            try pair.exchange()
            for (stream, events) in pair.server.allReady() where events.contains(.headers) {
                Self.flood(stream, in: pair)
            }
            try pair.exchange()
            pair.client.drop(call.pointee.input.count, of: call)
            pair.client.consumeWindow(call)
            try pair.exchange()
        }
        let unread = calls.map(\.pointee.input.count)
        let wide = unread.count { $0 == Int(SessionLimits.wideWindowBytes) }
        #expect(wide == SessionLimits.wideStreams)
        #expect(unread.reduce(0, +) == SessionLimits.unconsumedBytes)
        // A wide stream that ends lets another one be wide.
        for call in calls where call.pointee.input.count == Int(SessionLimits.wideWindowBytes) {
            pair.client.reset(call, .cancel)
            pair.client.release(call)
        }
        try pair.exchange()
        let narrow = try #require(calls.last)
        pair.client.drop(narrow.pointee.input.count, of: narrow)
        pair.client.consumeWindow(narrow)
        try pair.exchange()
        #expect(narrow.pointee.input.count == Int(SessionLimits.wideWindowBytes))
    }
}
