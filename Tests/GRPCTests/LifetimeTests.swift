import HTTP2
import NIOCore
import NIOEmbedded
import PeerSupport
import Testing

@testable import GRPC

/// Objects whose use has ended are released.
struct LifetimeTests {
    @Test(arguments: ["nothing", "a foreign client", "a call", "a cancelled call", "a shutdown"])
    func nothingOutlivesItsServer(case name: String) throws {
        weak var loop: ServerLoop?
        weak var connection: ServerConnection?
        do {
            let harness = try Harness()
            loop = harness.loop
            connection = harness.connection
            switch name {
            case "a foreign client": try harness.feed(Array("GET / HTTP/1.1\r\n\r\n".utf8))
            case "a call": _ = try harness.call("/test.Echo/Unary", [1])
            case "a cancelled call":
                let call = try harness.open("/test.Echo/Chat", end: false)
                try harness.exchange()
                harness.client.reset(call, .cancel)
                try harness.exchange()
            case "a shutdown":
                try harness.exchange()
                _ = harness.loop.shutDown()
                harness.loop.closeAll()
            default: break
            }
        }
        #expect(connection == nil, "after \(name)")
        #expect(loop == nil, "after \(name)")
    }
}
