import GRPC
import Glibc
import Memory
import Protobuf
import RPC

/// One connection by the socket in a data folder: a message each way, each after its length.
struct OwnerChannel {
    /// An error: the system does not allow it, or the other side does not answer.
    struct ChannelError: Error {
        let message: String

        init(_ message: String) {
            self.message = message
        }

        /// The action that failed, with the system's reason; call it before `errno` changes.
        static func system(_ action: String) -> ChannelError {
            ChannelError("\(action): \(String(cString: strerror(errno)))")
        }
    }

    let descriptor: Int32
    /// When both messages must have come.
    private let end: UInt64

    init(_ descriptor: Int32, milliseconds: Int) {
        self.descriptor = descriptor
        end = Deadline.clock + UInt64(milliseconds) * 1_000_000
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    /// The user of the other side, as the system knows it; nil if it does not report it.
    var peer: uid_t? {
        // The system's `struct ucred`: three numbers of 32 bits.
        var words: [UInt32] = [0, 0, 0]
        var length = socklen_t(words.count * MemoryLayout<UInt32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &words, &length) == 0 else {
            return nil
        }
        return words[1]
    }

    // MARK: Messages

    func send<M: CodedMessage>(_ message: M) throws(ChannelError) {
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try Arena.temporary { (arena) throws(CodecError) in
                try Coder(M.self).bytes(message, arena)
            }
        } catch {
            throw ChannelError("the message does not encode: \(error)")
        }
        var rest = withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Array($0) }[...] + bytes
        while !rest.isEmpty {
            try wait(for: POLLOUT)
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count >= 0 || errno == EAGAIN || errno == EINTR else {
                throw .system("the other side takes nothing")
            }
            rest = rest.dropFirst(max(0, count))
        }
    }

    func receive<M: CodedMessage>(_ type: M.Type) throws(ChannelError) -> M {
        let lengthBytes = try receive(count: 4)
        let length = lengthBytes.reduce(0) { $0 << 8 | Int($1) }
        guard length <= OwnerLimits.messageBytes else {
            throw ChannelError("the other side sends a message of \(length) bytes")
        }
        let bytes = try receive(count: length)
        do throws(CodecError) {
            return try Arena.temporary { (arena) throws(CodecError) in
                try Coder(type).message(bytes, arena)
            }
        } catch {
            throw ChannelError("the other side sends what is not a message: \(error)")
        }
    }

    private func receive(count: Int) throws(ChannelError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            try wait(for: POLLIN)
            let part = bytes.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress! + filled, count - filled)
            }
            guard part != 0 else { throw ChannelError("the other side closed the connection") }
            guard part > 0 || errno == EAGAIN || errno == EINTR else {
                throw .system("the other side sends nothing")
            }
            filled += max(0, part)
        }
        return bytes
    }

    /// Waits until the connection is ready, and no longer than until its end.
    private func wait(for event: Int32) throws(ChannelError) {
        while true {
            let now = Deadline.clock
            let left = now < end ? (end - now) / 1_000_000 : 0
            var item = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            let count = poll(&item, 1, Int32(left))
            if count > 0 { return }
            guard count < 0, errno == EINTR else {
                throw count == 0
                    ? ChannelError("the other side is too slow") : .system("the connection fails")
            }
        }
    }
}
