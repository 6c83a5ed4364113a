import GRPC
import GRPCWire
import Memory
import Protobuf

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

    let bytes: OutputBuffer
    @exclusivity(unchecked) private(set) var entries: [Entry] = []
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
    func alone(_ number: Int) -> EventBatch {
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
