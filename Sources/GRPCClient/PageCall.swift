import GRPCWire
import NIOCore
import NIOPosix

/// A page of HTTP/1.1 that a client reads from a server's listener for operators.
///
/// It has a connection of its own, which ends with the page.
package struct PageCall: Sendable {
    /// The server; it has a host.
    package let target: ServerTarget
    /// How the connection is encrypted; nil for no encryption.
    package let tls: ClientTLS?
    /// The longest answer, with its header section.
    package let maxBytes: Int
    /// How long the page may let itself be waited for, in seconds.
    package let seconds: Int64

    package init(
        _ target: ServerTarget, tls: ClientTLS?, maxBytes: Int, seconds: Int64
    ) {
        self.target = target
        self.tls = tls
        self.maxBytes = maxBytes
        self.seconds = seconds
    }

    /// The bytes of the answer, with its header section.
    ///
    /// - Throws: ``AdminRequestError``, in words for people.
    package func answer(to path: String) async throws(AdminRequestError) -> [UInt8] {
        do {
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let addresses = try await addresses(on: loop)
            var last: (any Error)?
            for address in addresses {
                do {
                    return try await read(path, from: address, on: loop)
                } catch let failure as AdminRequestError {
                    throw failure
                } catch {
                    last = error
                }
            }
            throw last ?? ResolverError(description: "the name has no address")
        } catch let failure as AdminRequestError {
            throw failure
        } catch {
            throw AdminRequestError(description: PlainError(error).description)
        }
    }

    private func addresses(on loop: any EventLoop) async throws -> [SocketAddress] {
        if let address = try target.address() { return [address] }
        guard case .host(let host, let port) = target else { return [] }
        return try await SystemResolver().addresses(of: host, port: port, on: loop).get()
    }

    private func read(
        _ path: String, from address: SocketAddress, on loop: any EventLoop
    ) async throws -> [UInt8] {
        let endpoint = Endpoint(target: target, address: address)
        let request =
            "GET \(path) HTTP/1.1\r\nhost: \(target)\r\nconnection: close\r\n\r\n"
        let answered = loop.makePromise(of: [UInt8].self)
        let secured = loop.makePromise(of: Void.self)
        let connecting = ClientBootstrap(group: loop)
            .connectTimeout(.seconds(CallLimits.connectSeconds))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try tls?.secure(pipeline, endpoint, secured)
                    try pipeline.addHandler(PageAnswerReader(maxBytes, answered))
                }
            }
            .connect(to: address)
        if tls == nil { secured.succeed(()) }
        connecting.whenFailure { error in
            secured.fail(error)
            answered.fail(error)
        }
        let channel = try await connecting.get()
        let late = loop.scheduleTask(in: .seconds(seconds)) {
            let failure = AdminRequestError(
                description: "no answer within \(seconds) seconds")
            answered.fail(failure)
            secured.fail(failure)
            channel.close(promise: nil)
        }
        defer { late.cancel() }
        do {
            try await secured.futureResult.get()
        } catch {
            channel.close(promise: nil)
            answered.fail(error)
            throw (error as? AdminRequestError)
                ?? AdminRequestError(description: PlainError(error).description)
        }
        channel.writeAndFlush(channel.allocator.buffer(string: request), promise: nil)
        return try await answered.futureResult.get()
    }
}
