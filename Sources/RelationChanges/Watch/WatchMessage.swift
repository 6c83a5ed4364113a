import GRPCWire
import Memory
import Protobuf
import RelationAPI

/// One message as it goes out: an entry of an event batch.
struct WatchMessage: Sendable {
    let eventBatch: EventBatch
    private let number: Int

    init(_ eventBatch: EventBatch, _ number: Int) {
        self.eventBatch = eventBatch
        self.number = number
    }

    var position: Int64 { eventBatch.entries[number].position }
    var resumePosition: Int64 { eventBatch.entries[number].resumePosition }
    var isHeartbeat: Bool { eventBatch.entries[number].isHeartbeat }

    /// The encoded response in its envelope; valid while the event batch is.
    var answer: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: eventBatch.bytes.bytes[eventBatch.entries[number].answer])
    }

    /// The message without the rest of its event batch, for a holder that keeps it longer.
    var alone: WatchMessage { WatchMessage(eventBatch.alone(number), 0) }

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
        _ event: [UInt8], _ users: EventUsers = EventUsers(), token: String, _ arena: Arena
    ) throws(CodecError) -> [UInt8] {
        let output = OutputBuffer(capacity: event.count + 512)
        try event.withUnsafeBufferPointer { (bytes) throws(CodecError) in
            let mark = arena.mark()
            defer { arena.rewind(to: mark) }
            var response = WatchResponseView()
            response.resumeToken = token
            if !bytes.isEmpty { response.event = Encoded(borrowing: UnsafeRawBufferPointer(bytes)) }
            response.userIDs = users.receivers
            response.missingUserIDs = users.missing
            try coder.write(response, arena, output)
        }
        return [UInt8](output.bytes)
    }

    /// Appends the part of a response that names users.
    static func write(
        _ users: EventUsers, _ arena: Arena, to output: OutputBuffer
    ) throws(CodecError) {
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        var answer = WatchResponseView()
        answer.userIDs = users.receivers
        answer.missingUserIDs = users.missing
        try coder.write(answer, arena, output)
    }

    /// The numbers of the contract's fields that are put together from parts.
    static let tokenNumber: UInt32 = 1
    static let eventNumber: UInt32 = 2

    private static let coder = ChangeMethods.watchView.responseCoder
}

/// A position with its token.
struct WatchToken {
    let position: Int64
    /// The encoding of a response that has nothing but the token; its maker says how long it is
    /// valid.
    let encoding: UnsafeRawBufferPointer
}
