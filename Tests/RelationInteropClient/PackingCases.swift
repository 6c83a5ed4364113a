import GRPCClient
import InteropContract
import RPC

/// The cases of compression, where each message says whether it is compressed.
enum PackingCases {
    /// Expects that the probe is refused.
    ///
    /// The probe claims to be compressed and is not, and a server that checks messages refuses it.
    private static func expectRefused(_ call: ClientStream) async throws {
        let code = await call.failure()?.code
        try expect(code == .invalidArgument, "the probe ended with \(code.map { "\($0)" } ?? "OK")")
    }

    @Sendable static func clientUnary(_ peer: Peer) async throws {
        var request = StandardCases.largeRequest()
        request.expectCompressed = BoolValue(true)
        let probe = peer.start(Paths.unaryCall, packing: true)
        try await probe.send(message: request, compressed: false)
        probe.finishSending()
        try await expectRefused(probe)
        for compressed in [true, false] {
            request.expectCompressed = BoolValue(compressed)
            let call = peer.start(Paths.unaryCall, packing: true)
            try await call.send(message: request, compressed: compressed)
            call.finishSending()
            guard let answer = try await call.next(SimpleResponse.self) else {
                throw Failure("no answer")
            }
            try StandardCases.expectLarge(answer)
        }
    }

    @Sendable static func clientStreaming(_ peer: Peer) async throws {
        let probe = peer.start(Paths.streamingInputCall, packing: true)
        var request = StreamingInputCallRequest()
        request.expectCompressed = BoolValue(true)
        request.payload = Payload(zeros: 27_182)
        try await probe.send(message: request, compressed: false)
        probe.finishSending()
        try await expectRefused(probe)
        let call = peer.start(Paths.streamingInputCall, packing: true)
        for (size, compressed) in [(27_182, true), (45_904, false)] {
            request.expectCompressed = BoolValue(compressed)
            request.payload = Payload(zeros: size)
            try await call.send(message: request, compressed: compressed)
        }
        call.finishSending()
        let total = try await call.next(StreamingInputCallResponse.self)?.aggregatedPayloadSize
        try expect(total == 73_086, "a sum of \(total ?? -1)")
    }

    @Sendable static func serverUnary(_ peer: Peer) async throws {
        for compressed in [true, false] {
            var request = StandardCases.largeRequest()
            request.responseCompressed = BoolValue(compressed)
            let call = peer.start(Paths.unaryCall, packing: true)
            try await call.send(message: request, compressed: false)
            call.finishSending()
            guard let answer = try await call.next(SimpleResponse.self) else {
                throw Failure("no answer")
            }
            try StandardCases.expectLarge(answer)
            let count = await call.compressedMessages()
            try expect(count == (compressed ? 1 : 0), "\(count) answers were compressed")
        }
    }

    @Sendable static func serverStreaming(_ peer: Peer) async throws {
        var request = StreamingOutputCallRequest()
        request.responseParameters = [
            ResponseParameters(size: 31_415, compressed: true),
            ResponseParameters(size: 92_653, compressed: false),
        ]
        let call = peer.start(Paths.streamingOutputCall, packing: true)
        try await call.send(message: request)
        call.finishSending()
        for size in [31_415, 92_653] {
            let answer = try await call.next(StreamingOutputCallResponse.self)
            try expect(answer?.payload?.body.count == size, "an answer of a wrong size")
            // The first answer is compressed, the second is not.
            let count = await call.compressedMessages()
            try expect(count == 1, "\(count) answers were compressed")
        }
    }
}
