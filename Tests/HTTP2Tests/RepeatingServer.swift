import PeerSupport
import Testing

@testable import HTTP2

/// A server that remembers header blocks, and that a test sends frames to.
struct RepeatingServer {
    let session: Session
    private var next: UInt32 = 1

    /// The names of the fields whose values differ in each call.
    static let open: [StaticString] = ["grpc-timeout", "traceparent"]

    init(
        _ settings: Settings = Settings(), remembering: [StaticString]? = RepeatingServer.open
    ) throws {
        session = try Session(
            role: .server, settings: settings, pool: StreamPool(),
            cachingHeadersBut: remembering)
        try session.receive(Frame.preface)
    }

    /// Sends a request with a compressed block, and returns its stream.
    mutating func send(_ block: [UInt8], end: Bool = true) throws -> StreamPointer {
        let id = next
        next += 2
        let flags = Frame.endHeaders | (end ? Frame.endStream : 0)
        try session.receive(
            Frame(.headers, flags: flags, stream: id, payload: block).bytes)
        return try #require(session.allReady().last { $0.stream.pointee.id == id }).stream
    }

    mutating func skipStream() -> UInt32 {
        defer { next += 2 }
        return next
    }

    /// Sends a request as often as it takes until its block is remembered.
    mutating func learn(_ block: [UInt8]) throws -> CachedHeaders {
        _ = try send(block)
        let known = try #require(try send(block).pointee.known).takeUnretainedValue()
        #expect(known.repeated != nil)
        return known
    }

    // MARK: Blocks

    /// A field that is added to the table.
    static func added(_ name: String, _ value: String) -> [UInt8] {
        [0x40] + text(name) + text(value)
    }

    /// A field that is in no table.
    static func literal(_ name: String, _ value: String) -> [UInt8] {
        [0] + text(name) + text(value)
    }

    static func text(_ text: String) -> [UInt8] {
        [UInt8(text.utf8.count)] + Array(text.utf8)
    }

    /// `POST`, `http`, a path and an authority: every request begins so.
    static let beginning: [UInt8] =
        [0x83, 0x86] + [0x04] + text("/test.Echo/Unary") + [0x01] + text("test")

    /// The field that was added to the table last.
    static let newest: UInt8 = 0x80 | 62

    static func field(_ name: StaticString, _ stream: StreamPointer) -> String? {
        stream.field(name).map { String(decoding: $0, as: UTF8.self) }
    }
}
