import Testing
import Webhooks

/// The promises of a queue, one at a time.
@Suite struct DeliveryQueueTests {
    private static func event(
        _ position: Int64, _ user: String = "a", time: Int64 = 0, bytes: Int = 2
    ) -> DeliveryEvent {
        DeliveryEvent(
            user: user, position: position, timeMilliseconds: time, kind: "ADD_FRIEND",
            body: Array(repeating: 0x7B, count: bytes))
    }

    private static func queue(
        from progress: DeliveryProgress = DeliveryProgress(),
        _ change: (inout DeliverySettings) -> Void = { _ in }
    ) -> QueueHarness {
        var settings = DeliverySettings()
        change(&settings)
        return QueueHarness(settings, from: progress, seed: 1)
    }

    private static let failure = DeliveryOutcome.failed(why: "it answered 500")

    // MARK: Order

    @Test func aUserHasOneRequestUnderWayAndItsEventsStayInOrder() throws {
        let queue = Self.queue()
        for position in 1...3 { #expect(queue.offer(Self.event(Int64(position))) == .taken) }
        #expect(queue.offer(Self.event(4, "b")) == .taken)
        let first = try #require(queue.next(now: 0))
        let other = try #require(queue.next(now: 0))
        #expect(first.events.map(\.position) == [1] && other.events.map(\.position) == [4])
        #expect(queue.next(now: 0) == nil && queue.wakeTime(now: 0) == nil)
        #expect(queue.complete(first.id, .delivered, now: 0) == DeliveryReport())
        #expect(queue.next(now: 0)?.events.map(\.position) == [2])
        #expect(queue.progress() == DeliveryProgress(lowWater: 1))
    }

    @Test func aBatchHasSeveralUsersAndEventsWithinItsBounds() throws {
        let queue = Self.queue {
            $0.batchEvents = 4
            $0.batchBytes = 100
        }
        for position in 1...3 { _ = queue.offer(Self.event(Int64(position), bytes: 40)) }
        _ = queue.offer(Self.event(4, "b", bytes: 150))
        _ = queue.offer(Self.event(5, "c", bytes: 10))
        let batches = (0..<4).map { _ in queue.next(now: 0)?.events.map(\.position) }
        // A longer event than the bytes of a batch goes alone.
        #expect(batches == [[1, 2], [4], [5], nil])
    }

    @Test func asManyRequestsAreUnderWayAsMay() {
        let queue = Self.queue { $0.parallelBatches = 3 }
        for position in 1...5 { _ = queue.offer(Self.event(Int64(position), "\(position)")) }
        let batches = (0..<4).map { _ in queue.next(now: 0) }
        #expect(batches.map { $0 == nil } == [false, false, false, true])
        #expect(queue.counts().requestsUnderWay == 3 && !queue.isIdle)
    }

    // MARK: Room

    @Test func aFullQueueTakesNothingUntilAnEventIsSettled() throws {
        let queue = Self.queue { $0.waitingEvents = 2 }
        #expect(queue.offer(Self.event(1)) == .taken && queue.offer(Self.event(2)) == .taken)
        #expect(queue.isFull && queue.offer(Self.event(3)) == .full)
        let batch = try #require(queue.next(now: 0))
        #expect(queue.offer(Self.event(3)) == .full)
        queue.complete(batch.id, .delivered, now: 0)
        #expect(queue.offer(Self.event(3)) == .taken)
        let large = Self.queue { $0.waitingBytes = 1_000 }
        #expect(large.offer(Self.event(1, bytes: 1_000)) == .taken && large.isFull)
        #expect(large.offer(Self.event(2, bytes: 1)) == .full)
    }

    // MARK: Progress

    @Test func aRestartSkipsWhatIsSettledAboveTheLowWater() throws {
        let queue = Self.queue { $0.parallelBatches = 100 }
        for position in 1...10 { _ = queue.offer(Self.event(Int64(position), "\(position)")) }
        let batches = (0..<10).compactMap { _ in queue.next(now: 0) }
        for batch in batches where ![1, 5, 6].contains(batch.events[0].position) {
            queue.complete(batch.id, .delivered, now: 0)
        }
        #expect(queue.progress() == DeliveryProgress(lowWater: 0, later: [2...4, 7...10]))
        let second = Self.queue(from: queue.progress())
        let offers = (1...12).map { second.offer(Self.event(Int64($0), "\($0)")) }
        #expect(offers.map { $0 == .taken } == (1...12).map { [1, 5, 6, 11, 12].contains($0) })
        #expect(second.progress() == queue.progress() && second.counts().skippedEvents == 7)
        let batch = try #require(second.next(now: 0))
        second.complete(batch.id, .delivered, now: 0)
        #expect(second.progress() == DeliveryProgress(lowWater: 4, later: [7...10]))
    }

    @Test func rangesThatAreNotReadAgainAreKept() {
        let stored = DeliveryProgress(lowWater: 3, later: [5...6, 8...9, 20...30])
        let queue = Self.queue(from: stored)
        #expect(queue.progress() == stored)
        #expect(queue.offer(Self.event(3)) == .known && queue.offer(Self.event(4)) == .taken)
        #expect(queue.offer(Self.event(5)) == .known && queue.offer(Self.event(6)) == .known)
        #expect(queue.progress().lowWater == 3 && queue.progress().later.contains(20...30))
        let few = Self.queue(from: stored) { $0.laterRanges = 2 }
        #expect(few.progress().later == [5...6, 8...9])
    }

    @Test func theLowWaterGoesOverPositionsWithoutEvents() throws {
        let queue = Self.queue()
        queue.read(through: 10)
        #expect(queue.progress().lowWater == 10)
        _ = queue.offer(Self.event(12))
        queue.read(through: 20)
        #expect(queue.progress().lowWater == 10)
        let batch = try #require(queue.next(now: 0))
        queue.complete(batch.id, .delivered, now: 0)
        #expect(queue.progress() == DeliveryProgress(lowWater: 20))
        #expect(queue.offer(Self.event(20)) == .known)
    }

    // MARK: Failures

    @Test func pausesGrowUpToTheLongestAndKeepRetryAfter() throws {
        let queue = Self.queue {
            $0.firstPauseMilliseconds = 100
            $0.longestPauseMilliseconds = 1_000
            $0.longestRetryAfterMilliseconds = 5_000
            $0.failuresOfOutage = 1_000
        }
        _ = queue.offer(Self.event(1))
        var now: Int64 = 0
        for longest in [100, 200, 400, 800, 1_000, 1_000] as [Int64] {
            let batch = try #require(queue.next(now: now))
            queue.complete(batch.id, Self.failure, now: now)
            let wake = try #require(queue.wakeTime(now: now))
            #expect((longest / 2...longest).contains(wake - now))
            #expect(queue.next(now: wake - 1) == nil)
            now = wake
        }
        for (asked, kept) in [(2, 2_000), (3_600, 5_000)] as [(Int64, Int64)] {
            let batch = try #require(queue.next(now: now))
            queue.complete(
                batch.id, .failed(why: "503", retryAfter: .seconds(asked)), now: now)
            #expect(queue.wakeTime(now: now) == now + kept)
            now += kept
        }
    }

    @Test func eventsThatFailTogetherAreTriedAloneAfterASecondTime() throws {
        let queue = Self.queue { $0.batchEvents = 10 }
        for position in 1...4 {
            _ = queue.offer(Self.event(Int64(position), position < 3 ? "a" : "\(position)"))
        }
        var now: Int64 = 0
        for _ in 0..<2 {
            let batch = try #require(queue.next(now: now))
            #expect(batch.events.count == 4)
            queue.complete(batch.id, Self.failure, now: now)
            now += 3_600_000
        }
        let alone = (0..<4).map { _ in queue.next(now: now)?.events.map(\.position) ?? [] }
        #expect(alone.sorted { $0.count < $1.count }.map(\.count) == [0, 1, 1, 1])
        #expect(alone.contains([1]))
    }

    @Test func anOldEventIsGivenUpAfterItsAttemptsAndTheNextOnesGoOn() throws {
        let queue = Self.queue {
            $0.retriesForMilliseconds = 1_000
            $0.leastAttempts = 3
        }
        _ = queue.offer(Self.event(1, time: 0))
        _ = queue.offer(Self.event(2, time: 1_000_000))
        var reports: [DeliveryReport] = []
        var now: Int64 = 1_000_000
        for _ in 0..<3 {
            let batch = try #require(queue.next(now: now))
            #expect(batch.events.map(\.position) == [1])
            reports.append(queue.complete(batch.id, Self.failure, now: now))
            now += 100_000
        }
        #expect(reports.map(\.givenUp.count) == [0, 0, 1])
        let given = try #require(reports[2].givenUp.first)
        #expect(given.event.position == 1 && given.attempts == 3 && !given.isEarly)
        #expect(given.why == "it answered 500" && queue.progress().lowWater == 1)
        #expect(queue.next(now: now)?.events.map(\.position) == [2])
    }

    @Test func theTimeInWhichTheReceiverTookNothingIsNoFailureOfAnEvent() throws {
        let queue = Self.queue {
            $0.retriesForMilliseconds = 1_000_000
            $0.longestPauseMilliseconds = 100_000
            $0.leastAttempts = 2
            $0.failuresOfOutage = 2
        }
        _ = queue.offer(Self.event(1, "bad"))
        _ = queue.offer(Self.event(2, "well"))
        var now: Int64 = 0
        var reports: [DeliveryReport] = []
        // The receiver is away for twice the time, and then refuses the first event alone.
        while now < 3_500_000 {
            now = try #require(queue.wakeTime(now: now))
            let batch = try #require(queue.next(now: now))
            let isBad = batch.events[0].user == "bad"
            let outcome: DeliveryOutcome = isBad ? .rejected(why: "400") : .delivered
            reports.append(
                queue.complete(batch.id, now < 2_000_000 ? Self.failure : outcome, now: now))
            if now < 2_900_000 { #expect(reports.last?.givenUp == []) }
            if queue.counts().waitingEvents == 0 { break }
        }
        #expect(reports.last?.givenUp.map(\.event.position) == [1])
    }

    @Test func aRestartKnowsSinceWhenEventsFail() throws {
        let queue = Self.queue { $0.failuresOfOutage = 100 }
        for position in 1...3 { _ = queue.offer(Self.event(Int64(position), "\(position)")) }
        for time in [10, 20] as [Int64] {
            let batch = try #require(queue.next(now: time))
            queue.complete(batch.id, Self.failure, now: time)
        }
        #expect(queue.failing(atMost: 5) == [1: 10, 2: 20])
        #expect(queue.failing(atMost: 1) == [1: 10])
        let second = QueueHarness(
            DeliverySettings(), from: queue.progress(), failing: queue.failing(atMost: 5), seed: 2)
        for position in 1...3 { _ = second.offer(Self.event(Int64(position), "\(position)")) }
        for outcome in [Self.failure, .delivered] {
            let batch = try #require(second.next(now: 50))
            second.complete(batch.id, outcome, now: 50)
        }
        #expect(second.failing(atMost: 5) == [1: 10])
    }

    @Test func aHookThatGivesNothingUpPausesAndGoesOnWhenItIsResumed() throws {
        let queue = Self.queue {
            $0.retriesForMilliseconds = 1_000
            $0.leastAttempts = 1
            $0.givingUp = .pause
        }
        _ = queue.offer(Self.event(1))
        var batch = try #require(queue.next(now: 5_000))
        #expect(queue.complete(batch.id, Self.failure, now: 5_000) == DeliveryReport())
        batch = try #require(queue.next(now: 7_000))
        let report = queue.complete(batch.id, Self.failure, now: 7_000)
        #expect(report.givenUp.isEmpty && report.pauses == .gaveUp && queue.pause == .gaveUp)
        #expect(queue.next(now: 9_000_000) == nil && queue.wakeTime(now: 9_000_000) == nil)
        queue.resume(now: 10_000)
        let again = try #require(queue.next(now: 10_000))
        #expect(again.attempt == 1 && again.events == batch.events)
    }

    @Test func goneStopsAllAndBusyLeavesTheReceiverAlone() throws {
        let queue = Self.queue()
        _ = queue.offer(Self.event(1))
        _ = queue.offer(Self.event(2, "b"))
        let batch = try #require(queue.next(now: 0))
        queue.complete(batch.id, .busy(why: "429", retryAfter: .seconds(7)), now: 0)
        #expect(queue.next(now: 6_999) == nil && queue.wakeTime(now: 5) == 7_000)
        let next = try #require(queue.next(now: 7_000))
        #expect(next.attempt == 1)
        let report = queue.complete(next.id, .gone(why: "410"), now: 7_000)
        #expect(report.pauses == .gone && queue.next(now: 1_000_000) == nil)
        #expect(queue.counts().busyRequests == 1 && queue.counts().parkedEvents == 0)
        #expect(queue.progress().lowWater == 0)
    }

    @Test func aReceiverThatIsAwayIsTriedByOneRequestAndAllComeBackWithIt() throws {
        let queue = Self.queue {
            $0.failuresOfOutage = 4
            $0.longestOutagePauseMilliseconds = 8_000
        }
        for position in 1...20 { _ = queue.offer(Self.event(Int64(position), "\(position)")) }
        for _ in 0..<4 {
            let batch = try #require(queue.next(now: 0))
            queue.complete(batch.id, Self.failure, now: 0)
        }
        #expect(queue.counts().isOutage)
        var now: Int64 = 0
        for _ in 0..<50 {
            now = try #require(queue.wakeTime(now: now))
            let batch = try #require(queue.next(now: now))
            #expect(queue.next(now: now) == nil)
            let report = queue.complete(batch.id, Self.failure, now: now)
            #expect(report == DeliveryReport())
        }
        #expect(now > 50 * 3_000 && now < 50 * 8_000)
        now = try #require(queue.wakeTime(now: now))
        let batch = try #require(queue.next(now: now))
        queue.complete(batch.id, .delivered, now: now)
        #expect(!queue.counts().isOutage)
        let all = (0..<8).compactMap { _ in queue.next(now: now) }
        #expect(all.count == 8)
    }

    @Test func oneUserThatAlwaysFailsDoesNotStopTheOthersForLong() {
        let queue = Self.queue {
            $0.waitingEvents = 100
            $0.parkedEvents = 50
            $0.crowdedAfterMilliseconds = 60_000
            $0.crowdedPauseMilliseconds = 1_000
        }
        var (now, position, delivered) = (Int64(0), Int64(0), 0)
        var givenUp: [DeliveryReport.GivenUp] = []
        for _ in 0..<20_000 {
            now += 100
            if queue.offer(Self.event(position + 1, position % 2 == 0 ? "bad" : "b\(position % 7)"))
                == .taken
            {
                position += 1
            }
            while let batch = queue.next(now: now) {
                let isBad = batch.events[0].user == "bad"
                let report = queue.complete(
                    batch.id, isBad ? Self.failure : .delivered, now: now)
                givenUp += report.givenUp
                delivered += isBad ? 0 : 1
            }
            #expect(queue.counts().waitingEvents <= 100)
        }
        // 2,000 seconds: the first events of the user stop nothing, and the later ones briefly.
        #expect(position > 15_000 && delivered > 7_500)
        #expect(givenUp.count > 7_000 && givenUp.allSatisfy { $0.isEarly })
        let positions = givenUp.map(\.event.position)
        #expect(positions == positions.sorted())
    }

    @Test func usersThatFailLeaveRequestsForTheOthers() throws {
        let queue = Self.queue { $0.failuresOfOutage = 1_000 }
        for position in 1...40 { _ = queue.offer(Self.event(Int64(position), "\(position)")) }
        var now: Int64 = 0
        for _ in 0..<2 {
            while let batch = queue.next(now: now) {
                queue.complete(batch.id, Self.failure, now: now)
            }
            now += 3_600_000
        }
        let retries = (0..<8).compactMap { _ in queue.next(now: now) }
        #expect(retries.count == 6)
        _ = queue.offer(Self.event(41, "well"))
        let fresh = try #require(queue.next(now: now))
        #expect(fresh.events[0].user == "well")
    }
}
