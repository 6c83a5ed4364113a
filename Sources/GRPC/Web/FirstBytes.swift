/// The protocol that the first bytes of a connection belong to.
enum FirstBytes {
    /// More bytes are needed.
    case undecided
    case http2
    case http1
    /// Neither: no answer would be understood.
    case foreign

    /// HTTP/2 begins with the line `PRI * HTTP/2.0`; no method of HTTP/1.1 is called `PRI`.
    private static let preface: [UInt8] = Array("PRI ".utf8)

    /// Requests of HTTP/1.1 begin with a method and a blank.
    ///
    /// All registered methods have only
    /// capital letters and hyphens.
    init(_ bytes: some Collection<UInt8>) {
        let front = bytes.prefix(Self.preface.count)
        guard !Self.preface.starts(with: front) else {
            self = front.count == Self.preface.count ? .http2 : .undecided
            return
        }
        let word = bytes.prefix(CallLimits.methodBytes).prefix(while: Self.isMethodByte)
        if word.isEmpty {
            self = .foreign
        } else if let next = bytes.dropFirst(word.count).first {
            self = next == UInt8(ascii: " ") ? .http1 : .foreign
        } else {
            self = .undecided
        }
    }

    private static func isMethodByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "-")
    }
}
