import HTTP2
import NIOCore
import NIOEmbedded
import PeerSupport
import RPC

@testable import GRPCClient

/// A client's connection on a hand-driven loop, and a server's session to answer it.
final class ClientHarness {
    let eventLoop = EmbeddedEventLoop()
    let core: ClientCore
    let subchannel: Subchannel
    let connection: ClientConnection
    let channel: EmbeddedChannel
    let server: Session
    private let streams = StreamPool()

    /// Whether the server takes and answers bytes at all.
    var isAnswering: Bool

    /// All bytes that the client has sent.
    private(set) var sent: [UInt8] = []

    /// - Parameter isAnswering: Whether the server sends anything at first.
    init(
        isAnswering: Bool = true, configure: (inout ClientConfiguration) -> Void = { _ in }
    ) throws {
        self.isAnswering = isAnswering
        var configuration = ClientConfiguration(host: "192.0.2.1", port: 1)
        configure(&configuration)
        core = ClientCore(eventLoop: eventLoop, configuration: configuration)
        subchannel = core.subchannels[0]
        connection = try ClientConnection(subchannel)
        channel = EmbeddedChannel(handler: connection, loop: eventLoop)
        server = try Session(role: .server, pool: streams)
        subchannel.connected(channel)
        try exchange()
    }

    deinit {
        core.close()
        _ = try? channel.finish()
        eventLoop.run()
    }

    /// Begins a call that has sent its whole request.
    func call(_ path: String = "/test.Echo/Unary", request: [UInt8] = [1]) -> ClientCall {
        let call = ClientCall(core: core, path: path, metadata: [], deadline: nil)
        call.send(request) { _ in }
        call.finishSending()
        call.start()
        return call
    }

    /// Carries bytes both ways until neither side has any to send.
    func exchange() throws {
        while true {
            eventLoop.run()
            var up: [UInt8] = []
            while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
                up += Array(buffer.readableBytesView)
            }
            sent += up
            guard isAnswering else { return }
            try server.receive(up)
            let down = try server.output()
            if !down.isEmpty { try channel.writeInbound(ByteBuffer(bytes: down)) }
            if up.isEmpty, down.isEmpty { return }
        }
    }

    /// Lets time pass in small steps, with a server that answers or does not.
    func pass(_ seconds: Int64) throws {
        for _ in 0..<seconds {
            eventLoop.advanceTime(by: .seconds(1))
            try exchange()
        }
    }

    /// The frames that the client has sent after the preface.
    var frames: [Frame] { Frame.read(Array(sent.dropFirst(24))) }

    var pings: Int { frames.count { $0.kind == .ping && $0.flags == 0 } }
}
