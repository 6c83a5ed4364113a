import Glibc
import NIOCore

extension ChannelPipeline.SynchronousOperations {
    /// `POLLRDHUP` of `<poll.h>`, which Swift does not import.
    private static let peerHasEnded: Int16 = 0x2000

    /// Whether the peer may still take an answer.
    ///
    /// It does not if it has closed its side, perhaps long before everything that it sent was read.
    var isPeerThere: Bool {
        let found = try? withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            // An end or a failure of the connection is the only event that is asked for.
            var question = pollfd(fd: socket, events: Self.peerHasEnded, revents: 0)
            return poll(&question, 1, 0) <= 0
        }
        // Only tests have a channel without a socket.
        return found ?? true
    }
}
