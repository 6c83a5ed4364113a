import GRPC
import GRPCWire
import Memory
import Protobuf
import RelationAPI

/// The messages of one pass of the hub: encoded responses, which all streams that get them share,
/// and which streams these are.
///
/// One block of bytes holds them all. So an event costs no memory of its own. When the last loop
/// has sent its part, the event batch serves another pass.
///
/// ``AppWatch`` says why properties are `@exclusivity(unchecked)`.
///
/// `@unchecked Sendable`: its maker hands it on, and changes it again when no one else has it.
final class EventBatch: @unchecked Sendable {
    /// It has no references, since a pass may have thousands.
    struct Entry {
        /// The position of the event in the app's feed; 0 for an event that is in no feed.
        let position: Int64
        let isHeartbeat: Bool
        /// The position that the response's token names.
        let resumePosition: Int64
        /// The whole response in its envelope.
        let answer: Range<Int>
    }

    /// The work of a loop for one stream; it has no references, since a pass may have thousands.
    struct Delivery {
        enum Item {
            case last, midway, action
        }

        let call: CallTicket
        /// The number of the noted event, and in the end of its message; or of the action.
        var number: Int32
        var item: Item
    }

    fileprivate let bytes: OutputBuffer
    @exclusivity(unchecked) fileprivate private(set) var entries: [Entry] = []
    /// The deliveries of each loop.
    @exclusivity(unchecked) var deliveries: [[Delivery]] = []
    @exclusivity(unchecked) var actions: [WatchAction] = []

    init(capacity: Int = 4_096) {
        bytes = OutputBuffer(capacity: capacity)
    }

    /// Bytes and messages that there is memory for.
    var room: (bytes: Int, messages: Int) { (bytes.capacity, entries.capacity) }

    /// Forgets everything, and keeps the memory that a small pass needs.
    func clear() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= WatchLimits.eventBatchBytes)
        let isSmall = entries.capacity <= WatchLimits.eventBatchMessages
        entries.removeAll(keepingCapacity: isSmall)
        for loop in deliveries.indices {
            let isSmall = deliveries[loop].capacity <= WatchLimits.eventBatchMessages
            deliveries[loop].removeAll(keepingCapacity: isSmall)
        }
        if !actions.isEmpty { actions = [] }
    }

    /// Adds a response.
    ///
    /// - Parameters:
    ///   - event: The event's encoding; empty for a heartbeat.
    ///   - users: The receivers and the missing users, if the stream follows several users.
    /// - Returns: Its number.
    func add(
        _ event: UnsafeRawBufferPointer, position: Int64, _ users: EventUsers?,
        _ token: WatchToken, _ arena: Arena
    ) throws(CodecError) -> Int {
        let answer = try Envelope.append(to: bytes) { (output) throws(CodecError) in
            output.append(token.encoding)
            if !event.isEmpty { FieldWriter.append(WatchMessage.eventNumber, event, to: output) }
            if let users { try WatchMessage.write(users, arena, to: output) }
        }
        entries.append(
            Entry(
                position: position,
                isHeartbeat: event.isEmpty && users?.missing.isEmpty != false,
                resumePosition: token.position, answer: answer))
        return entries.count - 1
    }

    /// Returns an event batch of one entry of this one.
    fileprivate func alone(_ number: Int) -> EventBatch {
        let entry = entries[number]
        let copy = EventBatch(capacity: entry.answer.count)
        copy.bytes.append(UnsafeRawBufferPointer(rebasing: bytes.bytes[entry.answer]))
        copy.entries = [
            Entry(
                position: entry.position, isHeartbeat: entry.isHeartbeat,
                resumePosition: entry.resumePosition, answer: 0..<copy.bytes.count)
        ]
        return copy
    }
}

/// The users that a message names beside its event, in a stream of several users.
struct EventUsers {
    /// The users that the event is for.
    var receivers: [String] = []
    /// The users that have no account.
    var missing: [String] = []
}

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
    fileprivate static func write(
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
