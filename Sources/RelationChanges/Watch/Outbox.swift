import GRPC
import Protobuf
import RelationCore
import RelationModel

/// The messages of one turn of the hub, until they go to the loops at the end of the turn.
///
/// Each loop gets one piece of work, whatever the number of commits, events and streams.
///
/// A token takes longer to make than the rest of a message. The last message that a stream gets in
/// a turn can name the point of the whole turn, since no more events up to there follow for that
/// stream. So one token serves all streams. Only a message before a stream's last one needs a token
/// of its own.
struct Outbox {
    /// An event as it is told, encoded once for all streams that see the same of it.
    private struct Told {
        let watch: AppWatch
        let event: Range<Int>
        let lane: UInt8
        let position: Int64
        let users: NamedUsers
        /// Whether a stream that gets this gets no other message of the same event.
        let isAll: Bool
        /// The number of streams for which this is the last message.
        var lasts = 0
        /// Whether some stream gets another message behind it, and so gets this one with the token
        /// of its event.
        var isMidway = false
        var messages = Messages()
    }

    /// The messages of an event in the bulletin: one with the event's own token, and one with the
    /// turn's.
    ///
    /// Each is nil if it is not needed or cannot be encoded.
    private struct Messages {
        var midway: Int?
        var last: Int?
    }

    /// The work of a loop for one stream; it has no references, since a turn may have thousands.
    private struct Delivery {
        enum Item {
            case last, midway, action
        }

        let call: CallTicket
        /// The number of the told event, or of the action.
        let number: Int32
        var item: Item
    }

    /// The deliveries for one loop.
    private struct Parcel {
        let loop: ServerLoop
        var deliveries: [Delivery] = []
    }

    /// The encodings of the events that were told since the last seal.
    let events = OutputBuffer(capacity: 4_096)
    private var told: [Told] = []
    /// The number of told events that have been made into messages.
    private var sealed = 0
    private var parcels: [Parcel] = []
    private var actions: [WatchAction] = []
    private var bulletin: Bulletin?
    /// The number of this turn: turns that were posted, counted from 1.
    private var turn = 1

    // MARK: Told events

    /// Notes an event to be told.
    ///
    /// - Parameters:
    ///   - event: The range of its encoding in ``events``; empty for a heartbeat.
    ///   - users: The receivers and the missing users, if the stream follows several users.
    ///   - isAll: Whether a stream that gets this gets no other message of the same event.
    /// - Returns: Its number until the outbox is posted.
    mutating func add(
        _ event: Range<Int>, lane: UInt8 = 0, position: Int64 = 0,
        _ users: NamedUsers = NamedUsers(), isAll: Bool = true, in watch: AppWatch
    ) -> Int {
        told.append(
            Told(
                watch: watch, event: event, lane: lane, position: position, users: users,
                isAll: isAll))
        return told.count - 1
    }

    /// Tells a stream of the event with that number.
    mutating func tell(_ number: Int, to stream: WatchStream) {
        guard let handle = stream.handle else { return }
        let index = parcel(of: handle.loop)
        if stream.lastTold.turn == turn {
            // The message before is no longer its last one, unless a seal has made it so.
            let before = stream.lastTold.index
            let other = Int(parcels[index].deliveries[before].number)
            if other >= sealed {
                parcels[index].deliveries[before].item = .midway
                told[other].lasts -= 1
                told[other].isMidway = true
            }
        }
        stream.lastTold = (turn, parcels[index].deliveries.count)
        told[number].lasts += 1
        parcels[index].deliveries.append(
            Delivery(call: handle.ticket, number: Int32(number), item: .last))
    }

    mutating func add(_ action: WatchAction, to stream: WatchStream) {
        guard let handle = stream.handle else { return }
        actions.append(action)
        parcels[parcel(of: handle.loop)].deliveries.append(
            Delivery(call: handle.ticket, number: Int32(actions.count - 1), item: .action))
    }

    /// The index of the loop's parcel: mostly the last one.
    private mutating func parcel(of loop: ServerLoop) -> Int {
        if let last = parcels.last, last.loop === loop { return parcels.count - 1 }
        if let known = parcels.firstIndex(where: { $0.loop === loop }) { return known }
        parcels.append(Parcel(loop: loop))
        return parcels.count - 1
    }

    // MARK: The end of a turn

    /// Makes the messages of the told events: it is known now which of them are the last for their
    /// streams.
    ///
    /// Call this before and after any change of a point that comes from no told event.
    mutating func seal(_ arena: Arena) {
        guard sealed < told.count else { return }
        let bulletin =
            bulletin ?? Bulletin(capacity: events.count + (told.count - sealed) * 512)
        self.bulletin = bulletin
        for number in sealed..<told.count { write(number, in: bulletin, arena) }
        for item in told[sealed...] { item.watch.didMake() }
        sealed = told.count
        events.removeAll()
    }

    private mutating func write(_ number: Int, in bulletin: Bulletin, _ arena: Arena) {
        let item = told[number]
        item.watch.make(item.lane, item.position)
        if item.isMidway {
            let token = item.watch.midwayToken(item.isAll)
            told[number].messages.midway = message(item, token, in: bulletin, arena)
        }
        if item.lasts > 0 {
            told[number].messages.last = message(item, item.watch.token, in: bulletin, arena)
        }
    }

    /// - Returns: Nil if it cannot be encoded.
    private func message(
        _ item: Told, _ token: WatchToken, in bulletin: Bulletin, _ arena: Arena
    ) -> Int? {
        do throws(CodecError) {
            return try bulletin.add(
                UnsafeRawBufferPointer(rebasing: events.bytes[item.event]), lane: item.lane,
                position: item.position, item.users, token, arena)
        } catch {
            return nil
        }
    }

    /// Hands everything over.
    mutating func post(in work: inout LoopWork, _ arena: Arena) {
        seal(arena)
        let messages = told.map(\.messages)
        for parcel in parcels {
            let deliveries = parcel.deliveries
            work.add(on: parcel.loop) { [bulletin, actions] in
                for delivery in deliveries {
                    delivery.call.withHandler(WatchStream.self) { stream, call in
                        Self.take(delivery, messages, bulletin, actions, stream, call)
                    }
                }
            }
        }
        parcels.removeAll(keepingCapacity: true)
        actions.removeAll(keepingCapacity: true)
        told.removeAll(keepingCapacity: true)
        sealed = 0
        bulletin = nil
        turn += 1
    }

    /// Performs a delivery on the stream's loop.
    private static func take(
        _ delivery: Delivery, _ messages: [Messages], _ bulletin: Bulletin?,
        _ actions: [WatchAction], _ stream: WatchStream, _ call: ServerCall
    ) {
        let number = Int(delivery.number)
        let message: Int?
        switch delivery.item {
        case .action: return stream.perform(actions[number], call)
        case .midway: message = messages[number].midway
        case .last: message = messages[number].last
        }
        guard let bulletin, let message else {
            // A stream reads from the log what it cannot be told here.
            return stream.lost(call)
        }
        stream.deliver(WatchMessage(bulletin, message), call)
    }
}

/// An order of the hub to a stream, beside the events that it tells.
enum WatchAction: Sendable {
    case begin
    case lost
    case expire
    /// Check whether the caller would still be let in.
    case look
    case fail(RPCError)
}

extension WatchStream {
    func perform(_ action: WatchAction, _ call: ServerCall) {
        switch action {
        case .begin: begin(call)
        case .lost: lost(call)
        case .expire: expire(call)
        case .look: isStillAdmitted(call)
        case .fail(let error): fail(error, call)
        }
    }
}
