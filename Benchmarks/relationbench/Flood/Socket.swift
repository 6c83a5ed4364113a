import Glibc

/// A connected TCP socket that does not block, closed when its owner is gone.
struct Socket: ~Copyable {
    let descriptor: Int32

    /// Connects to `port` of the loopback address.
    ///
    /// It waits for the connection; only later calls do not block.
    init(connectingTo port: UInt16) throws(FloodError) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw FloodError(system: "socket") }
        guard withLoopback(port, { connect(descriptor, $0, $1) }) == 0 else {
            throw FloodError(system: "connect to port \(port)")
        }
        try Self.setUp(descriptor)
    }

    /// - Parameter descriptor: A connected descriptor that has no other owner.
    init(taking descriptor: Int32) throws(FloodError) {
        self.descriptor = descriptor
        try Self.setUp(descriptor)
    }

    private static func setUp(_ descriptor: Int32) throws(FloodError) {
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size) == 0,
            fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0
        else { throw FloodError(system: "setting up a socket") }
    }

    deinit { close(descriptor) }

    /// Reads what has arrived: its size, or nil if nothing has.
    ///
    /// - Throws: ``FloodError`` if the server closed the connection.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FloodError) -> Int? {
        let count = Glibc.recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 { return count }
        if count == 0 { throw FloodError("the server closed the connection") }
        if errno == EAGAIN || errno == EINTR { return nil }
        throw FloodError(system: "recv")
    }

    /// Sleeps until there is something to read, or the clock of ``FloodRun/now()`` passes `end`.
    func awaitInput(until end: UInt64) throws(FloodError) {
        let now = FloodRun.now()
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds = end > now ? (end - now) / 1_000_000 + 1 : 0
        guard poll(&entry, 1, Int32(clamping: milliseconds)) >= 0 || errno == EINTR else {
            throw FloodError(system: "poll")
        }
    }

    /// Writes as much of `bytes` from `start` on as the socket accepts, and returns how much it
    /// was.
    func write(_ bytes: [UInt8], from start: Int) throws(FloodError) -> Int {
        let count = bytes.withUnsafeBytes { buffer in
            Glibc.send(
                descriptor, buffer.baseAddress.map { $0 + start }, buffer.count - start,
                Int32(MSG_NOSIGNAL))
        }
        if count >= 0 { return count }
        if errno == EAGAIN || errno == EINTR { return 0 }
        throw FloodError(system: "send")
    }
}

/// A port of the loopback address that accepts connections, closed when its owner is gone.
struct Listener: ~Copyable {
    let port: UInt16
    private let descriptor: Int32

    init() throws(FloodError) { (descriptor, port) = try Self.listen() }

    private static func listen() throws(FloodError) -> (Int32, UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw FloodError(system: "socket") }
        var address = LoopbackAddress(port: 0)
        var size = socklen_t(MemoryLayout<LoopbackAddress>.size)
        guard withLoopback(0, { bind(descriptor, $0, $1) }) == 0,
            Glibc.listen(descriptor, 1) == 0,
            withUnsafeMutableBytes(
                of: &address,
                { bytes in
                    // As in ``withLoopback(_:_:)``.
                    getsockname(
                        descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &size)
                }) == 0
        else {
            close(descriptor)
            throw FloodError(system: "listen")
        }
        return (descriptor, UInt16(bigEndian: address.port))
    }

    deinit { close(descriptor) }

    func accept() throws(FloodError) -> Socket {
        let socket = Glibc.accept(descriptor, nil, nil)
        guard socket >= 0 else { throw FloodError(system: "accept") }
        return try Socket(taking: socket)
    }
}

private func withLoopback(
    _ port: UInt16, _ body: (UnsafePointer<sockaddr>?, socklen_t) -> Int32
) -> Int32 {
    withUnsafeBytes(of: LoopbackAddress(port: port)) { bytes in
        // It has the layout of a `sockaddr_in`, one of those that `sockaddr` stands for.
        body(bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
    }
}

/// The loopback address and a port, laid out as a `sockaddr_in`.
///
/// The members of the C type belong to a module of SwiftNIO wherever that is imported too, and only
/// SwiftNIO may import it.
private struct LoopbackAddress {
    let family = sa_family_t(AF_INET)
    /// In the order of the network, as all that follows.
    let port: UInt16
    let address = UInt32(0x7F00_0001).bigEndian
    let rest: UInt64 = 0

    init(port: UInt16) { self.port = port.bigEndian }
}
