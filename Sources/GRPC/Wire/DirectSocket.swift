import GRPCWire
import Glibc
import NIOCore

/// The socket of a connection, for writes that go past SwiftNIO.
///
/// The way of a write through SwiftNIO costs more than the write itself, for every call of a
/// client that has one call at a time. So a connection writes to its socket, and leaves to SwiftNIO
/// what the socket does not take at once.
///
/// - Important: SwiftNIO closes the socket. Its number may then belong to another one, so write
///   only while the channel is active.
struct DirectSocket {
    private let socket: NIOBSDSocket.Handle

    /// Nil if the channel has no socket, as in tests.
    init?(_ pipeline: ChannelPipeline.SynchronousOperations) {
        let found = try? pipeline.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            $0
        }
        guard let found else { return nil }
        socket = found
    }

    /// Writes what the socket takes now.
    ///
    /// - Returns: The number of bytes that it took; 0 also if it failed, which SwiftNIO will find.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
        return max(0, send(socket, bytes.baseAddress, bytes.count, flags))
    }

    /// Drops what has come and was not read, up to the bytes of a time slice.
    ///
    /// A socket that is closed while it has bytes to read makes the peer's system forget what it
    /// has not read itself.
    func drop() {
        withUnsafeTemporaryAllocation(byteCount: CallLimits.bytesPerSlice, alignment: 1) { room in
            _ = recv(socket, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
        }
    }
}
