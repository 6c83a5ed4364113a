import GRPC
import Protobuf
import RelationCore
import RelationModel

/// What a turn of the hub has for streams, until it goes to their loops at the turn's end: one
/// piece of work for each loop, whatever the number of commits, events and streams.
///
/// A token takes longer to make than the rest of a message. The last message that a stream gets in
/// a turn can name the point to which the whole turn has come, since nothing up to there follows
/// for that stream. So one token serves all streams, and only what comes before a stream's last
/// message has a token of its own.
struct Outbox {
    /// An event as it is told, encoded once for all who see the same of it.
    private struct Told {
        let watch: AppWatch
        let event: Range<Int>
        let lane: UInt8
        let position: Int64
        let users: NamedUsers
        /// Whether nothing more of the event follows for who has this.
        let isAll: Bool
        /// For how many streams it is the last that they are told.
        var lasts = 0
        /// Whether some stream was told more behind it, and so gets it with the token of its event.
        var isMidway = false
        var messages = Messages()
    }

    /// An event's messages in the bulletin: those with its own token, and with the turn's; nil if
    /// it cannot be encoded.
    private struct Messages {
        var midway: Int?
        var last: Int?
    }

    /// What a loop does for one stream; without references, since a turn may have thousands.
    private struct Delivery {
        enum Item {
            case last, midway, action
        }

        let call: CallTicket
        /// The number of what is told, or of the action.
        let number: Int32
        var item: Item
    }

    /// What one loop gets.
    private struct Parcel {
        let loop: ServerLoop
        var deliveries: [Delivery] = []
    }

    /// The encodings of what was told since the last seal.
    let events = OutputBuffer(capacity: 4_096)
    private var told: [Told] = []
    /// How many of these are messages by now.
    private var sealed = 0
    private var parcels: [Parcel] = []
    private var actions: [WatchAction] = []
    private var bulletin: Bulletin?
    /// Counts what was posted, from 1.
    private var turn = 1

    // MARK: What is told

    /// Notes an event to be told.
    ///
    /// - Parameters:
    ///   - event: Where in ``events`` its encoding is; empty for a heartbeat.
    ///   - users: The receivers and the missing ones, where the stream follows several.
    ///   - isAll: Whether nothing more of the event follows for who gets this.
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

    /// Tells a stream what has that number.
    mutating func tell(_ number: Int, to stream: WatchStream) {
        guard let handle = stream.handle else { return }
        let place = parcel(of: handle.loop)
        if stream.lastTold.turn == turn {
            // What it was told before is not its last any more, unless a seal has made it so.
            let before = stream.lastTold.place
            let other = Int(parcels[place].deliveries[before].number)
            if other >= sealed {
                parcels[place].deliveries[before].item = .midway
                told[other].lasts -= 1
                told[other].isMidway = true
            }
        }
        stream.lastTold = (turn, parcels[place].deliveries.count)
        told[number].lasts += 1
        parcels[place].deliveries.append(
            Delivery(call: handle.ticket, number: Int32(number), item: .last))
    }

    mutating func add(_ action: WatchAction, to stream: WatchStream) {
        guard let handle = stream.handle else { return }
        actions.append(action)
        parcels[parcel(of: handle.loop)].deliveries.append(
            Delivery(call: handle.ticket, number: Int32(actions.count - 1), item: .action))
    }

    /// The place of the loop's parcel: mostly the last one.
    private mutating func parcel(of loop: ServerLoop) -> Int {
        if let last = parcels.last, last.loop === loop { return parcels.count - 1 }
        if let known = parcels.firstIndex(where: { $0.loop === loop }) { return known }
        parcels.append(Parcel(loop: loop))
        return parcels.count - 1
    }

    // MARK: The end of a turn

    /// Makes the messages of what was told: it is known now which of them are their streams' last.
    ///
    /// Whatever moves a point by anything but what was told is done between two seals.
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

    /// On the stream's loop.
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
            // What cannot be told here can be read from the log.
            return stream.lost(call)
        }
        stream.deliver(WatchMessage(bulletin, message), call)
    }
}

/// What the hub tells a stream to do, beside what it is told of changes.
enum WatchAction: Sendable {
    case begin
    case lost
    case expire
    /// See whether the caller would still be let in.
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
