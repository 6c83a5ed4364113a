import HTTP2
import PeerSupport
import Testing

@testable import relationbench

/// The client's side of the load, beside a server's session.
@Suite struct ClientSessionTests {
    private let client: ClientSession
    private let server: Session
    private let head = FloodHeaders(
        path: "/a.B/C", authority: "127.0.0.1:1", metadata: [("x-app-id", "1")])

    init() throws {
        client = try ClientSession(head)
        server = try Session(role: .server, pool: StreamPool())
        try exchange()
    }

    /// Carries bytes both ways until neither side has any.
    private func exchange() throws {
        while true {
            let up = client.output
            client.output = []
            try server.receive(up)
            let down = try server.output()
            try down.withUnsafeBytes { try client.receive($0) }
            if up.isEmpty, down.isEmpty { return }
        }
    }

    /// Answers a call, with the status in its headers or after the message.
    private func answer(_ stream: StreamPointer, _ message: [UInt8]?, status: String) throws {
        var block = HeaderBlock([(":status", "200"), ("content-type", "application/grpc")])
        defer { block.free() }
        if let message {
            server.submitHeaders(stream, nil, block)
            [UInt8](enveloping: message).withUnsafeBytes { stream.pointee.output.append($0) }
            stream.pointee.outputTrailers.append("grpc-status", status)
            server.finishWithTrailers(stream)
        } else {
            block.append("grpc-status", status)
            server.submitHeaders(stream, nil, block, end: true)
        }
        try exchange()
    }

    @Test func laterRequestsAreAByteAField() throws {
        #expect(client.isGreeted)
        #expect(head.later == [0x86, 0xC3, 0xC2, 0xC1, 0xC0, 0xBF, 0xBE])
        for _ in 0..<2 { _ = try client.open([1, 2, 3]) }
        try exchange()
        let requests = server.allReady()
        #expect(requests.count == 2)
        for (stream, events) in requests {
            #expect(events.contains(.end))
            #expect(Array(stream.pointee.input.bytes) == [1, 2, 3])
            #expect(
                stream.pointee.headers.pairs == [
                    [":method", "POST"], [":scheme", "http"], [":path", "/a.B/C"],
                    [":authority", "127.0.0.1:1"], ["content-type", "application/grpc"],
                    ["te", "trailers"], ["user-agent", "relationbench"], ["x-app-id", "1"],
                ])
        }
    }

    @Test func aFieldOfOneRequestIsOfThatRequestAlone() throws {
        let long = String(repeating: "x", count: 200)
        _ = try client.open([], FloodHeaders.field("traceparent", long))
        _ = try client.open([])
        try exchange()
        let values = server.allReady().map { $0.stream.pointee.headers.text("traceparent") }
        #expect(values == [long, nil])
    }

    @Test func eachRequestGoesOutBeforeTheNextOne() throws {
        for _ in 0..<3 { _ = try client.open([7]) }
        let frames = Frame.read(client.output)
        #expect(frames.map(\.kind) == [.headers, .data, .headers, .data, .headers, .data])
        #expect(frames.map(\.stream) == [1, 1, 3, 3, 5, 5])
    }

    @Test func aRequestBeyondTheServersWindowFollowsLater() throws {
        let message = (0..<200_000).map { UInt8($0 % 251) }
        _ = try client.open(message)
        var came: [UInt8] = []
        for _ in 0..<10 {
            try exchange()
            for (stream, _) in server.allReady() {
                came += stream.pointee.input.bytes
                server.drop(stream.pointee.input.count, of: stream)
                server.consumeWindow(stream)
            }
        }
        #expect(came == message)
    }

    @Test(arguments: [([UInt8]("an answer".utf8), "0"), (nil, "9"), ([], "x")])
    func aStatusIsReadInEveryPlace(message: [UInt8]?, status: String) throws {
        _ = try client.open([])
        try exchange()
        try answer(try #require(server.allReady().first).stream, message, status: status)
        let (stream, events) = try #require(client.nextReady())
        #expect(events.contains(.closed) && stream.isRemoteEnded)
        #expect(stream.httpStatus == 200)
        #expect(stream.grpcStatus == Int(status) ?? -1)
        #expect(stream.message.map { Array($0) } == message)
        client.release(stream)
        #expect(client.nextReady() == nil)
    }

    @Test func aCallThatIsNotWantedIsReset() throws {
        let stream = try client.open([])
        try exchange()
        try client.reset(stream)
        try exchange()
        #expect(server.allReady().contains { $0.events.contains(.closed) })
        #expect(server.takeResets() == 1)
    }

    @Test func aGoAwayIsNoted() throws {
        #expect(client.goAway == nil)
        server.refuseNewStreams(.enhanceYourCalm)
        try exchange()
        #expect(client.goAway == .enhanceYourCalm)
    }

    @Test(arguments: [
        // Data of a stream that was not opened, a header block that breaks HPACK, and a frame that
        // is longer than the client allows.
        Frame.data(5, [1]).bytes, Frame(.headers, flags: 4, stream: 1, payload: [0x80]).bytes,
        [0, 0x40, 1, 0, 0, 0, 0, 0, 1],
    ])
    func aServerThatBreaksTheRulesIsSeen(bytes: [UInt8]) throws {
        _ = try client.open([])
        try exchange()
        #expect(throws: FloodError.self) {
            try bytes.withUnsafeBytes { try client.receive($0) }
        }
    }
}
