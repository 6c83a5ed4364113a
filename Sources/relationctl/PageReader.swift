import Glibc

/// Reads the pages that a server shows to operators, over HTTP/1.1 without TLS.
///
/// They are on the machine itself as a rule, so nothing more is needed.
struct PageReader {
    let host: String
    let port: String

    /// Reads an address such as `127.0.0.1:7451`, with or without `http://` before it.
    init?(_ address: String) {
        let scheme = "http://"
        var rest = address.hasPrefix(scheme) ? address.dropFirst(scheme.count) : address[...]
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        guard let colon = rest.lastIndex(of: ":"),
            UInt16(rest[rest.index(after: colon)...]) != nil
        else { return nil }
        var host = rest[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, !host.contains("/") else { return nil }
        self.host = String(host)
        port = String(rest[rest.index(after: colon)...])
    }

    /// The text of a page.
    ///
    /// - Throws: ``Failure``, which says what to do.
    func text(of path: String) throws -> String {
        let descriptor = try connect()
        defer { close(descriptor) }
        let request = "GET \(path) HTTP/1.1\r\nhost: \(host):\(port)\r\nconnection: close\r\n\r\n"
        guard request.utf8.count == request.withCString({ write(descriptor, $0, strlen($0)) })
        else {
            throw failure(errno)
        }
        let answer = String(decoding: try answer(descriptor), as: UTF8.self)
        guard let end = answer.firstRange(of: "\r\n\r\n"),
            let status = answer.split(separator: " ", maxSplits: 2).dropFirst().first
        else { throw Failure("\(host):\(port) does not answer in HTTP: is --pages right?") }
        let body = String(answer[end.upperBound...])
        guard status == "200" else { throw Failure("\(path) answers \(status): \(body)") }
        return body
    }

    private func answer(_ descriptor: Int32) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &part, part.count)
            guard count >= 0 else {
                if errno == EINTR { continue }
                throw failure(errno)
            }
            guard count > 0 else { return bytes }
            bytes += part[..<count]
            guard bytes.count <= Limits.pageBytes else {
                throw Failure("\(host):\(port) answers with more than \(Limits.pageBytes) bytes")
            }
        }
    }

    private func connect() throws -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, port, &hints, &list)
        guard code == 0 else {
            throw Failure("\(host) is not known: \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(list) }
        var failed: Int32 = 0
        var next = list
        while let address = next?.pointee {
            let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
            var time = timeval(tv_sec: Limits.pageSeconds, tv_usec: 0)
            let length = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, length)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, length)
            if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 {
                return descriptor
            }
            failed = errno
            close(descriptor)
            next = address.ai_next
        }
        throw failure(failed)
    }

    private func failure(_ code: Int32) -> Failure {
        let isLate = code == EAGAIN
        let why =
            isLate
            ? "no answer within \(Limits.pageSeconds) seconds"
            : String(cString: strerror(code))
        return Failure("the pages of \(host):\(port) cannot be read: \(why)")
    }
}
