// A hook that refuses texts with the word "spam":
// swiftc -parse-as-library Veto.swift && ./Veto 8080
import Glibc

@main enum Veto {
    static func main() {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = (UInt16(CommandLine.arguments[1]) ?? 8_080).bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        precondition(isBound && listen(listener, 64) == 0, "cannot listen")
        while case let peer = accept(listener, nil, nil), peer >= 0 {
            // The word anywhere in the question refuses all of its items.
            let isSpam = question(from: peer).contains("spam")
            let answer = isSpam ? #"{"code": 38001, "info": "no spam"}"# : "{}"
            let text =
                "HTTP/1.1 200 OK\r\nconnection: close\r\n"
                + "content-length: \(answer.utf8.count)\r\n\r\n\(answer)"
            _ = write(peer, text, text.utf8.count)
            close(peer)
        }
    }

    /// The next request, with its head.
    static func question(from peer: Int32) -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(peer, &buffer, buffer.count), count > 0 {
            text += buffer[..<count]
            let parts = String(decoding: text, as: UTF8.self).split(
                separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            let fields = parts[0].lowercased().split(separator: "content-length: ")
            let length = fields.last?.prefix { $0.isNumber }
            if parts[1].utf8.count >= Int(length ?? "0") ?? 0 { break }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
