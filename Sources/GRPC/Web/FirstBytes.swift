/// The protocol that the first bytes of a connection belong to.
enum FirstBytes {
    /// More bytes are needed.
    case undecided
    case http2
    /// A method of HTTP/1.1, by its first letter.
    case http1
    /// Neither: no answer would be understood.
    case foreign

    /// HTTP/2 begins with the line `PRI * HTTP/2.0`; no method of HTTP/1.1 begins with `PRI `.
    private static let preface: [UInt8] = Array("PRI ".utf8)

    init(_ bytes: some Collection<UInt8>) {
        let front = bytes.prefix(Self.preface.count)
        if Self.preface.starts(with: front) {
            self = front.count == Self.preface.count ? .http2 : .undecided
        } else {
            let isLetter = front.first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            self = isLetter == true ? .http1 : .foreign
        }
    }
}
