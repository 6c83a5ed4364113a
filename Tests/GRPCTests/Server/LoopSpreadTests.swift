import Logging
import Memory
import Protobuf
import Testing

@testable import GRPC
@testable import GRPCClient

/// How connections are spread over the loops of a server.
@Suite struct LoopSpreadTests {
    @Test(arguments: [1, 2, 3, 4])
    func connectionsGoToTheLoopsInTurn(_ loops: Int) async throws {
        let calls = LoopCalls()
        let server = Server(
            configuration: ServerConfiguration(loops: loops), dispatchers: [calls],
            logger: Logger(label: "test"))
        let address = try await server.start()
        var channels: [Channel] = []
        var order: [UInt8] = []
        for _ in 0..<(3 * loops) {
            let channel = Channel(ClientConfiguration(host: address.host, port: address.port))
            order += try await channel.unary("/test.Loops/Index", [])
            channels.append(channel)
        }
        let turn = Array(order.prefix(loops))
        #expect(turn.sorted() == (0..<UInt8(loops)).map { $0 })
        #expect(order == turn + turn + turn)
        for channel in channels { await channel.close() }
        await server.shutDownGracefully()
    }

    @Test func noTwoLoopsCountTheirMethodsInOnePlace() async throws {
        let server = Server(
            configuration: ServerConfiguration(loops: 2), dispatchers: [LoopCalls()],
            logger: Logger(label: "test"))
        let entries = try server.loops.map { loop in
            try "/test.Loops/Index".utf8.withContiguousStorageIfAvailable { path in
                try #require(loop.methods.find(UnsafeRawBufferPointer(path)))
            }
        }
        let (one, other) = (try #require(entries[0]), try #require(entries[1]))
        #expect(one !== other)
        await server.shutDownGracefully()
    }
}

/// A method that answers with the index of the loop of its connection.
private struct LoopCalls: Dispatcher {
    let methods = [
        ServedMethod.unary("/test.Loops/Index") { _, call in
            let index = UInt8(call.loopIndex)
            call.respond { output in output.append([index]) }
        }
    ]
}
