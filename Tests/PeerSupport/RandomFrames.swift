/// Random frames like those of one side of a conversation, on a few streams; some are wrong.
package struct RandomFrames {
    package enum Side: Sendable {
        case client, server
    }

    private static let paths = [
        "/test.Echo/Unary", "/test.Echo/Collect", "/test.Echo/Chat", "/test.Echo/Expand",
        "/test.Echo/Wait", "/test.Echo/Metadata", "/test.Echo/Fail", "/test.Echo/No", "/", "",
    ]
    private static let extras = [
        ("grpc-timeout", "1m"), ("grpc-timeout", "x"), ("grpc-encoding", "gzip"),
        ("grpc-encoding", "br"), ("grpc-accept-encoding", "gzip,deflate"), ("x-data-bin", "AQ=="),
        ("x-data-bin", "!"), ("x-text", "words"), ("x-pack", "1"), ("x-eager", "1"),
        ("content-length", "5"),
    ]
    private static let statuses = [
        ("grpc-status", "0"), ("grpc-status", "16"), ("grpc-status", "x"),
        ("grpc-message", "a%20b%"), ("grpc-status-details-bin", "CAE"),
        ("grpc-encoding", "gzip"), ("x-data-bin", "AQ"), ("content-length", "0"),
    ]

    private let side: Side

    /// The next stream that the client opens.
    private var nextStream: UInt32 = 1

    package init(_ side: Side) {
        self.side = side
    }

    package mutating func next(_ random: inout SeededNumbers) -> Frame {
        let old = UInt32.random(in: 0...max(nextStream, 7), using: &random)
        let isLast = Bool.random(using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3: return head(old | 1, isLast, &random)
        case 4...6:
            let message = random.bytes(Int.random(in: 0..<40, using: &random))
            let flag = UInt8.random(in: 0...9, using: &random) == 0 ? UInt8(1) : 0
            let body = [flag] + Frame.bigEndian(UInt32(message.count)) + message
            return .data(old | 1, body, end: isLast)
        case 7: return .reset(old | 1, UInt32.random(in: 0...14, using: &random))
        case 8:
            let more = UInt32.random(in: 0...100_000, using: &random)
            return Frame(.windowUpdate, stream: old, payload: Frame.bigEndian(more))
        case 9:
            let value = UInt32.random(in: 0...200_000, using: &random)
            let name = UInt8.random(in: 1...8, using: &random)
            return Frame(.settings, payload: [0, name] + Frame.bigEndian(value))
        case 10: return .ping(UInt8.random(in: 0...255, using: &random))
        default:
            return Frame(
                type: UInt8.random(in: 0...12, using: &random),
                flags: UInt8.random(in: 0...255, using: &random), stream: old,
                payload: random.bytes(Int.random(in: 0..<30, using: &random)))
        }
    }

    private mutating func head(
        _ stream: UInt32, _ isLast: Bool, _ random: inout SeededNumbers
    ) -> Frame {
        func some(_ fields: [(String, String)]) -> [(String, String)] {
            fields.filter { _ in Int.random(in: 0..<8, using: &random) == 0 }
        }
        switch side {
        case .client:
            let path = Self.paths.randomElement(using: &random) ?? ""
            nextStream += 2
            return .headers(
                nextStream - 2, SessionPair.request(path) + some(Self.extras), end: isLast)
        case .server:
            let status = ["200", "200", "200", "100", "503"].randomElement(using: &random) ?? ""
            let start = [(":status", status), ("content-type", "application/grpc")]
            // The second header block of a stream is its trailers.
            return .headers(
                stream, (Bool.random(using: &random) ? start : []) + some(Self.statuses),
                end: isLast)
        }
    }
}
