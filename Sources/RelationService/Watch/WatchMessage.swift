import Protobuf
import RelationAPI
import RelationCore

/// One message as it goes out, made once and shared by all streams that get it.
final class WatchMessage: Sendable {
    /// The place of what it tells in the app's feed; position 0 for what stands in none.
    let lane: UInt8
    let position: Int64
    /// The event's encoding; empty for a heartbeat.
    let event: [UInt8]
    /// The receivers, where the stream follows several.
    let userIDs: [String]
    /// How far the feed has come with it.
    let point: FeedPoint
    /// The whole response, with the token of that point.
    let response: [UInt8]

    init(
        _ event: [UInt8], lane: UInt8 = 0, position: Int64 = 0, for userIDs: [String] = [],
        token: WatchToken, _ arena: Arena
    ) throws(CodecError) {
        self.lane = lane
        self.position = position
        self.event = event
        self.userIDs = userIDs
        point = token.point
        response = try Self.response(event, for: userIDs, token: token.text, arena)
    }

    /// The encoding of a response.
    static func response(
        _ event: [UInt8], for userIDs: [String] = [], token: String, _ arena: Arena
    ) throws(CodecError) -> [UInt8] {
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        var response = WatchResponse()
        response.resumeToken = token
        if !event.isEmpty { response.event = try arena.encoded(event) }
        response.userIDs = userIDs
        return try coder.bytes(response, arena)
    }

    private static let coder = Coder(WatchResponse.self)
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
