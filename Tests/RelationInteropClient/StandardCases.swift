import GRPCClient
import InteropContract
import Protobuf
import RPC

/// The cases that every client of gRPC has.
enum StandardCases {
    static let all: [Case] = [
        ("empty_unary", emptyUnary), ("large_unary", largeUnary),
        ("client_streaming", clientStreaming), ("server_streaming", serverStreaming),
        ("ping_pong", pingPong), ("empty_stream", emptyStream),
        ("timeout_on_sleeping_server", timeout), ("cancel_after_begin", cancelAfterBegin),
        ("cancel_after_first_response", cancelAfterFirstResponse),
        ("status_code_and_message", statusCodeAndMessage),
        ("special_status_message", specialStatusMessage),
        ("custom_metadata", customMetadata), ("unimplemented_method", unimplementedMethod),
        ("unimplemented_service", unimplementedService), ("half_duplex", halfDuplex),
        ("slow_consumer", slowConsumer), ("rpc_soak", rpcSoak), ("channel_soak", channelSoak),
        ("pick_first_unary", pickFirstUnary),
        ("client_compressed_unary", PackingCases.clientUnary),
        ("client_compressed_streaming", PackingCases.clientStreaming),
        ("server_compressed_unary", PackingCases.serverUnary),
        ("server_compressed_streaming", PackingCases.serverStreaming),
    ]

    static let sizesUp: [Int] = [27_182, 8, 1_828, 45_904]
    static let sizesDown: [Int32] = [31_415, 9, 2_653, 58_979]

    static func largeRequest() -> SimpleRequest {
        var request = SimpleRequest()
        request.responseSize = 314_159
        request.payload = Payload(zeros: 271_828)
        return request
    }

    static func expectLarge(_ response: SimpleResponse) throws {
        let body = response.payload?.body ?? []
        try expect(body == [UInt8](repeating: 0, count: 314_159), "\(body.count) bytes came")
    }

    @Sendable static func emptyUnary(_ peer: Peer) async throws {
        let empty = EmptyMessage()
        let answer = try await peer.unary(Paths.emptyCall, empty, EmptyMessage.self)
        try expect(answer == empty, "an answer that is not empty")
    }

    @Sendable static func largeUnary(_ peer: Peer) async throws {
        try expectLarge(
            try await peer.unary(Paths.unaryCall, largeRequest(), SimpleResponse.self))
    }

    @Sendable static func clientStreaming(_ peer: Peer) async throws {
        let call = peer.start(Paths.streamingInputCall)
        for size in sizesUp {
            var request = StreamingInputCallRequest()
            request.payload = Payload(zeros: size)
            try await call.send(message: request)
        }
        call.finishSending()
        let total = try await call.next(StreamingInputCallResponse.self)?.aggregatedPayloadSize
        try expect(total == 74_922, "a sum of \(total ?? -1)")
        try expect(try await call.next() == nil, "a second answer")
    }

    @Sendable static func serverStreaming(_ peer: Peer) async throws {
        var request = StreamingOutputCallRequest()
        request.responseParameters = sizesDown.map { ResponseParameters(size: $0) }
        let call = peer.start(Paths.streamingOutputCall)
        try await call.send(message: request)
        call.finishSending()
        try await expectSizes(sizesDown, call)
    }

    private static func expectSizes(_ sizes: [Int32], _ call: ClientStream) async throws {
        for size in sizes {
            let answer = try await call.next(StreamingOutputCallResponse.self)
            let count = answer?.payload?.body.count
            try expect(count == Int(size), "\(count ?? -1) bytes came and not \(size)")
        }
        try expect(try await call.next() == nil, "more answers than asked for")
    }

    private static func exchange(_ up: Int, _ down: Int32, _ call: ClientStream) async throws {
        var request = StreamingOutputCallRequest()
        request.responseParameters = [ResponseParameters(size: down)]
        request.payload = Payload(zeros: up)
        try await call.send(message: request)
        let answer = try await call.next(StreamingOutputCallResponse.self)
        try expect(answer?.payload?.body.count == Int(down), "an answer of a wrong size")
    }

    @Sendable static func pingPong(_ peer: Peer) async throws {
        let call = peer.start(Paths.fullDuplexCall)
        for (up, down) in zip(sizesUp, sizesDown) { try await exchange(up, down, call) }
        call.finishSending()
        try expect(try await call.next() == nil, "an answer beyond the last")
    }

    @Sendable static func emptyStream(_ peer: Peer) async throws {
        let call = peer.start(Paths.fullDuplexCall)
        call.finishSending()
        try expect(try await call.next() == nil, "an answer to nothing")
    }

    @Sendable static func timeout(_ peer: Peer) async throws {
        let call = peer.start(Paths.fullDuplexCall, deadline: .after(.milliseconds(1)))
        var request = StreamingOutputCallRequest()
        request.payload = Payload(zeros: 27_182)
        // The call may have ended before its first message.
        try? await call.send(message: request)
        let code = await call.failure()?.code
        try expect(code == .deadlineExceeded, "the call ended with \(code.map { "\($0)" } ?? "OK")")
    }

    @Sendable static func cancelAfterBegin(_ peer: Peer) async throws {
        let call = peer.start(Paths.streamingInputCall)
        call.cancel()
        let code = await call.failure()?.code
        try expect(code == .cancelled, "the call ended with \(code.map { "\($0)" } ?? "OK")")
    }

    @Sendable static func cancelAfterFirstResponse(_ peer: Peer) async throws {
        let call = peer.start(Paths.fullDuplexCall)
        try await exchange(27_182, 31_415, call)
        call.cancel()
        let code = await call.failure()?.code
        try expect(code == .cancelled, "the call ended with \(code.map { "\($0)" } ?? "OK")")
    }

    private static func expectStatus(
        _ peer: Peer, _ message: String, alsoDuplex: Bool
    ) async throws {
        let status = EchoStatus(code: 2, message: message)
        var request = SimpleRequest()
        request.responseStatus = status
        let failure = try await peer.failure(Paths.unaryCall, request)
        try expect(
            failure?.code == .unknown && failure?.message == message,
            "the unary call ended with \(failure.map { "\($0)" } ?? "OK")")
        guard alsoDuplex else { return }
        let call = peer.start(Paths.fullDuplexCall)
        var duplex = StreamingOutputCallRequest()
        duplex.responseStatus = status
        try await call.send(message: duplex)
        call.finishSending()
        let other = await call.failure()
        try expect(
            other?.code == .unknown && other?.message == message,
            "the duplex call ended with \(other.map { "\($0)" } ?? "OK")")
    }

    @Sendable static func statusCodeAndMessage(_ peer: Peer) async throws {
        try await expectStatus(peer, "test status message", alsoDuplex: true)
    }

    @Sendable static func specialStatusMessage(_ peer: Peer) async throws {
        let message =
            "\t\ntest with whitespace\r\nand Unicode BMP \u{263A} and non-BMP \u{1F608}\t\n"
        try await expectStatus(peer, message, alsoDuplex: false)
    }

    @Sendable static func customMetadata(_ peer: Peer) async throws {
        let metadata: Metadata = [
            ("\(EchoedMetadata.initial)", .text("test_initial_metadata_value")),
            ("\(EchoedMetadata.trailing)", .binary([0xAB, 0xAB, 0xAB])),
        ]
        var duplex = StreamingOutputCallRequest()
        duplex.responseParameters = [ResponseParameters(size: 314_159)]
        duplex.payload = Payload(zeros: 271_828)
        let calls = [
            (Paths.unaryCall, try encode(largeRequest())),
            (Paths.fullDuplexCall, try encode(duplex)),
        ]
        for (path, request) in calls {
            let call = peer.start(path, metadata: metadata)
            try await call.send(request)
            call.finishSending()
            let first = try await call.initialMetadata().text("\(EchoedMetadata.initial)")
            try expect(first == "test_initial_metadata_value", "\(path): \(first ?? "none")")
            try expect(await call.failure() == nil, "\(path) failed")
            let last = await call.trailers().binary("\(EchoedMetadata.trailing)")
            try expect(last == [0xAB, 0xAB, 0xAB], "\(path): \(last ?? [])")
        }
    }

    @Sendable static func unimplementedMethod(_ peer: Peer) async throws {
        let code = try await peer.failure(Paths.unimplementedCall, EmptyMessage())?.code
        try expect(code == .unimplemented, "the call ended with \(code.map { "\($0)" } ?? "OK")")
    }

    @Sendable static func unimplementedService(_ peer: Peer) async throws {
        let code = try await peer.failure(Paths.unimplementedService, EmptyMessage())?.code
        try expect(code == .unimplemented, "the call ended with \(code.map { "\($0)" } ?? "OK")")
    }

    @Sendable static func halfDuplex(_ peer: Peer) async throws {
        let call = peer.start(Paths.halfDuplexCall)
        for size in sizesDown {
            var request = StreamingOutputCallRequest()
            request.responseParameters = [ResponseParameters(size: size)]
            try await call.send(message: request)
        }
        call.finishSending()
        try await expectSizes(sizesDown, call)
    }

    /// Reads only after all requests are sent, so that the server must wait.
    @Sendable static func slowConsumer(_ peer: Peer) async throws {
        var request = StreamingOutputCallRequest()
        request.responseParameters = (0..<2_000).map { _ in ResponseParameters(size: 1_030) }
        let call = peer.start(Paths.streamingOutputCall)
        try await call.send(message: request)
        call.finishSending()
        // Meanwhile other calls of the connection are answered.
        for _ in 0..<20 { try await emptyUnary(peer) }
        try await expectSizes(request.responseParameters.map(\.size), call)
    }

    @Sendable static func rpcSoak(_ peer: Peer) async throws {
        for _ in 0..<20 { try await largeUnary(peer) }
    }

    @Sendable static func channelSoak(_ peer: Peer) async throws {
        for _ in 0..<10 {
            let channel = peer.newChannel()
            let answer = try await peer.unary(
                Paths.unaryCall, largeRequest(), SimpleResponse.self, on: channel)
            await channel.close()
            try expectLarge(answer)
        }
    }

    /// All calls of one channel go to one server, which names itself if it can.
    @Sendable static func pickFirstUnary(_ peer: Peer) async throws {
        var request = SimpleRequest()
        request.fillServerID = true
        var names: Set<String> = []
        for _ in 0..<100 {
            let answer = try await peer.unary(Paths.unaryCall, request, SimpleResponse.self)
            names.insert(answer.serverID)
        }
        try expect(names.count == 1, "\(names.count) servers answered")
    }
}
