import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// Why a socket could not be had, or what became of it: in the words of the system or of TLS, and
/// without places in anybody's sources.
struct PlainError: Error, CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        switch error {
        case let error as IOError:
            description = String(cString: strerror(error.errnoCode))
        case let error as NIOConnectionError:
            // Every address of the host was tried; the first says enough.
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
