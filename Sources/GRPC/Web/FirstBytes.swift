import GRPCWire

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

    // Requests of HTTP/1.1 begin with a method and a blank. All registered methods have only
    // capital letters and hyphens.
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
            let isHTTP = next == UInt8(ascii: " ")
            self = isHTTP ? Self.version(of: bytes.dropFirst(word.count + 1)) : .foreign
        } else {
            self = .undecided
        }
    }

    /// The protocol of a first line, by what follows its method and a blank.
    ///
    /// A line without a path and without a version of HTTP is a preface of HTTP/2 that is wrong, or
    /// nothing at all: its client may understand the end of a connection of HTTP/2.
    private static func version(of line: some Collection<UInt8>) -> FirstBytes {
        guard let first = line.first else { return .undecided }
        guard first != UInt8(ascii: "/"), first != UInt8(ascii: "*") else { return .http1 }
        let text = line.prefix(CallLimits.firstLineBytes)
        // The rest may be here or not: only the first line counts.
        let end = text.firstIndex(of: UInt8(ascii: "\n"))
        if text[..<(end ?? text.endIndex)].firstRange(of: " HTTP/".utf8) != nil { return .http1 }
        if end != nil { return .http2 }
        return text.count == CallLimits.firstLineBytes ? .http1 : .undecided
    }

    private static func isMethodByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "-")
    }
}
