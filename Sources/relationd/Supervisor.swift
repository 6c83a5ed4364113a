import Glibc
import Logging
import Support

/// The process that started this one and waits to hear how it stands, as systemd does for
/// `Type=notify`.
///
/// `NOTIFY_SOCKET` names a socket of datagrams: a path, or a name without a path after `@`. A word
/// that cannot be sent is left out, and the log says so.
struct Supervisor: Sendable {
    /// A word to it.
    enum Word {
        /// The server takes calls: at an address, or as before.
        case ready(String?)
        /// The settings are read again; `ready` comes after it.
        case reloading
        /// The server stops, for this reason and after so many seconds.
        case stopping(String, after: Int)
    }

    private let address: sockaddr_un
    private let length: socklen_t
    private let logger: Logger

    /// Nil if no supervisor waits, or if its socket has a name that no socket has.
    init?(_ logger: Logger) {
        guard let text = getenv("NOTIFY_SOCKET") else { return nil }
        let name = Array(String(cString: text).utf8)
        guard let made = Self.address(of: name) else {
            logger.warning("NOTIFY_SOCKET is not a name of a socket: the supervisor hears nothing")
            return nil
        }
        (address, length) = made
        self.logger = logger
    }

    /// The address that a name means; nil if there is none.
    private static func address(of name: [UInt8]) -> (sockaddr_un, socklen_t)? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard name.count > 1, name.count < room, name[0] == 0x2F || name[0] == 0x40 else {
            return nil
        }
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: name)
            // A name without a path begins with a zero.
            if name[0] == 0x40 { path[0] = 0 }
        }
        let before = MemoryLayout.size(ofValue: address) - room
        return (address, socklen_t(before + name.count))
    }

    /// Sends a word, and waits at most ``Limits/supervisorSeconds`` for that.
    func notify(_ word: Word) {
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return fail() }
        defer { close(descriptor) }
        var wait = timeval(tv_sec: Limits.supervisorSeconds, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        let text = Array(word.text.utf8)
        let sent = withUnsafePointer(to: address) { pointer in
            // A `sockaddr_un` is a `sockaddr` with a longer end, and `length` says how long.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
        if sent != text.count { fail() }
    }

    private func fail() {
        let cause = String(cString: strerror(errno))
        logger.warning("the supervisor at NOTIFY_SOCKET cannot be notified: \(cause)")
    }
}

extension Supervisor.Word {
    /// The lines of systemd's protocol.
    fileprivate var text: String {
        switch self {
        case .ready(let address):
            "READY=1" + (address.map { "\nSTATUS=serving on \($0)" } ?? "")
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Self.microseconds)"
        case .stopping(let reason, let delay):
            """
            STOPPING=1
            STATUS=\(reason.split(whereSeparator: \.isNewline).joined(separator: " "))
            EXTEND_TIMEOUT_USEC=\((delay + Limits.stopSeconds) * 1_000_000)
            """
        }
    }

    private static var microseconds: Int { Int(SystemClock.monotonic.nanoseconds / 1_000) }
}
