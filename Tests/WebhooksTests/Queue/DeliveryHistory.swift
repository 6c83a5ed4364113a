import PeerSupport
import Webhooks

/// A random history: a log, a queue that is restarted, and a receiver that keeps a book.
struct DeliveryHistory {
    /// The receiver's book.
    private struct Book {
        /// For each event whether it has come.
        var came: [Bool]
        /// For each event whether the queue has said that it is given up.
        var givenUp: [Bool]
        /// For each user the events that must come before any later one.
        var next: [Int: Int] = [:]
        var repeats = 0
    }

    /// The whole log: for each event its user; its position is made of its index.
    private let users: [Int]
    /// For each event the index of the next one of its user.
    private let following: [Int]
    private let settings: DeliverySettings
    private var queue: DeliveryQueue
    private var stored = DeliveryProgress()
    private var book: Book
    private var numbers: SeededNumbers
    private(set) var now: Int64 = 0
    /// The index of the event that is offered next.
    private var reading = 0
    private var underWay: [DeliveryBatch] = []
    private(set) var restarts = 0
    /// The first rule that was broken.
    private(set) var failure: String?

    init(events: Int, users count: Int, seed: UInt64, _ settings: DeliverySettings) {
        var numbers = SeededNumbers(seed: seed)
        let users = (0..<events).map { _ in
            // Some users have many events, and most have few.
            Int.random(in: 0..<Int.random(in: 1...count, using: &numbers), using: &numbers)
        }
        var following = Array(repeating: events, count: events)
        var last: [Int: Int] = [:]
        var next: [Int: Int] = [:]
        for (index, user) in users.enumerated() {
            if let before = last[user] { following[before] = index } else { next[user] = index }
            last[user] = index
        }
        self.users = users
        self.following = following
        self.settings = settings
        self.numbers = numbers
        let none = Array(repeating: false, count: events)
        book = Book(came: none, givenUp: none, next: next)
        queue = DeliveryQueue(settings, from: DeliveryProgress(), seed: seed)
    }

    var isDone: Bool {
        reading == users.count && underWay.isEmpty && queue.counts().waitingEvents == 0
    }

    var repeats: Int { book.repeats }

    /// Positions have gaps, as the log has events that no hook wants.
    private func position(_ index: Int) -> Int64 { Int64(index) * 3 + 2 }
    private func index(_ position: Int64) -> Int { Int((position - 2) / 3) }

    /// One step of the reader, of the receiver, of the clock or of the owner.
    ///
    /// - Parameter isWell: Whether the receiver takes all.
    mutating func step(isWell: Bool) {
        now += Int64.random(in: 0...20, using: &numbers)
        for _ in 0..<Int.random(in: 0...12, using: &numbers) where reading < users.count {
            offer()
        }
        while let batch = queue.next(now: now) { underWay.append(batch) }
        for _ in 0..<Int.random(in: 0...8, using: &numbers) where !underWay.isEmpty {
            answer(Int.random(in: 0..<underWay.count, using: &numbers), isWell: isWell)
        }
        if underWay.isEmpty, let wake = queue.wakeTime(now: now) { now = max(now, wake) }
        if Int.random(in: 0..<20, using: &numbers) == 0 { stored = queue.progress() }
        check()
    }

    private mutating func offer() {
        let event = DeliveryEvent(
            user: "\(users[reading])", position: position(reading), timeMilliseconds: now,
            kind: "", body: [0x7B, 0x7D])
        guard queue.offer(event) != .full else { return }
        reading += 1
        if reading == users.count { queue.read(through: position(reading)) }
    }

    private mutating func answer(_ choice: Int, isWell: Bool) {
        let batch = underWay.remove(at: choice)
        let draw = isWell ? 0 : Int.random(in: 0..<100, using: &numbers)
        let isBad = !isWell && batch.events.contains { $0.user == "0" } && now % 60_000 < 50_000
        // An answer may be lost after the receiver has taken all.
        if !isBad, draw < 80 { acknowledge(batch) }
        let outcome: DeliveryOutcome =
            switch isBad ? 90 : draw {
            case ..<70: .delivered
            case ..<90: .failed(why: "it was cut off")
            case ..<95: .rejected(why: "it answered 400")
            case ..<98: .failed(why: "it answered 503", retryAfter: .milliseconds(300))
            default: .busy(why: "it answered 429")
            }
        for given in queue.complete(batch.id, outcome, now: now).givenUp {
            giveUp(index(given.event.position))
        }
    }

    private mutating func acknowledge(_ batch: DeliveryBatch) {
        for event in batch.events {
            let index = index(event.position)
            if book.came[index] { book.repeats += 1 }
            book.came[index] = true
            advance(users[index])
            // It was the next one of its user, or is a repetition.
            if let next = book.next[users[index]], next <= index {
                failure = failure ?? "\(index) of user \(users[index]) came before \(next)"
            }
        }
    }

    private mutating func giveUp(_ index: Int) {
        book.givenUp[index] = true
        advance(users[index])
    }

    private mutating func advance(_ user: Int) {
        while let next = book.next[user], next < users.count,
            book.came[next] || book.givenUp[next]
        {
            book.next[user] = following[next]
        }
    }

    /// Ends the process and begins another one, with the progress that was stored last.
    ///
    /// - Parameter storesFirst: Whether the progress is stored before, as a clean stop does.
    mutating func restart(storesFirst: Bool) {
        restarts += 1
        if storesFirst { stored = queue.progress() }
        // Requests that were under way may have arrived.
        for batch in underWay where Bool.random(using: &numbers) { acknowledge(batch) }
        underWay = []
        queue = DeliveryQueue(settings, from: stored, seed: numbers.next())
        reading = stored.lowWater < 2 ? 0 : min(users.count, index(stored.lowWater) + 1)
        if reading == users.count { queue.read(through: position(reading)) }
    }

    /// Looks at the bounds of memory, and at the progress.
    private mutating func check() {
        let counts = queue.counts()
        if counts.waitingEvents > settings.waitingEvents
            || counts.requestsUnderWay > settings.parallelBatches
            || counts.parkedEvents > counts.waitingEvents || counts.parkedEvents < 0
        {
            failure = failure ?? "a bound is passed: \(counts)"
        }
        if stored.later.count > settings.laterRanges
            || zip(stored.later, stored.later.dropFirst()).contains(where: {
                $0.lowerBound > $1.lowerBound
            })
        {
            failure = failure ?? "ranges that cannot be: \(stored)"
        }
    }

    /// The errors when all is done: each event came or was given up.
    func finalFailure() -> String? {
        if let failure { return failure }
        if let lost = users.indices.first(where: { !book.came[$0] && !book.givenUp[$0] }) {
            return "event \(lost) is lost"
        }
        let progress = queue.progress()
        guard progress == DeliveryProgress(lowWater: position(users.count)) else {
            return "the progress is \(progress.lowWater), \(progress.later)"
        }
        return nil
    }

    var givenUp: Int { book.givenUp.count { $0 } }
}
