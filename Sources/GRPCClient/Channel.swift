import NIOCore
import NIOPosix
package import RPC

/// A client's way to its servers.
///
/// It connects when the first call is made, and again when a connection is lost or a server asks
/// for another one. Calls go in turn to the servers that take calls, and wait while these take no
/// more at once.
package final class Channel: Sendable {
    private let core: ClientCore

    package init(_ configuration: ClientConfiguration) {
        let group = configuration.eventLoopGroup ?? MultiThreadedEventLoopGroup.singleton
        core = ClientCore(eventLoop: group.next(), configuration: configuration)
    }

    deinit {
        let core = self.core
        core.eventLoop.execute { core.close() }
    }

    /// Ends all calls with ``Status/clientClosed``, and closes the connections.
    package func close() async {
        let core = self.core
        // The closure does not fail.
        try? await core.eventLoop.submit { core.close() }.get()
    }

    /// Makes a call of one message each way and returns the answer.
    ///
    /// - Parameter waitsForReady: Whether the call waits for a server that cannot be reached, until
    ///   its deadline; nil does as ``ClientConfiguration/waitsForServer`` says.
    package func unary(
        _ path: String, _ request: [UInt8], metadata: Metadata = [], deadline: Deadline? = nil,
        waitsForReady: Bool? = nil
    ) async throws(RPCError) -> [UInt8] {
        let stream = makeStream(path, metadata, deadline, waitsForReady)
        stream.start(request: request)
        guard let answer = try await stream.next() else {
            throw RPCError(.unimplemented, "the server sent no answer")
        }
        guard try await stream.next() == nil else {
            throw RPCError(.unimplemented, "the server sent more than one answer")
        }
        return answer
    }

    /// Begins a call with one request and any number of answers.
    package func serverStreaming(
        _ path: String, _ request: [UInt8], metadata: Metadata = [], deadline: Deadline? = nil,
        waitsForReady: Bool? = nil
    ) -> ClientStream {
        let stream = makeStream(path, metadata, deadline, waitsForReady)
        stream.start(request: request)
        return stream
    }

    /// Begins a call in which both sides send any number of messages.
    package func bidirectional(
        _ path: String, metadata: Metadata = [], deadline: Deadline? = nil,
        waitsForReady: Bool? = nil
    ) -> ClientStream {
        let stream = makeStream(path, metadata, deadline, waitsForReady)
        stream.start(request: nil)
        return stream
    }

    private func makeStream(
        _ path: String, _ metadata: Metadata, _ deadline: Deadline?, _ waitsForReady: Bool?
    ) -> ClientStream {
        ClientStream(
            ClientCall(
                core: core, path: path, metadata: metadata, deadline: deadline,
                waitsForReady: waitsForReady))
    }
}

extension ClientConfiguration {
    /// Whether sockets can be made on the event loops: those of tests, and of Apple's own
    /// networking, have none of this kind.
    package var hasSockets: Bool {
        eventLoopGroup.map { ClientBootstrap(validatingGroup: $0) != nil } ?? true
    }
}
