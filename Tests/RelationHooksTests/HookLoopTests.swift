import RelationAdmission
import RelationModel
import Storage
import Synchronization
import Testing
import Webhooks

@testable import RelationCore
@testable import RelationHooks

/// The delivery of hooks, against a receiver and a clock of the test.
struct HookLoopTests {
    private static let hour: Int64 = 3_600_000

    @Test func eventsAfterTheHookComeInTheOrderOfTheirUsers() throws {
        let bench = try HookBench()
        try bench.change("ann")
        let id = try bench.hook()
        try bench.change("ann", "bob", "ann", "cid", "ann")
        let loop = bench.server()
        try bench.run(loop)
        #expect(bench.positions.sorted() == [2, 3, 4, 5, 6])
        #expect(bench.positions.filter { [2, 4, 6].contains($0) } == [2, 4, 6])
        try loop.finish()
        let progress = try #require(try bench.progress(id))
        #expect((progress.position, progress.holder, progress.deliveredMs) == (6, "", bench.nowMs))
        // Another server goes on, and repeats nothing.
        bench.forget()
        try bench.change("bob")
        try bench.run(bench.server(1), 1)
        #expect(bench.positions == [7])
    }

    @Test(arguments: 0...8, [false, true])
    func aServerThatIsKilledRepeatsOnlyEventsThatWereNotStored(
        after answers: Int, isStored: Bool
    ) throws {
        let bench = try HookBench()
        try bench.hook()
        for _ in 0..<4 { try bench.change("ann", "bob") }
        let first = bench.server()
        // The first server hears of so many answers, and of no more.
        bench.state.withLock { $0.answersLeft = answers }
        try bench.run(first)
        if isStored {
            bench.later(HookLimits.storeMilliseconds)
            try first.pass()
        }
        let confirmed = bench.state.withLock { Set($0.answered) }
        #expect(confirmed.count == min(answers, 8))
        let before = bench.received
        bench.forget()
        bench.state.withLock { $0.answersLeft = .max }
        try bench.run(bench.server(1), 1)
        let again = bench.received
        #expect(Set(before).union(again).count == 8)
        #expect(Set(again).union(confirmed).count == 8)
        if isStored { #expect(confirmed.isDisjoint(with: again)) }
        // Each user's events come in their order, in each life of the server.
        for part in [before, again] {
            let positions = part.compactMap { Int64($0.split(separator: "-").last ?? "") }
            for odd in [0, 1] as [Int64] {
                let own = positions.filter { $0 % 2 == odd }
                #expect(own == own.sorted())
            }
        }
    }

    @Test func aDayWithoutTheReceiverLosesNothingAndCostsFewRequests() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        try bench.change("ann", "bob", "ann")
        bench.answers(503)
        let loop = bench.server()
        try bench.run(loop, for: 24 * Self.hour, every: 30_000)
        #expect(bench.received.count < 24 * 60 * 2)
        let failing = try #require(try bench.progress(id))
        #expect(failing.failingSinceMs > 0)
        #expect(failing.stoppedMs == 0)
        #expect(failing.failures > Int64(Limits.hookFailures))
        let app = try #require(bench.apps[HookBench.app])
        let failures = try bench.store.read(reaching: .disk) {
            (transaction) throws(StorageError) in
            try Hooks.failures(of: id, failing, app, in: transaction)
        }
        #expect(failures.count == Limits.hookFailures)
        #expect(failures.first?.record.status == 503)
        bench.forget()
        bench.answers(200)
        try bench.run(loop, for: 2 * Self.hour, every: 30_000)
        #expect(bench.positions.sorted() == [1, 2, 3])
        #expect(bench.positions.filter { $0 != 2 } == [1, 3])
        #expect(try bench.progress(id)?.failingSinceMs == 0)
    }

    @Test func aHookStopsAfterThreeDaysAndGoesOnWhereItWas() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        try bench.change("ann", "ann")
        bench.answers(500)
        let loop = bench.server()
        try bench.run(loop, for: 80 * Self.hour, every: 60_000)
        let stopped = try #require(try bench.progress(id))
        #expect(stopped.stoppedMs > 0)
        #expect((stopped.position, stopped.holder) == (0, ""))
        bench.forget()
        bench.answers(200)
        try bench.run(loop, for: Self.hour, every: 60_000)
        #expect(bench.received.isEmpty)
        var change = Hooks.Change()
        change.isPaused = false
        let changed = try bench.write { (ledger) throws(StorageError) in
            try Hooks.update(id, change, in: ledger)
        }
        #expect(changed?.isChanged == true)
        try bench.run(loop)
        #expect(bench.positions == [1, 2])
    }

    @Test func aReceiverThatIsGoneStopsItsHookAtOnce() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        try bench.change("ann", "ann")
        bench.answers(410)
        try bench.run(bench.server())
        #expect(bench.received.count == 1)
        let progress = try #require(try bench.progress(id))
        #expect(progress.stoppedMs == bench.nowMs)
        #expect(progress.position == 0)
    }

    @Test func aHookThatIsPausedOrDeletedGetsNoMore() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        let loop = bench.server()
        try bench.change("ann")
        try bench.run(loop)
        var change = Hooks.Change()
        change.isPaused = true
        try bench.write { (ledger) throws(StorageError) in
            _ = try Hooks.update(id, change, in: ledger)
        }
        try bench.change("ann")
        try bench.run(loop)
        #expect(bench.positions == [1])
        #expect(try bench.progress(id)?.holder == "")
        change.isPaused = false
        try bench.write { (ledger) throws(StorageError) in
            _ = try Hooks.update(id, change, in: ledger)
        }
        try bench.run(loop)
        #expect(bench.positions == [1, 2])
        try bench.change("ann")
        try loop.pass()
        let isDeleted = try bench.write { (ledger) throws(StorageError) in
            try Hooks.delete(id, in: ledger)
        }
        #expect(isDeleted)
        bench.forget()
        try bench.change("ann")
        try bench.run(loop)
        #expect(bench.received.isEmpty)
        #expect(try bench.progress(id) == nil)
    }

    @Test func onlyWantedKindsAreSentAndTheOthersArePassed() throws {
        let bench = try HookBench()
        let id = try bench.hook { $0.kinds = [.addFriend] }
        try bench.change("ann", "bob")
        let loop = bench.server()
        try bench.run(loop)
        bench.later(HookLimits.storeMilliseconds)
        try bench.run(loop)
        #expect(bench.received.isEmpty)
        #expect(try bench.progress(id)?.position == 2)
        var change = Hooks.Change()
        change.kinds = []
        try bench.write { (ledger) throws(StorageError) in
            _ = try Hooks.update(id, change, in: ledger)
        }
        try bench.change("ann")
        try bench.run(loop)
        #expect(bench.positions == [3])
    }

    @Test func aTrimmedLogIsReportedByAMarker() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        try bench.change("ann", "bob", "ann")
        try bench.trim(to: 2)
        let loop = bench.server()
        bench.answers(500)
        try bench.run(loop)
        #expect(Set(bench.received.map { $0.hasSuffix("-2-trimmed") }) == [true])
        bench.forget()
        bench.answers(200)
        try bench.run(loop, for: 120_000, every: 1_000)
        #expect(bench.received.first?.hasSuffix("-2-trimmed") == true)
        #expect(bench.positions == [3])
        #expect(try bench.progress(id)?.position == 3)
    }

    /// An event that fails may do so for days: the marker and those behind it do not wait for it.
    @Test(arguments: [400, 500])
    func aMarkerDoesNotWaitForEventsThatFail(status: Int) throws {
        let bench = try HookBench()
        let id = try bench.hook()
        try bench.change("bad", "ann")
        bench.answers { name in
            HookResult(WebhookAnswer(status: name.hasSuffix("-1") ? status : 200))
        }
        let loop = bench.server()
        try bench.run(loop, for: 10_000, every: 500)
        try bench.change("ann", "ann", "ann")
        try bench.trim(to: 4)
        bench.forget()
        try bench.run(loop, for: 600_000, every: 1_000)
        let others = bench.received.filter { !$0.hasSuffix("-1") }
        #expect(others.map { $0.split(separator: "-").last } == ["trimmed", "5"])
        #expect(bench.requests(named: "-4-trimmed").allSatisfy { $0.contains(#""2""#) })
        #expect(try bench.progress(id)?.position == 0)
        // The event before it still comes.
        bench.answers(200)
        try bench.run(loop, for: 2 * Self.hour, every: 10_000)
        #expect(bench.positions.last == 1)
        #expect(try bench.progress(id)?.position == 5)
    }

    /// The log was cut where the hook had delivered events out of turn: those that failed are gone.
    @Test func aRestartTellsOfEventsThatFailedAndAreGone() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        try bench.change("bad", "ann", "bob", "ann", "bob")
        bench.answers { name in
            HookResult(WebhookAnswer(status: name.hasSuffix("-1") ? 500 : 200))
        }
        let loop = bench.server()
        try bench.run(loop, for: 10_000, every: 500)
        try loop.finish()
        #expect(try bench.progress(id)?.position == 0)
        try bench.trim(to: 3)
        bench.forget()
        try bench.change("ann")
        try bench.run(bench.server(1), 1, for: 10_000, every: 500)
        #expect(bench.received.map { $0.split(separator: "-").last } == ["trimmed", "6"])
        #expect(try bench.progress(id)?.position == 6)
    }

    /// After a restore, the position of a hook may be one of a history that is gone.
    @Test func aPositionOfAnotherHistoryIsReportedByAMarker() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        let app = try #require(bench.apps[HookBench.app])
        try bench.change("ann", "bob")
        try bench.write { (ledger) throws(StorageError) in
            var progress = HookProgressRecord()
            progress.position = 99
            progress.historyID = app.history.id &+ 1
            try Tables.hookProgress.set(progress, at: app.partition, id, in: ledger.transaction)
        }
        let loop = bench.server()
        bench.answers(500)
        try bench.run(loop, for: 3_000, every: 500)
        // Until the marker is delivered, a restart begins with it again.
        #expect(Set(bench.received.map { $0.hasSuffix("-2-trimmed") }) == [true])
        #expect(try bench.progress(id)?.position == 99)
        bench.forget()
        bench.answers(200)
        try bench.change("ann")
        try bench.run(loop, for: 120_000, every: 1_000)
        #expect(bench.received.map { $0.split(separator: "-").last } == ["trimmed", "3"])
        let progress = try #require(try bench.progress(id))
        #expect((progress.position, progress.historyID) == (3, app.history.id))
    }

    @Test func oneServerDeliversAndAnotherFollowsWithinTheLease() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        let (first, second) = (
            bench.server(1, sharesStore: true), bench.server(2, sharesStore: true)
        )
        try bench.change("ann")
        try bench.run(first, 1)
        try bench.run(second, 2)
        #expect(bench.positions == [1])
        #expect(try bench.progress(id)?.holder == "server 1")
        // The first server hangs. The second one takes the hook when the lease has run out.
        try bench.change("ann")
        bench.later(HookLimits.retakeMilliseconds)
        try bench.run(second, 2)
        #expect(bench.positions == [1])
        bench.later(HookLimits.leaseMilliseconds)
        try bench.run(second, 2)
        #expect(bench.positions.last == 2)
        #expect(try bench.progress(id)?.holder == "server 2")
        // The first one comes back: it sends nothing more, and writes nothing over.
        bench.forget()
        try bench.change("ann")
        try bench.run(first, 1)
        #expect(bench.received.isEmpty)
        #expect(try bench.progress(id)?.holder == "server 2")
        try bench.run(second, 2)
        #expect(bench.positions == [3])
    }

    @Test func aDeadServerIsFollowedAtTheEndOfItsLease() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        let (first, second) = (
            bench.server(1, sharesStore: true), bench.server(2, sharesStore: true)
        )
        try bench.change("ann")
        try bench.run(first, 1)
        try bench.change("ann")
        // The usual looks of the second server fall between those of the lease.
        bench.later(1_000)
        try bench.run(second, 2, for: HookLimits.leaseMilliseconds - 2_000, every: 500)
        #expect(bench.positions == [1])
        try bench.run(second, 2, for: 1_500, every: 500)
        #expect(bench.positions.last == 2)
        #expect(try bench.progress(id)?.holder == "server 2")
    }

    @Test func aReplayGoesBackToAPositionOrATime() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        let loop = bench.server()
        try bench.change("ann", "ann")
        bench.later(60_000)
        let time = bench.nowMs
        try bench.change("ann", "ann")
        try bench.run(loop)
        bench.forget()
        try bench.write { (ledger) throws(StorageError) in
            _ = try Hooks.replay(id, from: .position(1), in: ledger)
        }
        try bench.run(loop)
        #expect(bench.positions == [2, 3, 4])
        bench.forget()
        try bench.write { (ledger) throws(StorageError) in
            _ = try Hooks.replay(id, from: .time(time), in: ledger)
        }
        try bench.run(loop)
        #expect(bench.positions == [3, 4])
        // A time after all events delivers nothing, and a position beyond the feed is its end.
        bench.forget()
        try bench.write { (ledger) throws(StorageError) in
            _ = try Hooks.replay(id, from: .time(time + 1), in: ledger)
            _ = try Hooks.replay(id, from: .position(.max), in: ledger)
        }
        try bench.run(loop)
        #expect(bench.received.isEmpty)
    }

    /// A server that was stopped before a request went out must not send it in another one's lease.
    @Test func aRequestEndsWithinTheLease() throws {
        let bench = try HookBench()
        try bench.hook()
        try bench.change("ann")
        let loop = bench.server(sharesStore: true)
        try bench.run(loop)
        let request = try #require(bench.state.withLock { $0.requests.first })
        let usual = HookLimits.requestMilliseconds
        #expect(request.endMs == bench.nowMs + usual)
        #expect(request.timeLeft(at: bench.nowMs) == .milliseconds(usual))
        #expect(request.timeLeft(at: bench.nowMs + usual - 1) == .milliseconds(1))
        #expect(request.timeLeft(at: bench.nowMs + HookLimits.leaseMilliseconds) < .zero)
        // A clock that was behind gives no more time than usual, and neither does a test's request.
        #expect(request.timeLeft(at: bench.nowMs - usual) == .milliseconds(usual))
        var test = request
        test.endMs = nil
        #expect(test.timeLeft(at: bench.nowMs + usual) == .milliseconds(usual))
    }

    /// Receivers refuse a time of some minutes ago, and an event may be sent again for days.
    @Test func eachAttemptIsSignedWithItsOwnTime() throws {
        let bench = try HookBench()
        try bench.hook()
        try bench.change("ann")
        bench.answers(503)
        let began = bench.nowMs
        try bench.run(bench.server(), for: 24 * Self.hour, every: 60_000)
        let requests = bench.state.withLock { $0.requests }
        let times = requests.map { request in
            request.headers.first { $0.name == "webhook-timestamp" }.flatMap { Int64($0.value) }
        }
        let seconds = times.compactMap { $0 }
        #expect(seconds.count == requests.count && seconds == seconds.sorted())
        #expect(seconds.first == began / 1_000)
        #expect(seconds.last ?? 0 > bench.nowMs / 1_000 - 600)
        #expect(Set(bench.state.withLock { $0.signatures }).count == Set(seconds).count)
        #expect(Set(bench.received).count == 1)
    }

    @Test func bothSecretsSignUntilTheOlderOneEnds() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        let loop = bench.server()
        let end = bench.nowMs + 10_000
        try bench.write { (ledger) throws(StorageError) in
            _ = try Hooks.rotate(
                id, to: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
                oldValidUntilMs: end, in: ledger)
        }
        try bench.change("ann")
        try bench.run(loop)
        bench.later(10_001)
        try bench.change("ann")
        try bench.run(loop)
        let counts = bench.state.withLock { $0.signatures.map { $0.split(separator: " ").count } }
        #expect(counts == [2, 1])
    }

    /// A second rotation takes no secret away that a receiver still has.
    @Test func eachSecretSignsUntilItsOwnTime() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        let loop = bench.server()
        let now = bench.nowMs
        let rotate = { (number: Int, until: Int64) throws -> Hooks.Rotation in
            try bench.write { (ledger) throws(StorageError) in
                try Hooks.rotate(
                    id, to: "whsec_\(number)AECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
                    oldValidUntilMs: until, in: ledger)
            }
        }
        for number in 1..<Limits.hookSecrets {
            let rotated = try rotate(number, now + Int64(number) * 10_000)
            #expect(rotated != .full)
        }
        #expect(try rotate(8, now + 10_000) == .full)
        for _ in 0..<Limits.hookSecrets {
            try bench.change("ann")
            try bench.run(loop)
            bench.later(10_001)
        }
        let counts = bench.state.withLock { $0.signatures.map { $0.split(separator: " ").count } }
        #expect(counts == [4, 3, 2, 1])
        // A secret that ends at once takes all older ones with it.
        let until = bench.nowMs + 60_000
        for number in 4...5 { #expect(try rotate(number, until) != .full) }
        guard case .done(let last) = try rotate(6, 0) else {
            Issue.record("the secret was not rotated")
            return
        }
        #expect(last.hook.secrets.count == 1)
    }

    @Test func aBatchHasEventsOfSeveralUsers() throws {
        let bench = try HookBench()
        try bench.hook { $0.batchSize = 10 }
        try bench.change("ann", "bob", "ann")
        bench.state.withLock { $0.answersLeft = 0 }
        try bench.run(bench.server())
        bench.state.withLock { $0.answersLeft = .max }
        try bench.run(bench.server(1), 1)
        // The same events have the same name again, and others have another one.
        try bench.change("ann", "bob")
        try bench.run(bench.server(2), 2)
        let names = bench.received
        #expect(names.count == 3)
        #expect(names[0] == names[1])
        #expect(names[0] != names[2])
    }

    @Test func aHookThatIsChangedHearsOfWhatIsUnderWayFirst() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        let loop = bench.server()
        try bench.change("ann", "bob")
        try loop.pass()
        var change = Hooks.Change()
        change.batchSize = 10
        try bench.write { (ledger) throws(StorageError) in
            _ = try Hooks.update(id, change, in: ledger)
        }
        // The answers are still on their way.
        try loop.pass()
        try bench.change("ann", "bob")
        try bench.run(loop)
        #expect(bench.received.count == 3)
        #expect(Set(bench.received).count == 3)
        #expect(bench.received.last?.contains("-batch-") == true)
    }

    @Test func eventsThatWaitTakeNoMoreMemoryThanTheyMay() throws {
        let bench = try HookBench()
        for number in 0..<Limits.hooks { try bench.hook("hook-\(100 + number)") }
        for number in 0..<200 { try bench.change("user\(number)") }
        let bound = 400_000
        let loop = bench.server(heldBytes: bound)
        bench.answers(503)
        var most = 0
        for _ in 0..<300 {
            try loop.pass()
            bench.deliverMail(loop)
            most = max(most, loop.counts.waitingBytes)
            bench.later(1_000)
        }
        // One app holds half of it, and the page that is read last may go beyond.
        #expect(most > bound / 4)
        #expect(most < bound)
        bench.forget()
        bench.answers(200)
        try bench.run(loop, for: 600_000, every: 1_000)
        let own = bench.positions.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        #expect(own.count == 200)
        #expect(own.values.allSatisfy { $0 >= Limits.hooks })
        #expect(loop.counts.waitingBytes == 0)
    }

    @Test func anAppHasNoMoreHooksThanItMay() throws {
        let bench = try HookBench()
        for number in 0..<Limits.hooks { try bench.hook("hook-\(100 + number)") }
        let more = try bench.write { (ledger) throws(StorageError) in
            try Hooks.create(HookRecord(), in: ledger)
        }
        #expect(more == .full)
    }
}
