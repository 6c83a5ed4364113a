import GRPC
import Memory
import Protobuf
import RPC
import RelationCore

/// The messages of one pass of the hub, until they go to the loops at the end of the pass.
///
/// Each loop gets one piece of work, whatever the number of commits, events and streams.
///
/// A token takes longer to make than the rest of a message. The last message that a stream gets in
/// a pass can name the position of the whole pass, since no more events up to there follow for that
/// stream. So one token serves all streams. Only a message before a stream's last one needs a token
/// of its own.
struct Outbox {
    /// An event as it is sent, encoded once for all streams that see the same of it.
    ///
    /// It has no references, since a pass may have thousands.
    private struct EncodedEvent {
        /// The index of its app among ``watches``.
        let watch: Int
        let event: Range<Int>
        let position: Int64
        /// The index of its users among ``users``, if the streams that get it follow several.
        let users: Int?
        /// Whether a stream that gets this gets no other message of the same event.
        let isAll: Bool
        /// The number of streams for which this is the last message.
        var lasts = 0
        /// Whether some stream gets another message after it, and so gets this one with the token
        /// of its event.
        var isMidway = false
        /// The number of the message with the event's own token in the event batch; negative if it
        /// is not needed or cannot be encoded.
        var midway: Int32 = -1
        /// The number of the message with the pass's token, or a negative number likewise.
        var last: Int32 = -1
    }

    private typealias Delivery = EventBatch.Delivery

    /// The encodings of the events that were noted since the last seal.
    let events = OutputBuffer(capacity: 4_096)
    private var encoded: [EncodedEvent] = []
    /// The apps, and the lists of named users, of the events that were noted since the last seal.
    private var watches: [AppWatch] = []
    private var users: [EventUsers] = []
    /// The number of noted events that have been made into messages.
    private var sealed = 0
    /// The loops that have deliveries, in the order of these in the event batch, and which they
    /// are.
    private var loops: [ServerLoop] = []
    private var loopIDs: [ObjectIdentifier] = []
    /// The event batch of this pass; its deliveries are of streams, by ``loops``.
    private var eventBatch = EventBatch()
    /// Event batches that loops have, or had.
    private var posted: [EventBatch] = []
    /// The number of this pass: passes that were posted, counted from 1.
    private var pass = 1

    // MARK: Noted events

    /// Notes an event to be sent.
    ///
    /// - Parameters:
    ///   - event: The range of its encoding in ``events``; empty for a heartbeat.
    ///   - named: The receivers and the missing users, if the stream follows several users.
    ///   - isAll: Whether a stream that gets this gets no other message of the same event.
    /// - Returns: Its number until the outbox is posted.
    mutating func add(
        _ event: Range<Int>, position: Int64 = 0, _ named: EventUsers? = nil,
        isAll: Bool = true, in watch: AppWatch
    ) -> Int {
        if let named { users.append(named) }
        encoded.append(
            EncodedEvent(
                watch: index(of: watch), event: event, position: position,
                users: named == nil ? nil : users.count - 1, isAll: isAll))
        return encoded.count - 1
    }

    /// The index of the app: mostly the last one.
    private mutating func index(of watch: AppWatch) -> Int {
        if let last = watches.last, last === watch { return watches.count - 1 }
        if let known = watches.firstIndex(where: { $0 === watch }) { return known }
        watches.append(watch)
        return watches.count - 1
    }

    /// Sends the stream the event with that number.
    mutating func deliver(_ number: Int, to stream: WatchStream) {
        guard let ticket = stream.ticket, let index = loopIndex(of: stream) else { return }
        if stream.lastDelivery.pass == pass {
            // The message before is no longer its last one, unless a seal has made it so.
            let before = stream.lastDelivery.index
            let other = Int(eventBatch.deliveries[index][before].number)
            if other >= sealed {
                eventBatch.deliveries[index][before].item = .midway
                encoded[other].lasts -= 1
                encoded[other].isMidway = true
            }
        }
        stream.lastDelivery = (pass, eventBatch.deliveries[index].count)
        encoded[number].lasts += 1
        eventBatch.deliveries[index].append(
            Delivery(call: ticket, number: Int32(number), item: .last))
    }

    mutating func add(_ action: WatchAction, to stream: WatchStream) {
        guard let ticket = stream.ticket, let index = loopIndex(of: stream) else { return }
        eventBatch.actions.append(action)
        let number = Int32(eventBatch.actions.count - 1)
        eventBatch.deliveries[index].append(
            Delivery(call: ticket, number: number, item: .action))
    }

    /// The index of the stream's loop among those that have deliveries, mostly the last one; nil if
    /// the stream has none yet.
    private mutating func loopIndex(of stream: WatchStream) -> Int? {
        guard let id = stream.loopID else { return nil }
        let last = loopIDs.count - 1
        if last >= 0, loopIDs[last] == id { return last }
        if let known = loopIDs.firstIndex(of: id) { return known }
        guard let loop = stream.loop else { return nil }
        loops.append(loop)
        loopIDs.append(id)
        if eventBatch.deliveries.count < loops.count { eventBatch.deliveries.append([]) }
        return loops.count - 1
    }

    // MARK: The end of a pass

    /// Makes the messages of the noted events: it is known now which of them are the last for their
    /// streams.
    ///
    /// Call this before and after any change of a position that comes from no noted event.
    mutating func seal(_ arena: Arena) {
        guard sealed < encoded.count else { return }
        for number in sealed..<encoded.count { write(number, arena) }
        for watch in watches { watch.didMake() }
        sealed = encoded.count
        watches.removeAll(keepingCapacity: true)
        users.removeAll(keepingCapacity: true)
        events.removeAll()
    }

    private mutating func write(_ number: Int, _ arena: Arena) {
        let item = encoded[number]
        let watch = watches[item.watch]
        watch.make(item.position)
        if item.isMidway {
            let token = watch.midwayToken(item.isAll)
            encoded[number].midway = message(item, token, arena)
        }
        if item.lasts > 0 {
            encoded[number].last = message(item, watch.token, arena)
        }
    }

    /// - Returns: A negative number if it cannot be encoded.
    private func message(
        _ item: EncodedEvent, _ token: WatchToken, _ arena: Arena
    ) -> Int32 {
        do throws(CodecError) {
            let number = try eventBatch.add(
                UnsafeRawBufferPointer(rebasing: events.bytes[item.event]),
                position: item.position, item.users.map { users[$0] }, token, arena)
            return Int32(number)
        } catch {
            return -1
        }
    }

    /// Hands everything over.
    mutating func post(in work: inout LoopWork, _ arena: Arena) {
        seal(arena)
        defer { pass += 1 }
        guard !loops.isEmpty else { return endBatch() }
        let eventBatch = eventBatch
        for (index, loop) in loops.enumerated() {
            Self.resolve(&eventBatch.deliveries[index], encoded)
            work.add(on: loop) {
                for delivery in eventBatch.deliveries[index] {
                    delivery.call.withHandler(WatchStream.self) { stream, call in
                        Self.deliver(delivery, eventBatch, stream, call)
                    }
                }
            }
        }
        endBatch()
        renew()
    }

    private mutating func endBatch() {
        loops.removeAll(keepingCapacity: true)
        loopIDs.removeAll(keepingCapacity: true)
        encoded.removeAll(keepingCapacity: true)
        sealed = 0
    }

    /// Takes an event batch for the next pass: one that no loop has any more, or a new one.
    private mutating func renew() {
        for index in posted.indices where isKnownUniquelyReferenced(&posted[index]) {
            swap(&eventBatch, &posted[index])
            return eventBatch.clear()
        }
        if posted.count < WatchLimits.keptEventBatches { posted.append(eventBatch) }
        eventBatch = EventBatch()
    }

    /// Replaces the numbers of noted events by those of their messages.
    private static func resolve(_ deliveries: inout [Delivery], _ encoded: [EncodedEvent]) {
        for index in deliveries.indices {
            let number = Int(deliveries[index].number)
            switch deliveries[index].item {
            case .action: break
            case .midway: deliveries[index].number = encoded[number].midway
            case .last: deliveries[index].number = encoded[number].last
            }
        }
    }

    /// Performs a delivery on the stream's loop.
    private static func deliver(
        _ delivery: Delivery, _ eventBatch: EventBatch, _ stream: WatchStream, _ call: ServerCall
    ) {
        let number = Int(delivery.number)
        if case .action = delivery.item {
            return stream.perform(eventBatch.actions[number], call)
        }
        guard number >= 0 else {
            // A stream reads from the log what it cannot get here.
            return stream.lost(call)
        }
        stream.deliver(WatchMessage(eventBatch, number), call)
    }
}

/// An order of the hub to a stream, beside the events that it sends.
enum WatchAction: Sendable {
    case begin
    case lost
    case expire
    /// Check whether the caller would still be authorised.
    case check
    case fail(RPCError)
}

extension WatchStream {
    func perform(_ action: WatchAction, _ call: ServerCall) {
        switch action {
        case .begin: begin(call)
        case .lost: lost(call)
        case .expire: expire(call)
        case .check: check(call)
        case .fail(let error): fail(error, call)
        }
    }
}
