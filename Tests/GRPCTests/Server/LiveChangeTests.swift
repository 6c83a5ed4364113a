import Logging
import Testing

@testable import GRPC

/// Settings that change while a server runs are in force on every event loop when the call that
/// changes them returns.
@Suite struct LiveChangeTests {
    private final class Observer: CallObserver {
        func begins(_ notes: CallNotes) {}
        func ended(_ notes: CallNotes) {}
    }

    @Test func aCallAfterAChangeMeetsIt() async throws {
        let server = Server(
            configuration: ServerConfiguration(loops: 2), dispatchers: [],
            logger: Logger(label: "test"))
        for number in 1...200 {
            let observer = Observer()
            server.observe(observer)
            #expect(server.loops.allSatisfy { $0.observer === observer })
            var bounds = ServerBounds()
            bounds.maxHeldBytes = number << 20
            server.apply(bounds)
            #expect(
                server.loops.allSatisfy { $0.configuration.bounds.maxHeldBytes == number << 20 })
        }
        await server.shutDownGracefully()
        // The loops have ended: there is nothing to wait for.
        server.observe(nil)
    }
}
