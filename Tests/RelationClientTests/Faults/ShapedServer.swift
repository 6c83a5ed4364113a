import Glibc
import HTTP2
import PeerSupport
import Synchronization

/// A server on a socket that ends each stream in the way that a test names, as proxies and servers
/// that die do.
///
/// It has one thread, which blocks while nothing comes.
final class ShapedServer: Sendable {
    /// The way in which a stream ends.
    enum Shape: Sendable, CustomStringConvertible {
        /// A message, and success.
        case answer([UInt8])
        /// Headers of these fields, which end the stream.
        case head([(String, String)])
        /// Headers of these fields, a page, and the end.
        case page([(String, String)], String)
        /// Headers of gRPC, messages, and then trailers of these fields.
        case trailers([[UInt8]], [(String, String)])
        /// Headers of gRPC, messages, and then a reset.
        case reset([[UInt8]], ErrorCode)
        /// Headers of gRPC, messages, and then the end of the connection.
        case lost([[UInt8]])
        /// The server sends GOAWAY, and resets the stream.
        case goAway
        /// The connection ends with text of HTTP/1.
        case http1(String)

        var description: String {
            switch self {
            case .answer: "answer"
            case .head(let fields): "head \(fields.map(\.1))"
            case .page(let fields, _): "page \(fields.map(\.1))"
            case .trailers(let messages, let fields): "\(messages.count) trailers \(fields)"
            case .reset(let messages, let code): "\(messages.count) reset \(code.rawValue)"
            case .lost(let messages): "\(messages.count) lost"
            case .goAway: "goAway"
            case .http1(let text): text
            }
        }
    }

    /// The socket that listens, until its thread has closed it.
    ///
    /// Nothing else closes it: a thread that comes back to a number that was closed meanwhile would
    /// take the connections of the next server.
    private final class Listener: Sendable {
        private let socket: Mutex<Int32?>

        init(_ socket: Int32) {
            self.socket = Mutex(socket)
        }

        /// Refuses connections from now on, so that `accept` fails.
        func refuse() {
            socket.withLock { socket in
                if let socket { _ = shutdown(socket, Int32(SHUT_RDWR)) }
            }
        }

        func close() {
            socket.withLock { socket in
                if let open = socket { _ = Glibc.close(open) }
                socket = nil
            }
        }
    }

    let port: Int
    private let listener: Listener
    private let seen = Mutex(0)

    /// How many streams have come.
    var streams: Int { seen.withLock { $0 } }

    /// - Parameter shape: The shape of each stream, by its number from 1.
    init(_ shape: @escaping @Sendable (Int) -> Shape) throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let listener = Listener(socket)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var length = size
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) == 0 && listen(socket, 16) == 0
                    && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else { throw SocketError.noSocket }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.run { [weak self] in
            defer { listener.close() }
            while true {
                let peer = accept(socket, nil, nil)
                guard peer >= 0 else { return }
                self?.serve(peer, shape)
                _ = Glibc.close(peer)
            }
        }
    }

    private enum SocketError: Error { case noSocket }

    func close() {
        listener.refuse()
    }

    // MARK: - One connection

    private func serve(_ peer: Int32, _ shape: (Int) -> Shape) {
        let pool = StreamPool()
        guard let session = try? Session(role: .server, pool: pool) else { return }
        var room = [UInt8](repeating: 0, count: 1 << 16)
        var isOpen = true
        while isOpen {
            guard let output = try? session.output(), write(output, peer) else { return }
            let count = recv(peer, &room, room.count, 0)
            guard count > 0, (try? session.receive(Array(room[..<count]))) != nil else { return }
            for (stream, events) in session.allReady() {
                if events.contains(.end) {
                    let number = seen.withLock { seen in
                        seen += 1
                        return seen
                    }
                    isOpen = end(stream, session, shape(number), peer) && isOpen
                }
                if events.contains(.closed) { session.release(stream) }
            }
        }
        _ = (try? session.output()).map { write($0, peer) }
        _ = shutdown(peer, Int32(SHUT_WR))
        // The peer reads what was sent before it sees a reset.
        while recv(peer, &room, room.count, 0) > 0 {}
    }

    /// Returns whether the connection goes on.
    private func end(
        _ stream: StreamPointer, _ session: Session, _ shape: Shape, _ peer: Int32
    ) -> Bool {
        switch shape {
        case .answer(let message):
            begin(stream, session, [message])
            stream.pointee.outputTrailers.append("grpc-status", "0")
            session.finishWithTrailers(stream)
        case .head(let fields):
            submit(fields, stream, session, end: true)
        case .page(let fields, let text):
            submit(fields, stream, session, end: false)
            Array(text.utf8).withUnsafeBytes { stream.pointee.output.append($0) }
            stream.pointee.outputTrailers.append("x-end", "yes")
            session.finishWithTrailers(stream)
        case .trailers(let messages, let fields):
            begin(stream, session, messages)
            for (name, value) in fields { stream.pointee.outputTrailers.append(name, value) }
            session.finishWithTrailers(stream)
        case .reset(let messages, let code):
            begin(stream, session, messages)
            session.resume(stream)
            if let output = try? session.output() { _ = write(output, peer) }
            session.reset(stream, code)
        case .lost(let messages):
            begin(stream, session, messages)
            session.resume(stream)
            return false
        case .goAway:
            session.refuseNewStreams()
            session.reset(stream, .cancel)
        case .http1(let text):
            _ = write(Array(text.utf8), peer)
            return false
        }
        return true
    }

    private func begin(_ stream: StreamPointer, _ session: Session, _ messages: [[UInt8]]) {
        submit(
            [(":status", "200"), ("content-type", "application/grpc")], stream, session,
            end: false)
        for message in messages {
            let length = UInt32(message.count).bigEndian
            let envelope = [0] + withUnsafeBytes(of: length) { Array($0) } + message
            envelope.withUnsafeBytes { stream.pointee.output.append($0) }
        }
    }

    private func submit(
        _ fields: [(String, String)], _ stream: StreamPointer, _ session: Session, end: Bool
    ) {
        var block = HeaderBlock(fields)
        defer { block.free() }
        session.submitHeaders(stream, nil, block, end: end)
    }

    private func write(_ bytes: [UInt8], _ peer: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

/// A thread, without Foundation.
private enum Thread {
    static func run(_ body: @escaping @Sendable () -> Void) {
        // Unmanaged: the thread takes the reference over.
        let box = Unmanaged.passRetained(Body(run: body))
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                // Unmanaged: the reference that `run` gave away.
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        pthread_detach(thread)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
