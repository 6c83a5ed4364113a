import PeerSupport

@testable import HTTP2

/// A session of either side, which gets any bytes that its peer may send.
///
/// It reads the same from the same bytes however they are cut, and keeps no more than its limits
/// allow. It sends only frames that the rules allow, and has nothing left when the connection is
/// gone.
enum SessionTargets {
    static let server = FuzzTarget(name: "http2-server", form: .frames(.client), maxBytes: 4_096) {
        try check(.server, $0)
    }

    static let client = FuzzTarget(name: "http2-client", form: .frames(.server), maxBytes: 4_096) {
        try check(.client, $0)
    }

    private static func check(_ role: Role, _ input: [UInt8]) throws {
        guard let options = input.first else { return }
        let bytes = Array(input.dropFirst())
        // Our side sends once in the middle, at the same place both times.
        let half = bytes.count * Int(options) / 255
        let parts = [Array(bytes[..<half]), Array(bytes[half...])]
        let whole = try Conversation(role, parts.map { [$0] })
        let cut = try Conversation(role, parts.map { $0.pieces(of: 1...40) })
        guard !FrameList(bytes).hasGoAway else { return }
        try require(
            whole.sent == cut.sent,
            "other pieces, another answer: \(whole.sentFrames) and \(cut.sentFrames)")
        try require(whole.agrees(with: cut), "other pieces, other streams")
        try require(whole.events == cut.events, "other pieces, other events")
        try require(whole.failure == cut.failure, "other pieces, another failure")
    }
}

/// The results of one session from the bytes that it got.
private final class Conversation {
    struct Seen: Equatable {
        var head: [[String]] = []
        var body: [UInt8] = []
        var trailers: [[String]] = []
        var hasEnded = false
        var isTooLarge = false
        var closeCode: ErrorCode?

        /// Whether both have seen the same.
        ///
        /// Of a body that is longer than announced, the sessions may have seen different parts: as
        /// much as came before the excess showed. That is less than was announced, or exactly that,
        /// before an error.
        func agrees(with other: Seen) -> Bool {
            guard let announced = head.first(where: { $0[0] == "content-length" })?[1],
                let length = Int(announced), let closeCode, closeCode != .noError
            else { return self == other }
            var same = other
            same.body = body
            return self == same && max(body.count, other.body.count) <= length
                && (body.starts(with: other.body) || other.body.starts(with: body))
        }
    }

    private static let streamLimit: UInt32 = 6

    private let session: Session
    private let pool = StreamPool()
    private let role: Role
    private var held: [Int32: StreamPointer] = [:]
    private var answered: Set<Int32> = []
    private(set) var streams: [Int32: Seen] = [:]
    private(set) var events: [ConnectionEvent] = []
    private(set) var sent: [UInt8] = []
    private(set) var failure: SessionError?

    /// The frames that it sent.
    var sentFrames: [Frame] {
        FrameList(sent.dropFirst(role == .client ? Frame.preface.count - 9 : 0)).frames
    }

    /// Whether both have seen the same of each stream.
    func agrees(with other: Conversation) -> Bool {
        streams.keys == other.streams.keys
            && streams.allSatisfy { id, seen in
                other.streams[id].map(seen.agrees) ?? false
            }
    }

    /// Feeds the parts one after another, each in its pieces, and answers after each.
    init(_ role: Role, _ parts: [[[UInt8]]]) throws {
        self.role = role
        var settings = Settings()
        settings.concurrentStreams = Self.streamLimit
        session = try Session(role: role, settings: settings, pool: pool)
        switch role {
        case .server: try session.receive(Frame.preface)
        case .client: for number in 0..<3 { try open(ends: number == 0) }
        }
        try speak()
        for pieces in parts {
            for piece in pieces where failure == nil { feed(piece) }
            try check()
            answer()
            try speak()
        }
        try end()
    }

    private func open(ends: Bool) throws {
        var block = HeaderBlock(SessionPair.request())
        defer { block.free() }
        let stream = try session.open(nil, block)
        held[stream.pointee.id] = stream
        if ends { session.finish(stream) }
    }

    private func feed(_ bytes: [UInt8]) {
        do throws(SessionError) { try session.receive(bytes) } catch { failure = error }
    }

    private func check() throws {
        while let (stream, events) = session.nextReady() {
            let id = stream.pointee.id
            var seen = streams[id] ?? Seen()
            held[id] = stream
            seen.head = stream.pointee.headers.pairs
            seen.trailers = stream.pointee.trailers.pairs
            seen.isTooLarge = stream.pointee.areHeadersTooLarge
            seen.body += Array(stream.pointee.input.bytes)
            session.drop(stream.pointee.input.count, of: stream)
            if events.contains(.end) {
                try require(!seen.hasEnded, "stream \(id) ended twice")
                seen.hasEnded = true
            }
            for fields in [seen.head, seen.trailers] {
                let bytes = fields.joined().reduce(32 * fields.count) { $0 + $1.utf8.count }
                // A byte that is not UTF-8 becomes three bytes of text.
                try require(bytes <= 3 * SessionLimits.headerListBytes, "\(bytes) bytes of fields")
            }
            session.consumeWindow(stream)
            if events.contains(.closed) {
                try require(seen.closeCode == nil, "stream \(id) closed twice")
                seen.closeCode = stream.pointee.closeCode
                held[id] = nil
                session.release(stream)
            }
            streams[id] = seen
        }
        events += session.takeEvents()
        if role == .server {
            try require(session.openStreams <= Self.streamLimit, "\(session.openStreams) are open")
        }
        try require(session.openStreams >= 0, "\(session.openStreams) are open")
    }

    /// Gives each stream something to send, and ends those from which no more will come.
    private func answer() {
        for (id, stream) in held.sorted(by: { $0.key < $1.key }) {
            guard !stream.pointee.isClosed, answered.insert(id).inserted else { continue }
            let seen = streams[id] ?? Seen()
            switch role {
            case .server where id % 4 == 1:
                var block = HeaderBlock([(":status", "200")])
                defer { block.free() }
                session.submitHeaders(stream, nil, block)
                stream.pointee.output.append([UInt8](repeating: 7, count: 300))
                stream.pointee.outputTrailers.append("grpc-status", "0")
                if seen.hasEnded { session.finishWithTrailers(stream) }
            case .server:
                var block = HeaderBlock([(":status", "200"), ("grpc-status", "13")])
                defer { block.free() }
                session.submitHeaders(stream, nil, block, end: true)
            case .client where id == 3:
                stream.pointee.output.append([UInt8](repeating: 5, count: 300))
                session.finish(stream)
            case .client:
                if id == 5 { session.reset(stream, .cancel) }
            }
        }
    }

    private func speak() throws {
        do throws(SessionError) { sent += try session.output() } catch {
            failure = failure ?? error
        }
    }

    private func end() throws {
        session.connectionLost()
        try check()
        try require(held.isEmpty, "streams \(held.keys.sorted()) were not closed")
        try require(session.openStreams == 0, "\(session.openStreams) streams are open")
        try require(session.liveFirst == nil, "a stream is not back in the pool")
        try require(session.output().isEmpty, "a lost connection sends")
        let preface = role == .client ? Frame.preface.count - 9 : 0
        _ = try SentFrames(Array(sent.dropFirst(preface)), settingsFirst: true)
    }
}

extension ByteQueue {
    fileprivate mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }
}
