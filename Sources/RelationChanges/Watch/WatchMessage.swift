import GRPC
import Protobuf
import RelationAPI
import RelationCore

/// The messages of one turn of the hub: encoded responses, which all streams that get them share.
///
/// One block of bytes holds them all. So an event costs no memory of its own. The block is freed
/// once, when the last loop has sent its part of it.
///
/// `@unchecked Sendable`: its maker hands it on, and no thread changes it afterwards.
final class Bulletin: @unchecked Sendable {
    struct Entry {
        /// The lane and the position of the event in the app's feed; position 0 for an event that
        /// stands in no feed.
        var lane: UInt8 = 0
        var position: Int64 = 0
        var isHeartbeat = false
        /// The point of the feed that includes this event.
        let point: FeedPoint
        /// The whole response, with the token of that point, in its envelope.
        let answer: Range<Int>
    }

    fileprivate let bytes: OutputBuffer
    fileprivate private(set) var entries: [Entry] = []

    init(capacity: Int) {
        bytes = OutputBuffer(capacity: capacity)
    }

    /// Adds a response.
    ///
    /// - Parameters:
    ///   - event: The event's encoding; empty for a heartbeat.
    ///   - users: The receivers and the missing users, if the stream follows several users.
    /// - Returns: Its number.
    func add(
        _ event: UnsafeRawBufferPointer, lane: UInt8, position: Int64, _ users: NamedUsers,
        _ token: WatchToken, _ arena: Arena
    ) throws(CodecError) -> Int {
        let answer = try Envelope.append(to: bytes) { (output) throws(CodecError) in
            try WatchMessage.write(event, users, token.text, arena, to: output)
        }
        entries.append(
            Entry(
                lane: lane, position: position,
                isHeartbeat: event.isEmpty && users.missing.isEmpty, point: token.point,
                answer: answer))
        return entries.count - 1
    }

    /// Returns a bulletin of one entry of this one.
    fileprivate func alone(_ number: Int) -> Bulletin {
        let entry = entries[number]
        let copy = Bulletin(capacity: entry.answer.count)
        copy.bytes.append(UnsafeRawBufferPointer(rebasing: bytes.bytes[entry.answer]))
        copy.entries = [
            Entry(
                lane: entry.lane, position: entry.position, isHeartbeat: entry.isHeartbeat,
                point: entry.point, answer: 0..<copy.bytes.count)
        ]
        return copy
    }
}

/// The users that a message names beside its event, in a stream of several users.
struct NamedUsers {
    /// The users that the event is for.
    var receivers: [String] = []
    /// The users that have no account.
    var missing: [String] = []
}

/// One message as it goes out: an entry of a bulletin.
struct WatchMessage: Sendable {
    let bulletin: Bulletin
    private let number: Int

    init(_ bulletin: Bulletin, _ number: Int) {
        self.bulletin = bulletin
        self.number = number
    }

    var lane: UInt8 { bulletin.entries[number].lane }
    var position: Int64 { bulletin.entries[number].position }
    var point: FeedPoint { bulletin.entries[number].point }
    var isHeartbeat: Bool { bulletin.entries[number].isHeartbeat }

    /// The encoded response in its envelope; valid while the bulletin is.
    var answer: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bulletin.bytes.bytes[bulletin.entries[number].answer])
    }

    /// The message without the rest of its bulletin, for a holder that keeps it longer.
    var alone: WatchMessage { WatchMessage(bulletin.alone(number), 0) }

    /// The response with another token.
    func response(with token: String, _ arena: Arena) throws(CodecError) -> [UInt8] {
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        var message = try Self.coder.read(Envelope.message(in: answer), arena)
        message.resumeToken = token
        return try Self.coder.bytes(message, arena)
    }

    /// The encoding of a response.
    static func response(
        _ event: [UInt8], _ users: NamedUsers = NamedUsers(), token: String, _ arena: Arena
    ) throws(CodecError) -> [UInt8] {
        let output = OutputBuffer(capacity: event.count + 512)
        try event.withUnsafeBufferPointer { (bytes) throws(CodecError) in
            try write(UnsafeRawBufferPointer(bytes), users, token, arena, to: output)
        }
        return [UInt8](output.bytes)
    }

    /// Appends the encoding of a response.
    fileprivate static func write(
        _ event: UnsafeRawBufferPointer, _ users: NamedUsers, _ token: String, _ arena: Arena,
        to output: OutputBuffer
    ) throws(CodecError) {
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        var response = WatchResponseView()
        response.resumeToken = token
        if !event.isEmpty { response.event = Encoded(borrowing: event) }
        response.userIDs = users.receivers
        response.missingUserIDs = users.missing
        try coder.write(response, arena, output)
    }

    private static let coder = ChangeMethods.watchView.responseCoder
}

/// A point with its text.
struct WatchToken {
    let point: FeedPoint
    let text: String

    init(_ point: FeedPoint, app: UInt32) {
        self.point = point
        text = ResumeToken.text(of: point, app: app)
    }
}
