import Memory
import Protobuf
import RPC
import RelationModel

/// The messages that one batch of reads found.
struct WatchBatch {
    /// About the number of rows that were read for it.
    var rows = 0
    /// Encoded responses.
    private(set) var responses: [[UInt8]] = []
    /// The length of all responses together.
    private(set) var bytes = 0
    /// The client's position after it has taken them; nil if it is no further than before.
    var position: Int64?
    /// The position of the stream after it has sent everything there is to read; nil if there is
    /// more.
    var end: Int64?

    /// Adds a message with an event's encoding.
    ///
    /// - Parameters:
    ///   - token: The token; empty if a stream cannot continue from it.
    ///   - receivers: The users that the event is for, if the stream follows several users.
    mutating func add(
        _ event: [UInt8], token: String = "", for receivers: [UserID] = [], _ arena: Arena
    ) throws(CodecError) {
        try add(event, EventUsers(receivers: receivers.map(\.text)), token: token, arena)
    }

    /// Adds the message that names the users without an account, if there are any.
    mutating func add(
        missing users: [UserID], token: String = "", _ arena: Arena
    ) throws(RPCError) {
        guard !users.isEmpty else { return }
        try encoding { () throws(CodecError) in
            try add([], EventUsers(missing: users.map(\.text)), token: token, arena)
        }
    }

    private mutating func add(
        _ event: [UInt8], _ users: EventUsers, token: String, _ arena: Arena
    ) throws(CodecError) {
        let response = try WatchMessage.response(event, users, token: token, arena)
        bytes += response.count
        responses.append(response)
    }
}
