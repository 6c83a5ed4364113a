import Compression
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import Testing

@testable import Migrations

/// The bounds of a connection to another system, and of one to a proxy.
@Suite struct ConnectionLimitsTests {
    private func post(on channel: EmbeddedChannel) throws -> EventLoopFuture<PostAnswer> {
        let answer = channel.eventLoop.makePromise(of: PostAnswer.self)
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/")
        try channel.writeOutbound(PostExchange(head: head, body: [], answer: answer))
        let found = HTTPResponseHead(version: .http1_1, status: .ok)
        try channel.writeInbound(HTTPClientResponsePart.head(found))
        return answer.futureResult
    }

    private func write(_ count: Int, to channel: EmbeddedChannel) throws {
        let bytes = ByteBuffer(repeating: 0x20, count: count)
        try channel.writeInbound(HTTPClientResponsePart.body(bytes))
    }

    @Test func `An answer of another system has so many bytes`() throws {
        let most = MigrationLimits.answerBytes
        let channel = EmbeddedChannel(handler: PostConnection())
        let longest = try post(on: channel)
        try write(most, to: channel)
        try channel.writeInbound(HTTPClientResponsePart.end(nil))
        #expect(try longest.wait().body.count == most)
        let longer = try post(on: channel)
        try write(most, to: channel)
        try write(1, to: channel)
        #expect(throws: MigrationError.self) { try longer.wait() }
        #expect(!channel.isActive)
    }

    @Test func `A packed answer has so many bytes too`() throws {
        let most = MigrationLimits.answerBytes
        let open = Array(#"{"code": 200, "x": ""#.utf8)
        for more in 0...1 {
            let count = most + more - open.count - 2
            let text = open + [UInt8](repeating: 0x61, count: count) + Array("\"}".utf8)
            let deflater = try #require(Deflater(.gzip))
            let packed = text.withUnsafeBytes { bytes in
                deflater.deflate(bytes).map { Array($0) }
            }
            let answer = PostAnswer(status: 200, body: try #require(packed), isKept: true)
            if more == 0 {
                let object = try RongCloudRequests.object(answer, isOfUser: false)
                #expect(object.number("code") == 200)
            } else {
                #expect(throws: AttemptError.self) {
                    try RongCloudRequests.object(answer, isOfUser: false)
                }
            }
        }
    }

    /// A connection that is fed by hand, with a clock that is moved by hand.
    private func connection() async throws -> NIOAsyncTestingChannel {
        let channel = try await NIOAsyncTestingChannel { channel in
            try channel.pipeline.syncOperations.addHandler(PostConnection())
        }
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        return channel
    }

    @Test func `An answer of another system is waited for so long`() async throws {
        let channel = try await connection()
        let client = try PostClient(PostOrigin("http://127.0.0.1:1")) { _, _, _ in channel }
        let answer = Task { try await client.post("/", []) }
        _ = try await channel.waitForOutboundWrite(as: HTTPClientRequestPart.self)
        let most = TimeAmount.seconds(MigrationLimits.answerSeconds)
        await channel.testingEventLoop.advanceTime(by: most - .nanoseconds(1))
        #expect(channel.isActive)
        await channel.testingEventLoop.advanceTime(by: .nanoseconds(1))
        await #expect {
            try await answer.value
        } throws: {
            "\($0)" == "no answer within \(MigrationLimits.answerSeconds) seconds"
        }
        #expect(!channel.isActive)
    }

    @Test func `A connection to another system may take so long`() async throws {
        let asked = Mutex<[Int64]>([])
        let client = try PostClient(PostOrigin("http://127.0.0.1:1")) { _, _, seconds in
            asked.withLock { $0.append(seconds) }
            throw ChannelError.connectTimeout(.seconds(seconds))
        }
        await #expect(throws: ChannelError.self) { try await client.post("/", []) }
        #expect(asked.withLock { $0 } == [MigrationLimits.connectSeconds])
    }

    @Test func `A connection of a proxy does nothing for so long`() throws {
        let origin = try PostOrigin("http://127.0.0.1:1")
        let proxy = try TIMProxy(origin, origin, asksReadsAlone: true, answerSeconds: 1) { _ in }
        let channel = EmbeddedChannel()
        try ProxyConnection.add(to: channel.pipeline.syncOperations, proxy)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        // NIO's handler counts by the machine's clock, so its event is sent by hand.
        let idle = try channel.pipeline.syncOperations.handler(type: IdleStateHandler.self)
        #expect(idle.allTimeout == .seconds(60))
        #expect(channel.isActive)
        channel.pipeline.fireUserInboundEventTriggered(IdleStateHandler.IdleStateEvent.all)
        #expect(!channel.isActive)
    }

    /// A proxy's connection to which the headers of a request have come.
    private func begun() throws -> EmbeddedChannel {
        let origin = try PostOrigin("http://127.0.0.1:1")
        let proxy = try TIMProxy(origin, origin, asksReadsAlone: true, answerSeconds: 1) { _ in }
        let channel = EmbeddedChannel()
        try ProxyConnection.add(to: channel.pipeline.syncOperations, proxy)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/")
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        return channel
    }

    @Test func `A body comes to a proxy in so much time`() throws {
        let channel = try begun()
        for _ in 1..<MigrationLimits.bodySeconds {
            try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(bytes: [0])))
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            #expect(channel.isActive)
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func `So much of a body that is too long is dropped`() throws {
        let channel = try begun()
        let piece = 1 << 20
        let most = MigrationLimits.proxiedBytes + MigrationLimits.droppedBytes
        #expect(most % piece == 0)
        let zeros = ByteBuffer(repeating: 0, count: piece)
        for _ in 0..<most / piece {
            try channel.writeInbound(HTTPServerRequestPart.body(zeros))
            #expect(channel.isActive)
        }
        try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(bytes: [0])))
        #expect(!channel.isActive)
    }
}
