import PeerSupport
import PythonSupport
import RPC
import Testing

@testable import GRPCClient

/// Our client, with a server that answers rightly or wrongly as the test asks.
@Suite(.endsWhenHung)
struct ForeignServerTests {
    private func withChannel(_ body: (Channel) async throws -> Void) async throws {
        let server = try Python.start(LiveServer.script("scripted_server.py"))
        let line = await server.readLine()
        guard let port = Int(line) else { throw Python.Failure(description: line) }
        let channel = Channel(ClientConfiguration(host: "127.0.0.1", port: port))
        do {
            try await body(channel)
            await channel.close()
            await server.stop()
        } catch {
            await channel.close()
            await server.stop()
            throw error
        }
    }

    private func code(_ channel: Channel, _ path: String) async -> Status.Code {
        do throws(RPCError) {
            _ = try await channel.unary(path, [1])
            return .ok
        } catch {
            return error.code
        }
    }

    @Test func row41ResetsBecomeTheRightCodes() async throws {
        try await expect([
            ("/reset/0", .internalError), ("/reset/1", .internalError),
            ("/reset/2", .internalError), ("/reset/3", .internalError),
            ("/reset/4", .internalError), ("/reset/6", .internalError),
            ("/reset/9", .internalError), ("/reset/10", .internalError),
            ("/reset/7", .unavailable), ("/reset/8", .cancelled),
            ("/reset/11", .resourceExhausted), ("/reset/12", .permissionDenied),
        ])
    }

    @Test func row42AnswersThatAreNotOfGRPCBecomeTheRightCodes() async throws {
        try await expect([
            ("/http/400", .internalError), ("/http/401", .unauthenticated),
            ("/http/403", .permissionDenied), ("/http/404", .unimplemented),
            ("/http/429", .unavailable), ("/http/502", .unavailable), ("/http/503", .unavailable),
            ("/http/504", .unavailable), ("/http/500", .unknown), ("/nostatus/", .unknown),
            ("/wrongtype/", .unknown), ("/interim/", .ok), ("/status/7", .permissionDenied),
            ("/status/99", .unknown), ("/drop/", .unavailable), ("/echo/", .ok),
            ("/format/application/grpc+json", .unknown), ("/format/application/grpcx", .unknown),
            ("/format/application/grpc+proto", .ok), ("/format/application/grpc;x=y", .ok),
        ])
    }

    @Test func row43AnAnswerOfOneMessageHasOne() async throws {
        try await expect([
            ("/messages/0", .unimplemented),
            ("/messages/2", .unimplemented), ("/messages/1", .ok), ("/truncated/", .internalError),
            ("/compressed/", .internalError), ("/encoded/br", .internalError),
            ("/encoded/gzip", .internalError), ("/encoded/deflate", .internalError),
            ("/bomb/4194304", .ok), ("/bomb/4194305", .resourceExhausted),
            ("/long/", .resourceExhausted),
        ])
    }

    @Test func aStatusWithoutTrailersOrWithTwoIsNone() async throws {
        try await expect([
            ("/headstatus/0/x", .unknown), ("/headstatus/9/x", .unknown),
            ("/headstatus/0/", .unknown), ("/headstatus/9/", .unknown),
            ("/twostatuses/0/0", .unknown), ("/twostatuses/0/5", .unknown),
            ("/twoheadstatuses/5/5", .unknown), ("/otherhead/503", .unavailable),
            ("/bothstatuses/9/0", .ok), ("/bothstatuses/0/9", .failedPrecondition),
        ])
    }

    @Test func whatComesBeforeAMissingStatusIsReadAndTheCallFails() async throws {
        try await withChannel { (channel) async throws in
            let stream = channel.serverStreaming("/headstatus/0/x", [])
            // The header block, a message and the end have come in one read.
            #expect(try await stream.initialMetadata().text("x-head") == "1")
            #expect(try await stream.next() == Array("x".utf8))
            await #expect(throws: RPCError(.unknown, "")) { try await stream.next() }
        }
    }

    private func expect(_ rows: [(String, Status.Code)]) async throws {
        try await withChannel { (channel) async throws in
            for (path, expected) in rows {
                #expect(await code(channel, path) == expected, "\(path)")
            }
        }
    }

    @Test func aStatusInTheHeaderBlockIsTakenWhole() async throws {
        try await withChannel { (channel) async throws in
            do throws(RPCError) {
                _ = try await channel.unary("/status/5", [])
                Issue.record("the call succeeded")
            } catch {
                #expect(error.message == "a b%zz")
                #expect(error.details == [8, 5])
                #expect(error.trailers.binary("x-more-bin") == [1])
            }
        }
    }

    @Test func row44CallsBeyondTheServersLimitWait() async throws {
        try await withChannel { (channel) async throws in
            // The first answer shows that the server's limit of two streams has arrived.
            #expect(await code(channel, "/echo/") == .ok)
            let most = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<40 { group.addTask { try await channel.unary("/echo/", [1]) } }
                for try await answer in group { #expect(answer == Array("0".utf8)) }
                return try await channel.unary("/most/", [])
            }
            #expect(most == Array("2".utf8) || most == Array("1".utf8))
        }
    }

    @Test func row45ACallTheServerNeverLookedAtIsMadeAgain() async throws {
        try await withChannel { (channel) async throws in
            #expect(try await channel.unary("/refuse/", [1]) == Array("0".utf8))
            // The server ends the first connection and says that it did not process this call.
            #expect(try await channel.unary("/goaway/", [1]) == Array("1".utf8))
            #expect(try await channel.unary("/echo/", [1]) == Array("1".utf8))
        }
    }
}
