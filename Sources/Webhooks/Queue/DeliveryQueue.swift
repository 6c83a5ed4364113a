/// The events of one hook on their way to its receiver.
///
/// It does no I/O and has no clock. `now` is the time since 1970 in milliseconds, of a clock that
/// never goes back. One thread at a time calls it:
///
/// 1. The reader of the log calls ``offer(_:)`` for each event, in the order of the log, and
///    ``read(through:)`` where it has seen positions without one. If the queue is full, it waits.
/// 2. The sender takes ``next(now:)`` while there is one, and calls ``complete(_:_:now:)`` for
///    each. It comes again at ``wakeTime(now:)``.
/// 3. The owner stores ``progress()`` now and then, and begins with the stored one.
///
/// Each event is delivered at least once, unless it is given up. The events of one user go out in
/// order: one request at a time has events of a user, and none goes out before all earlier ones
/// are settled.
///
/// Memory is bounded by the settings: settled events leave no trace but for a range between two
/// that wait. If the receiver is away, the queue fills, and the log keeps the rest: no event is
/// given up before its time. If some users alone fail, their events wait here until
/// ``DeliverySettings/parkedEvents``. From there on they are given up early, or the hook pauses.
/// One user who fails with so many events at once that no other is left looks like a receiver that
/// is away, and counts as one.
package struct DeliveryQueue: Sendable {
    /// Why nothing is delivered.
    package enum Pause: String, Sendable {
        /// The owner paused the hook.
        case asked
        /// The receiver refuses all further requests.
        case gone
        /// An event would have been given up.
        case gaveUp
    }

    /// The fate of an offered event.
    package enum Offer: Sendable {
        case taken
        /// It is settled, or waits already.
        case known
        /// There is no room: offer it again after the next ``DeliveryQueue/complete(_:_:now:)``.
        case full
    }

    /// The users of a request that is under way, each with its first events.
    private struct UnderWay {
        let users: [String]
        let events: Int
        /// Whether the users have failed before, and go by themselves.
        let isRetry: Bool
    }

    package let settings: DeliverySettings
    private var window: DeliveryWindow
    private var users: [String: UserLine] = [:]
    /// Users who have events, of which none is under way and none waits for its time.
    private var ready = Fifo<String>()
    /// Users who have failed once, and are tried again in batches with others.
    private var together = RetryTimes()
    /// Users who have failed again, and are tried by themselves, one event at a time.
    private var alone = RetryTimes()
    private var underWay: [Int: UnderWay] = [:]
    /// The times since which events failed before a restart, by their positions.
    ///
    /// An event that fails again, or is settled, leaves it.
    private var failedBefore: [Int64: Int64]
    private var retriesUnderWay = 0
    private var lastWasRetry = false
    private var lastBatch = 0

    /// When the receiver last took events.
    private var deliveredAt = Int64.min
    /// Failed requests in a row, without those of users who fail while others do not.
    private var failures = 0
    private var isOutage = false
    private var outageUntil = Int64.min
    /// Answers in a row that said that the receiver is busy.
    private var busyAnswers = 0
    private var quietUntil = Int64.min

    private var waitingEvents = 0
    private var waitingBytes = 0
    private var parkedEvents = 0
    private var parkedBytes = 0
    private var chance: Chance
    private var total = DeliveryCounts()

    /// - Parameters:
    ///   - progress: The progress that was stored last.
    ///   - failing: The first failures that were stored with it, as ``failing(atMost:)`` gave them.
    ///   - seed: The seed of the randomness in pauses.
    package init(
        _ settings: DeliverySettings, from progress: DeliveryProgress,
        failing: [Int64: Int64] = [:], seed: UInt64
    ) {
        self.settings = settings
        failedBefore = failing
        window = DeliveryWindow(progress)
        chance = Chance(state: seed)
    }

    /// Whether ``offer(_:)`` finds no room.
    package var isFull: Bool {
        waitingEvents >= settings.waitingEvents || waitingBytes >= settings.waitingBytes
    }

    /// Why nothing is delivered; nil if the queue delivers.
    package private(set) var pause: Pause?

    /// Whether no request is under way.
    package var isIdle: Bool { underWay.isEmpty }

    // MARK: - The reader

    /// Takes the next event of the log.
    ///
    /// Its position is above that of all events before, and of ``read(through:)``.
    package mutating func offer(_ event: DeliveryEvent) -> Offer {
        guard event.position > window.readThrough else { return .known }
        guard !window.wasSettled(event.position) else {
            window.addSettled(event.position)
            total.skippedEvents += 1
            return .known
        }
        guard !isFull else { return .full }
        let waiting = UserLine.Waiting(event: event, entry: window.add(event))
        total.takenEvents += 1
        waitingEvents += 1
        waitingBytes += event.bytes
        let (isFirst, isFailing) = modify(event.user) { line in
            line.waiting.append(waiting)
            line.bytes += event.bytes
            return (line.waiting.count == 1, line.isFailing)
        }
        if isFailing {
            parkedEvents += 1
            parkedBytes += event.bytes
        } else if isFirst {
            ready.append(event.user)
        }
        return .taken
    }

    /// Notes that the reader has seen all of the log up to a position, and offered its events.
    package mutating func read(through position: Int64) {
        window.read(through: position)
    }

    /// Whether events of a user are not settled.
    package func waits(for user: String) -> Bool { users[user] != nil }

    /// Forgets which events up to a position were settled before a restart: the log no longer has
    /// them, and a later one may stand for them.
    package mutating func forgetSettled(through position: Int64) {
        window.forgetSettled(through: position)
    }

    /// The progress to store.
    package func progress() -> DeliveryProgress {
        DeliveryProgress(
            lowWater: window.lowWater,
            later: window.settledLater(atMost: settings.laterRanges))
    }

    /// Since when users fail, by the positions of their first events, to store with the progress:
    /// those that fail longest.
    package func failing(atMost limit: Int) -> [Int64: Int64] {
        var all = failedBefore.filter { $0.key > window.lowWater }
        for line in users.values where line.isFailing {
            if let first = line.waiting[0] { all[first.event.position] = line.failingSince }
        }
        guard all.count > limit else { return all }
        let oldest = all.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.prefix(limit)
        return Dictionary(uniqueKeysWithValues: oldest.map { ($0.key, $0.value) })
    }

    // MARK: - The sender

    /// The next events to send; nil if there is none now.
    package mutating func next(now: Int64) -> DeliveryBatch? {
        guard maySend, now >= quietUntil, !isOutage || now >= outageUntil else { return nil }
        while let first = together.first, first.time <= now {
            _ = together.popFirst()
            ready.append(first.user)
        }
        if mayRetry, let retry = alone.first, isOutage || due(retry) <= now,
            ready.isEmpty || !lastWasRetry
        {
            _ = alone.popFirst()
            return start([(retry.user, 1)], isRetry: true)
        }
        let taken = takeReady()
        return taken.isEmpty ? nil : start(taken, isRetry: false)
    }

    /// When ``next(now:)`` may have a batch although nothing else happens; nil for never.
    package func wakeTime(now: Int64) -> Int64? {
        guard maySend else { return nil }
        let earliest = max(now, quietUntil, isOutage ? outageUntil : now)
        var times: [Int64] = []
        if !ready.isEmpty { times.append(earliest) }
        if let first = together.first { times.append(max(earliest, first.time)) }
        if mayRetry, let first = alone.first {
            times.append(isOutage ? earliest : max(earliest, due(first)))
        }
        return times.min()
    }

    /// Whether another request may be under way.
    private var maySend: Bool {
        pause == nil && underWay.count < (isOutage ? 1 : max(1, settings.parallelBatches))
    }

    /// Whether another one of them may be that of a user who has failed: some are for the others.
    private var mayRetry: Bool {
        let all = max(1, settings.parallelBatches)
        return retriesUnderWay < max(1, all - max(1, all / 4))
    }

    /// Whether users who fail take so much room that they may stop the others.
    private var isCrowded: Bool {
        parkedEvents >= settings.parkedEvents || parkedBytes >= settings.waitingBytes / 2
    }

    /// When a user that goes by itself is tried again.
    private func due(_ entry: RetryTimes.Entry) -> Int64 {
        guard isCrowded, let line = users[entry.user] else { return entry.time }
        return min(entry.time, line.failedAt + settings.crowdedPauseMilliseconds)
    }

    /// Takes users who are ready, and says how many of their events fit into one batch.
    private mutating func takeReady() -> [(user: String, count: Int)] {
        var taken: [(user: String, count: Int)] = []
        var (events, bytes) = (0, 0)
        while events < max(1, settings.batchEvents), let user = ready.popFirst() {
            var count = 0
            while events < max(1, settings.batchEvents),
                let event = users[user]?.waiting[count]?.event,
                events == 0 || bytes + event.body.count <= settings.batchBytes
            {
                bytes += event.body.count
                events += 1
                count += 1
            }
            guard count > 0 else {
                ready.requeue(user)
                break
            }
            taken.append((user, count))
        }
        return taken
    }

    private mutating func start(
        _ taken: [(user: String, count: Int)], isRetry: Bool
    ) -> DeliveryBatch {
        var events: [DeliveryEvent] = []
        var attempt = 1
        for (user, count) in taken {
            modify(user) { line in
                line.underWay = count
                attempt = max(attempt, line.attempts + 1)
                events += (0..<count).compactMap { line.waiting[$0]?.event }
            }
        }
        lastBatch += 1
        lastWasRetry = isRetry
        retriesUnderWay += isRetry ? 1 : 0
        total.requests += 1
        underWay[lastBatch] = UnderWay(
            users: taken.map(\.user), events: events.count, isRetry: isRetry)
        return DeliveryBatch(id: lastBatch, events: events, attempt: attempt)
    }

    // MARK: - Outcomes

    /// Learns how a request fared.
    package mutating func complete(
        _ batch: Int, _ outcome: DeliveryOutcome, now: Int64
    ) -> DeliveryReport {
        var report = DeliveryReport()
        guard let request = underWay.removeValue(forKey: batch) else { return report }
        retriesUnderWay -= request.isRetry ? 1 : 0
        switch outcome {
        case .delivered:
            receiverIsBack(at: now)
            busyAnswers = 0
            deliveredAt = now
            for user in request.users { delivered(user) }
        case .busy(_, let retryAfter):
            receiverIsBack(at: now)
            total.busyRequests += 1
            busyAnswers += 1
            let longest = settings.longestOutagePauseMilliseconds
            let wait = retryAfter?.wholeMilliseconds ?? 0
            let time = max(min(wait, longest), growingPause(busyAnswers, longest))
            quietUntil = max(quietUntil, now + time)
            for user in request.users { requeue(user, now) }
        case .gone:
            total.failedRequests += 1
            for user in request.users { requeue(user, now) }
            stop(.gone)
            report.pauses = .gone
        case .rejected(let why):
            receiverIsBack(at: now)
            for user in request.users { modify(user) { $0.wasRejected = true } }
            fail(request, why, nil, now, &report)
        case .failed(let why, let retryAfter):
            noteFailure(request, now)
            fail(request, why, retryAfter, now, &report)
        }
        return report
    }

    /// Looks whether the receiver is away.
    private mutating func noteFailure(_ request: UnderWay, _ now: Int64) {
        guard !request.users.allSatisfy({ failsByItself($0) }) else { return }
        failures += 1
        guard failures >= settings.failuresOfOutage else { return }
        isOutage = true
        let step = failures - settings.failuresOfOutage + 1
        outageUntil = now + growingPause(step, settings.longestOutagePauseMilliseconds)
    }

    /// Whether a user has failed again and again while the receiver took events of others.
    private func failsByItself(_ user: String) -> Bool {
        users[user].map { $0.passedOver >= settings.leastAttempts } ?? false
    }

    private mutating func delivered(_ user: String) {
        var settled: [UserLine.Waiting] = []
        unpark(users[user])
        let isEmpty = modify(user) { line in
            (line.attempts, line.strikes, line.passedOver) = (0, 0, 0)
            line.wasRejected = false
            for _ in 0..<line.underWay {
                guard let first = line.waiting.popFirst() else { break }
                line.bytes -= first.event.bytes
                settled.append(first)
            }
            line.underWay = 0
            return line.waiting.isEmpty
        }
        for one in settled { settle(one) }
        total.deliveredEvents += UInt64(settled.count)
        if isEmpty { users[user] = nil } else { ready.append(user) }
    }

    private mutating func unpark(_ line: UserLine?) {
        guard let line, line.isFailing else { return }
        parkedEvents -= line.waiting.count
        parkedBytes -= line.bytes
    }

    /// Lets events wait again that did neither arrive nor fail.
    private mutating func requeue(_ user: String, _ now: Int64) {
        let (isFailing, goesAlone) = modify(user) { line in
            line.underWay = 0
            return (line.isFailing, line.goesAlone)
        }
        if isFailing { schedule(user, goesAlone, now) } else { ready.append(user) }
    }

    private mutating func fail(
        _ request: UnderWay, _ why: String, _ retryAfter: Duration?, _ now: Int64,
        _ report: inout DeliveryReport
    ) {
        total.failedRequests += 1
        for user in request.users {
            noteFailure(of: user, now)
            if request.events == 1, isSpent(user, now) {
                guard settings.givingUp == .goPast else {
                    stop(.gaveUp)
                    report.pauses = .gaveUp
                    wait(user, retryAfter, now)
                    continue
                }
                giveUp(user, why, now, &report)
            } else {
                wait(user, retryAfter, now)
            }
        }
    }

    private mutating func noteFailure(of user: String, _ now: Int64) {
        let (deliveredAt, counted) = (deliveredAt, settings.countedGapMilliseconds)
        let first = users[user]?.waiting[0]?.event.position
        let before = first.flatMap { failedBefore.removeValue(forKey: $0) }
        let (isNew, count, bytes) = modify(user) { line in
            let isNew = !line.isFailing
            if isNew {
                line.failingSince = min(before ?? now, now)
            } else {
                line.failingSince += max(0, now - line.failedAt - counted)
            }
            if deliveredAt > line.failedAt { line.passedOver = line.attempts }
            line.underWay = 0
            line.attempts += 1
            line.strikes += 1
            line.failedAt = now
            return (isNew, line.waiting.count, line.bytes)
        }
        guard isNew else { return }
        parkedEvents += count
        parkedBytes += bytes
    }

    /// Whether the first event of a user has had its time.
    ///
    /// No event has while the receiver takes nothing at all.
    private func isSpent(_ user: String, _ now: Int64) -> Bool {
        guard !isOutage, let line = users[user], let first = line.waiting[0]?.event,
            line.attempts >= settings.leastAttempts
        else { return false }
        return now - line.begin(of: first) > settings.retriesForMilliseconds
            || isCrowded && line.passedOver >= settings.leastAttempts
                && now - line.failingSince >= settings.crowdedAfterMilliseconds
    }

    /// Goes past the first event of a user; the next one is tried at once.
    private mutating func giveUp(
        _ user: String, _ why: String, _ now: Int64, _ report: inout DeliveryReport
    ) {
        let (first, line) = modify(user) { line in
            let first = line.waiting.popFirst()
            line.bytes -= first?.event.bytes ?? 0
            return (first, line)
        }
        guard let first else { return }
        let isOld = now - line.begin(of: first.event) > settings.retriesForMilliseconds
        report.givenUp.append(
            DeliveryReport.GivenUp(
                event: first.event, attempts: line.attempts, why: why, isEarly: !isOld))
        parkedEvents -= 1
        parkedBytes -= first.event.bytes
        settle(first)
        total.givenUpEvents += 1
        if line.waiting.isEmpty {
            users[user] = nil
        } else {
            schedule(user, line.goesAlone, now)
        }
    }

    /// Lets a user wait for its next attempt.
    private mutating func wait(_ user: String, _ retryAfter: Duration?, _ now: Int64) {
        guard let line = users[user] else { return }
        let asked = min(
            retryAfter?.wholeMilliseconds ?? 0, settings.longestRetryAfterMilliseconds)
        let own = growingPause(line.attempts, settings.longestPauseMilliseconds)
        schedule(user, line.goesAlone, now + max(asked, own))
    }

    private mutating func schedule(_ user: String, _ goesAlone: Bool, _ time: Int64) {
        if goesAlone { alone.insert(user, at: time) } else { together.insert(user, at: time) }
    }

    private mutating func settle(_ one: UserLine.Waiting) {
        window.settle(one.entry)
        if !failedBefore.isEmpty { failedBefore[one.event.position] = nil }
        waitingEvents -= 1
        waitingBytes -= one.event.bytes
    }

    /// Tries all again at once, after the receiver was away.
    ///
    /// The time in which it took nothing is not that of events which it refuses.
    private mutating func receiverIsBack(at now: Int64) {
        failures = 0
        guard isOutage else { return }
        isOutage = false
        tryAllAgain()
        for user in users.keys where !failsByItself(user) {
            modify(user) { line in if !line.wasRejected { line.failingSince = now } }
        }
        failedBefore = failedBefore.mapValues { _ in now }
    }

    private mutating func tryAllAgain() {
        while let entry = together.popFirst() ?? alone.popFirst() {
            modify(entry.user) { $0.strikes = 0 }
            ready.append(entry.user)
        }
    }

    /// A pause that doubles with each step, less a share of up to half by chance.
    private mutating func growingPause(_ step: Int, _ longest: Int64) -> Int64 {
        let doubled = Double(sign: .plus, exponent: min(step - 1, 62), significand: 1)
        let first = Double(settings.firstPauseMilliseconds)
        let pause = max(1, Int64(min(first * doubled, Double(longest))))
        return Int64.random(in: (pause + 1) / 2...pause, using: &chance)
    }

    @discardableResult
    private mutating func modify<Result>(
        _ user: String, _ body: (inout UserLine) -> Result
    ) -> Result {
        body(&users[user, default: UserLine()])
    }

    // MARK: - The owner

    /// Gives out nothing more until ``resume(now:)``; requests that are under way go on.
    package mutating func stop(_ why: Pause = .asked) {
        pause = why
    }

    /// Delivers again: each user is tried at once, as if it had never failed.
    package mutating func resume(now: Int64) {
        pause = nil
        failedBefore = [:]
        (failures, isOutage, busyAnswers, quietUntil) = (0, false, 0, now)
        tryAllAgain()
        for user in users.keys {
            modify(user) { ($0.attempts, $0.strikes, $0.passedOver) = (0, 0, 0) }
            modify(user) { $0.wasRejected = false }
        }
        (parkedEvents, parkedBytes) = (0, 0)
    }

    /// The counts so far.
    package func counts() -> DeliveryCounts {
        var counts = total
        counts.waitingEvents = waitingEvents
        counts.waitingBytes = waitingBytes
        counts.parkedEvents = parkedEvents
        counts.requestsUnderWay = underWay.count
        counts.lowWater = window.lowWater
        counts.oldestMilliseconds = window.oldestMilliseconds
        counts.isOutage = isOutage
        return counts
    }
}

/// The chance in pauses, which repeats with its seed.
private struct Chance: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

extension Duration {
    /// The milliseconds, rounded up; none if it is negative.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !isTooLarge, product < Int64.max - 1_000 else { return Int64.max / 4 }
        return product + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
