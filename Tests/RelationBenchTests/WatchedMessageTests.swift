import Memory
import Protobuf
import RelationAPI
import RelationModel
import Testing

@testable import relationbench

/// Compares the load's reading of a stream's messages with the project's own encoder.
@Suite struct WatchedMessageTests {
    private static func response(token: String, _ event: ChangeEvent?) throws -> [UInt8] {
        try Arena.temporary { (arena) throws(CodecError) in
            let response = WatchResponse.with {
                $0.resumeToken = token
                $0.event = event
            }
            return try Coder(WatchResponse.self).bytes(response, arena)
        }
    }

    private static func message(_ bytes: some Sequence<UInt8>) throws -> WatchedMessage {
        try Array(bytes).withUnsafeBytes { try WatchedMessage($0) }
    }

    @Test func anEventIsSeenWithItsNumberAndToken() throws {
        var event = ChangeEvent()
        event.kind = .profileChange
        event.sequence = 300
        event.userID = "somebody"
        event.items = [ChangeItem()]
        let message = try Self.message(try Self.response(token: "abc", event))
        #expect(message.kind == .profileChange)
        #expect(message.sequence == 300)
        #expect(message.hasToken)
    }

    @Test func aHeartbeatHasNoEvent() throws {
        let message = try Self.message(try Self.response(token: "abc", nil))
        #expect(message.kind == .unspecified)
        #expect(message.hasToken)
    }

    @Test func aCutMessageIsRefused() throws {
        var event = ChangeEvent()
        event.kind = .addFriend
        let bytes = try Self.response(token: "abc", event)
        for end in [1, bytes.count - 1] {
            #expect(throws: FloodError.self) { try Self.message(bytes.prefix(end)) }
        }
    }
}
