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

    @Test func anEventIsSeenWithItsNumberAndToken() throws {
        var event = ChangeEvent()
        event.kind = .profileChange
        event.sequence = 300
        event.userID = "somebody"
        event.items = [ChangeItem()]
        let bytes = try [9, 9] + Self.response(token: "abc", event) + [9]
        let message = try WatchedMessage(bytes, 2..<bytes.count - 1)
        #expect(message.kind == .profileChange)
        #expect(message.sequence == 300)
        #expect(message.hasToken)
    }

    @Test func aHeartbeatHasNoEvent() throws {
        let bytes = try Self.response(token: "abc", nil)
        let message = try WatchedMessage(bytes, bytes.indices)
        #expect(message.kind == .unspecified)
        #expect(message.hasToken)
    }

    @Test func aCutMessageIsRefused() throws {
        var event = ChangeEvent()
        event.kind = .addFriend
        let bytes = try Self.response(token: "abc", event)
        for end in [1, bytes.count - 1] {
            #expect(throws: FloodError.self) { try WatchedMessage(bytes, 0..<end) }
        }
    }
}
