package import NIOCore
import NIOPosix

/// Finds the addresses of hosts by their names.
package protocol AddressResolver: Sendable {
    /// The addresses of a host, in the order in which the resolver prefers them.
    ///
    /// - Returns: A future of `eventLoop`. It fails if the host has no address.
    func addresses(
        of host: String, port: Int, on eventLoop: any EventLoop
    ) -> EventLoopFuture<[SocketAddress]>
}

/// Why a name has no address, in words.
struct ResolverError: Error, CustomStringConvertible {
    let description: String
}
