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
        let userIDs: [String]
        /// Whether nothing more of the event follows for who has this.
        let isAll: Bool
        /// Whether some stream gets it with the token of this event, and some with the turn's.
        var isMidway = false
        var isLast = false
        /// Those messages in the bulletin.
        var midway: Int?
        var last: Int?
    }

    private enum Item {
        case told(Int)
        case message(Int)
        case action(Int)
    }

    private struct Delivery {
        let stream: WatchStream
        /// How many deliveries of the turn came before it.
        let place: Int
        var item: Item

        /// Whether the stream was told nothing behind it.
        var isLast: Bool { stream.lastPlace == place }
    }

    /// What one loop gets.
    private struct Parcel {
        let loop: ServerLoop
        var deliveries: [Delivery] = []
        /// How many of them name messages of the bulletin by now.
        var sealed = 0

        /// Names the messages in place of what was told.
        mutating func address(_ told: [Told], _ actions: inout [WatchAction]) {
            for place in sealed..<deliveries.count {
                guard case .told(let number) = deliveries[place].item else { continue }
                let message =
                    deliveries[place].isLast ? told[number].last : told[number].midway
                if let message {
                    deliveries[place].item = .message(message)
                } else {
                    // What cannot be told here can be read from the log.
                    actions.append(.lost)
                    deliveries[place].item = .action(actions.count - 1)
                }
            }
            sealed = deliveries.count
        }
    }

    /// The encodings of what was told since the last seal.
    let events = OutputBuffer(capacity: 4_096)
    private var told: [Told] = []
    private var parcels: [Parcel] = []
    private var actions: [WatchAction] = []
    private var bulletin: Bulletin?
    private var count = 0

    // MARK: What is told

    /// Notes an event to be told.
    ///
    /// - Parameters:
    ///   - event: Where in ``events`` its encoding is; empty for a heartbeat.
    ///   - userIDs: The receivers, where the stream follows several.
    ///   - isAll: Whether nothing more of the event follows for who gets this.
    /// - Returns: Its number until the next seal.
    mutating func add(
        _ event: Range<Int>, lane: UInt8 = 0, position: Int64 = 0, for userIDs: [String] = [],
        isAll: Bool = true, in watch: AppWatch
    ) -> Int {
        told.append(
            Told(
                watch: watch, event: event, lane: lane, position: position,
                userIDs: userIDs, isAll: isAll))
        return told.count - 1
    }

    /// Tells a stream what has that number.
    mutating func tell(_ number: Int, to stream: WatchStream) {
        stream.lastPlace = count
        deliver(.told(number), to: stream)
    }

    mutating func add(_ action: WatchAction, to stream: WatchStream) {
        actions.append(action)
        deliver(.action(actions.count - 1), to: stream)
    }

    private mutating func deliver(_ item: Item, to stream: WatchStream) {
        guard let loop = stream.handle?.loop else { return }
        var place = parcels.count - 1
        if place < 0 || parcels[place].loop !== loop {
            place = parcels.firstIndex { $0.loop === loop } ?? parcels.count
            if place == parcels.count { parcels.append(Parcel(loop: loop)) }
        }
        parcels[place].deliveries.append(Delivery(stream: stream, place: count, item: item))
        count += 1
    }

    // MARK: The end of a turn

    /// Makes the messages of what was told: it is known now which of them are their streams' last.
    ///
    /// Whatever moves a point by anything but what was told is done between two seals.
    mutating func seal(_ arena: Arena) {
        guard !told.isEmpty else { return }
        for parcel in parcels {
            for delivery in parcel.deliveries[parcel.sealed...] {
                guard case .told(let number) = delivery.item else { continue }
                if delivery.isLast {
                    told[number].isLast = true
                } else {
                    told[number].isMidway = true
                }
            }
        }
        let bulletin = bulletin ?? Bulletin(capacity: events.count + told.count * 512)
        self.bulletin = bulletin
        for number in told.indices { write(number, in: bulletin, arena) }
        for item in told { item.watch.didMake() }
        for place in parcels.indices { parcels[place].address(told, &actions) }
        told.removeAll(keepingCapacity: true)
        events.removeAll()
    }

    private mutating func write(_ number: Int, in bulletin: Bulletin, _ arena: Arena) {
        let item = told[number]
        item.watch.make(item.lane, item.position)
        if item.isMidway {
            let token = item.watch.midwayToken(item.isAll)
            told[number].midway = message(item, token, in: bulletin, arena)
        }
        if item.isLast {
            told[number].last = message(item, item.watch.token, in: bulletin, arena)
        }
    }

    /// - Returns: Nil if it cannot be encoded.
    private func message(
        _ item: Told, _ token: WatchToken, in bulletin: Bulletin, _ arena: Arena
    ) -> Int? {
        do throws(CodecError) {
            return try bulletin.add(
                UnsafeRawBufferPointer(rebasing: events.bytes[item.event]), lane: item.lane,
                position: item.position, for: item.userIDs, token, arena)
        } catch {
            return nil
        }
    }

    /// Hands everything over.
    mutating func post(in work: inout LoopWork, _ arena: Arena) {
        seal(arena)
        for parcel in parcels {
            work.add(on: parcel.loop) { [bulletin, actions] in
                for delivery in parcel.deliveries {
                    guard let call = delivery.stream.handle?.openCall else { continue }
                    switch delivery.item {
                    case .told: preconditionFailure("what is posted was sealed")
                    case .message(let number):
                        guard let bulletin else { continue }
                        delivery.stream.deliver(WatchMessage(bulletin, number), call)
                    case .action(let number): delivery.stream.perform(actions[number], call)
                    }
                }
            }
        }
        parcels.removeAll(keepingCapacity: true)
        actions.removeAll(keepingCapacity: true)
        bulletin = nil
        count = 0
    }
}

/// What the hub tells a stream to do, beside what it is told of changes.
enum WatchAction: Sendable {
    case begin
    case lost
    case expire
    /// See whether the caller would still be let in.
    case look
    case stop
    case fail(RPCError)
}

extension WatchStream {
    func perform(_ action: WatchAction, _ call: ServerCall) {
        switch action {
        case .begin: begin(call)
        case .lost: lost(call)
        case .expire: expire(call)
        case .look: isStillAdmitted(call)
        case .stop: stop(call)
        case .fail(let error): fail(error, call)
        }
    }
}
