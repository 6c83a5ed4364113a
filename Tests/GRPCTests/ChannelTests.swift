import EchoSupport
import PeerSupport
import RPC
import Testing

@testable import GRPC
@testable import GRPCClient
@testable import GRPCWire

/// Our client against our server, over sockets.
@Suite(.endsWhenHung)
struct ChannelTests {
    @discardableResult
    private func withChannel<Result>(
        loops: Int = 1, _ body: (Channel, EchoService) async throws -> Result
    ) async throws -> Result {
        try await LiveServer.run(loops: loops) { (_, address, service) async throws in
            let channel = Channel(ClientConfiguration(host: address.host, port: address.port))
            do {
                let result = try await body(channel, service)
                await channel.close()
                return result
            } catch {
                await channel.close()
                throw error
            }
        }
    }

    @Test(arguments: [0, 1, 1_000, 300_000, CallLimits.messageBytes])
    func messagesOfAllSizesComeBack(count: Int) async throws {
        try await withChannel { (channel, _) async throws in
            let message = [UInt8](repeating: 9, count: count)
            #expect(try await channel.unary("/test.Echo/Unary", message) == message)
        }
    }

    @Test func moreCallsThanStreamsWaitForTheirTurn() async throws {
        try await withChannel(loops: 2) { (channel, _) async throws in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<3_000 {
                    group.addTask {
                        let message = Array("\(number)".utf8)
                        return try await channel.unary("/test.Echo/Unary", message) == message
                    }
                }
                for try await isEqual in group { #expect(isEqual) }
            }
        }
    }

    @Test func errorsArriveWhole() async throws {
        try await withChannel { (channel, _) async throws in
            do throws(RPCError) {
                _ = try await channel.unary("/test.Echo/Fail", [5] + Array("näh %".utf8))
                Issue.record("the call succeeded")
            } catch {
                #expect(error.code == .notFound)
                #expect(error.message == "näh %")
                #expect(error.details == [8, 5])
                #expect(error.trailers.text("x-reason") == "test")
                #expect(error.trailers.binary("x-raw-bin") == [0xAB])
            }
        }
    }

    @Test func metadataTravelsBothWays() async throws {
        try await withChannel { (channel, _) async throws in
            let stream = channel.serverStreaming(
                "/test.Echo/Metadata", [],
                metadata: [("x-text", .text("words")), ("x-data-bin", .binary([1, 2]))])
            #expect(try await stream.initialMetadata().text("x-text-back") == "words")
            #expect(try await stream.next() == [1, 2])
            #expect(try await stream.next() == nil)
            #expect(await stream.trailers().binary("x-data-back-bin") == [1, 2])
        }
    }

    @Test func reservedMetadataIsRefusedHere() async throws {
        try await withChannel { (channel, _) async throws in
            await #expect(throws: RPCError(.invalidArgument, "")) {
                try await channel.unary("/test.Echo/Unary", [], metadata: [("grpc-x", .text("y"))])
            }
        }
    }

    @Test func deadlinesEndCallsAtBothEnds() async throws {
        try await withChannel { (channel, service) async throws in
            await #expect(throws: RPCError(.deadlineExceeded, "")) {
                try await channel.unary(
                    "/test.Echo/Wait", [], deadline: .after(.milliseconds(30)))
            }
            await #expect(throws: RPCError(.deadlineExceeded, "")) {
                try await channel.unary("/test.Echo/Unary", [], deadline: .after(.zero))
            }
            #expect(try await channel.unary("/test.Echo/Unary", [1]) == [1])
            #expect(service.notes.isEmpty)
        }
    }

    @Test func aCancelledTaskCancelsItsCall() async throws {
        try await withChannel { (channel, service) async throws in
            let stream = channel.bidirectional("/test.Echo/Chat")
            try await stream.send([1])
            #expect(try await stream.next() == [1])
            let task = Task { try await stream.next() }
            task.cancel()
            await #expect(throws: RPCError(.cancelled, "")) { try await task.value }
            // The next call's answer comes after the reset has arrived.
            #expect(try await channel.unary("/test.Echo/Unary", [1]) == [1])
            #expect(service.notes == ["cancelled"])
        }
    }

    @Test func bothSidesOfAStreamTakeTurns() async throws {
        try await withChannel { (channel, _) async throws in
            let stream = channel.bidirectional("/test.Echo/Chat")
            for number in 0..<100 {
                let message = [UInt8](repeating: UInt8(number), count: number * 50)
                try await stream.send(message)
                #expect(try await stream.next() == message)
            }
            stream.finishSending()
            #expect(try await stream.next() == nil)
        }
    }

    @Test func aSlowReaderHoldsTheServerBack() async throws {
        try await withChannel { (channel, service) async throws in
            let stream = channel.serverStreaming("/test.Echo/Expand", [200, 1, 0, 0])
            #expect(try await stream.next()?.count == 65_536)
            // The answer to another call shows that the server had its turn meanwhile.
            _ = try await channel.unary("/test.Echo/Unary", [])
            var count = 1
            for try await message in stream {
                #expect(message.count == 65_536)
                count += 1
            }
            #expect(count == 200)
            #expect(service.notes.contains("writable"))
        }
    }

    @Test func aSlowServerHoldsTheWriterBack() async throws {
        try await withChannel { (channel, _) async throws in
            let stream = channel.bidirectional("/test.Echo/Collect")
            for _ in 0..<200 { try await stream.send([UInt8](repeating: 1, count: 65_536)) }
            stream.finishSending()
            #expect(try await stream.next() == Array("\(200 * 65_536)".utf8))
            #expect(try await stream.next() == nil)
        }
    }

    @Test func aMessageThatIsTooLongToBeSentEndsItsCall() async throws {
        try await LiveServer.run { (_, address, _) async throws in
            var configuration = ClientConfiguration(host: address.host, port: address.port)
            configuration.maxSentMessageBytes = 1_000
            configuration.maxReceivedMessageBytes = 70_000
            let channel = Channel(configuration)
            let fits = [UInt8](repeating: 1, count: 1_000)
            #expect(try await channel.unary("/test.Echo/Unary", fits) == fits)
            // An answer may be longer.
            let answers = channel.serverStreaming("/test.Echo/Expand", [1, 1, 0, 0])
            #expect(try await answers.next()?.count == 65_536)
            do throws(RPCError) {
                _ = try await channel.unary("/test.Echo/Unary", fits + [1])
                Issue.record("the call succeeded")
            } catch {
                #expect(
                    "\(error)" == "RESOURCE_EXHAUSTED: a message of 1001 bytes is longer than 1000")
            }
            let stream = channel.bidirectional("/test.Echo/Chat")
            try await stream.send(fits)
            #expect(try await stream.next() == fits)
            await #expect(throws: RPCError(.resourceExhausted, "")) {
                try await stream.send(fits + [1])
            }
            await #expect(throws: RPCError(.resourceExhausted, "")) { try await stream.next() }
            await channel.close()
        }
    }

    @Test func row35AMetadataNameInUpperCaseIsRefusedInWords() async throws {
        let channel = Channel(ClientConfiguration(host: "127.0.0.1", port: 1))
        do throws(RPCError) {
            _ = try await channel.unary("/test.Echo/Unary", [], metadata: [("X-Trace", .text("1"))])
            Issue.record("the call succeeded")
        } catch {
            let words =
                "the metadata name \"X-Trace\" has a capital letter: it must be in lower case"
            #expect("\(error)" == "INVALID_ARGUMENT: \(words)")
        }
        await channel.close()
    }

    @Test func sendingOnAnEndedCallFails() async throws {
        try await withChannel { (channel, _) async throws in
            let stream = channel.bidirectional("/test.Echo/Collect")
            try await stream.send(Array("e".utf8))
            await #expect(throws: RPCError(.aborted, "")) { try await stream.next() }
            await #expect(throws: RPCError(.aborted, "")) { try await stream.send([1]) }
        }
    }

    @Test func noServerListens() async throws {
        let port = try await LiveServer.run { (_, address, _) async throws in address.port }
        let channel = Channel(ClientConfiguration(host: "127.0.0.1", port: port))
        await #expect(throws: RPCError(.unavailable, "")) {
            try await channel.unary("/test.Echo/Unary", [])
        }
        await channel.close()
        await #expect(throws: RPCError.clientClosed) {
            try await channel.unary("/test.Echo/Unary", [])
        }
    }

    @Test func aStoppingServerFinishesWhatRuns() async throws {
        try await LiveServer.run { (server, address, service) async throws in
            let channel = Channel(ClientConfiguration(host: address.host, port: address.port))
            let stream = channel.bidirectional("/test.Echo/Chat")
            try await stream.send([1])
            #expect(try await stream.next() == [1])
            async let stopped: Void = server.shutDownGracefully()
            try await stream.send([2])
            #expect(try await stream.next() == [2])
            stream.finishSending()
            #expect(try await stream.next() == nil)
            await stopped
            #expect(service.notes.isEmpty)
            await #expect(throws: RPCError(.unavailable, "")) {
                try await channel.unary("/test.Echo/Unary", [])
            }
            await channel.close()
        }
    }

    @Test func whatOutlivesTheGraceIsEnded() async throws {
        try await LiveServer.run(graceSeconds: 0) { (server, address, service) async throws in
            let channel = Channel(ClientConfiguration(host: address.host, port: address.port))
            let stream = channel.bidirectional("/test.Echo/Chat")
            try await stream.send([1])
            #expect(try await stream.next() == [1])
            await server.shutDownGracefully()
            await #expect(throws: RPCError(.unavailable, "")) { try await stream.next() }
            #expect(service.notes == ["cancelled"])
            await channel.close()
        }
    }

    @Test func healthIsWatched() async throws {
        try await LiveServer.run { (_, address, _) async throws in
            let channel = Channel(ClientConfiguration(host: address.host, port: address.port))
            let stream = channel.serverStreaming("/grpc.health.v1.Health/Watch", [])
            #expect(try await stream.next() == [8, 1])
            let list = try await channel.unary("/grpc.health.v1.Health/List", [])
            #expect(!list.isEmpty)
            await channel.close()
        }
    }
}
