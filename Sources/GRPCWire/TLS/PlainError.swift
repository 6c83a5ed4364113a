import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// Why a socket could not be made, or why its connection failed.
///
/// The words are those of the system or of TLS, without file names and line numbers of any source.
package struct PlainError: Error, CustomStringConvertible {
    package let description: String

    package init(_ error: any Error) {
        switch error {
        case let error as IOError:
            description = String(cString: strerror(error.errnoCode))
        case let error as NIOConnectionError:
            // Every address of the host was tried; the first error says enough.
            let tried = error.connectionErrors.first?.error
            let unresolved = error.dnsAError ?? error.dnsAAAAError
            description = (tried ?? unresolved).map { PlainError($0).description } ?? "\(error)"
        case NIOSSLError.handshakeFailed(let cause), NIOSSLError.shutdownFailed(let cause):
            description = cause.words
        case let error as BoringSSLError:
            description = error.words
        default:
            description = "\(error)"
        }
    }
}
