import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Synchronization
import Testing

@testable import RelationCalls
@testable import RelationChanges

/// Two servers whose boards hear of each other through the notes of one store.
@Suite struct SharedPresenceTests {
    private let notes = KeptNotes()
    private let clock = ServiceClock { Timestamp(milliseconds: World.start + 1_000) }

    private final class Server: Sendable {
        let board = PresenceBoard()
        let shared: SharedPresence
        /// The answers to the callers of the reports, in that order.
        let answers = Mutex<[StorageError?]>([])

        init(_ notes: KeptNotes, _ clock: ServiceClock, limit: Int = 100, patience: Int = 600_000) {
            shared = SharedPresence(board, notes, clock: clock, limit: limit, patience: patience)
        }

        func report(
            _ user: UserID, _ device: String, _ online: Bool, _ milliseconds: Int64 = 0,
            of timeMs: Int64? = nil, while isWanted: @escaping @Sendable () -> Bool = { true }
        ) {
            var report = PresenceBoard.Report(
                user: user, deviceID: device, platform: "ios", online: online,
                leaseMs: online ? 60_000 : 0)
            report.timeMs = timeMs.map { World.start + $0 }
            let now = Timestamp(milliseconds: World.start + milliseconds)
            let isShared = board.share(
                SharedReports([report], app: 1, at: now, while: isWanted) { [weak self] error in
                    self?.answers.withLock { $0.append(error) }
                })
            #expect(isShared)
            shared.settle()
        }

        /// The number of reports that were answered well.
        var answered: Int { answers.withLock { $0.count { $0 == nil } } }

        /// Posts what waits, and reads what is there.
        func settle() {
            shared.wake()
            shared.settle()
        }

        func devices(_ user: UserID) -> [String] {
            let now = Timestamp(milliseconds: World.start + 1_000)
            return board.presence(of: user, app: 1, createdMs: 0, at: now).devices.map {
                "\($0.deviceID)\($0.online ? "+" : "-")\($0.changeTimeMs - World.start)"
            }
        }
    }

    @Test func bothBoardsKnowTheReportsOfBoth() {
        let (one, other) = (Server(notes, clock), Server(notes, clock))
        one.report("A", "phone", true, 1)
        other.report("A", "web", true, 2)
        one.report("A", "phone", false, 3)
        for server in [one, other] { server.settle() }
        #expect(one.devices("A") == ["phone-3", "web+2"])
        #expect(other.devices("A") == one.devices("A"))
    }

    /// Neither server has heard of the other's report when it takes its own.
    @Test(arguments: [true, false], [true, false])
    func theReportOfTheLaterTimeHoldsOnAllServers(_ isOnline: Bool, _ isLaterFirst: Bool) {
        let (one, other) = (Server(notes, clock), Server(notes, clock))
        if isLaterFirst {
            one.report("A", "phone", isOnline, 100, of: 20)
            other.report("A", "phone", !isOnline, 101, of: 10)
        } else {
            other.report("A", "phone", !isOnline, 100, of: 10)
            one.report("A", "phone", isOnline, 101, of: 20)
        }
        let third = Server(notes, clock)
        third.shared.start()
        for server in [one, other, third] {
            server.settle()
            #expect(server.devices("A").map { $0.prefix(6) } == [isOnline ? "phone+" : "phone-"])
            #expect(
                server.board.isOutdated(
                    PresenceBoard.Report(
                        user: "A", deviceID: "phone", platform: "", online: !isOnline, leaseMs: 0,
                        timeMs: World.start + 19), app: 1))
        }
        third.shared.stop()
        // A report without a time is the latest.
        other.report("A", "phone", !isOnline, 102)
        for server in [one, other] {
            server.settle()
            #expect(server.devices("A") == ["phone\(isOnline ? "-" : "+")102"])
        }
    }

    @Test func aServerThatStartsKnowsWhatWasReportedBefore() {
        let one = Server(notes, clock)
        one.report("A", "phone", true, 1)
        // The lease goes on, and the time of the change stays.
        one.report("A", "phone", true, 5)
        let other = Server(notes, clock)
        other.shared.start()
        #expect(other.devices("A") == ["phone+1"])
        other.shared.stop()
    }

    /// The second report is sent after the answer to the first one, so it holds on both, whichever
    /// server looks first.
    @Test func aReportAfterTheAnswerToAnEarlierOneHoldsOnAllServers() {
        for isOtherFirst in [true, false] {
            let (one, other) = (Server(notes, clock), Server(notes, clock))
            for round in 0..<100 {
                one.report("A", "phone", false, Int64(2 * round))
                #expect(one.answered == round + 1)
                other.report("A", "phone", true, Int64(2 * round + 1))
                #expect(other.answered == round + 1)
                for server in isOtherFirst ? [other, one] : [one, other] { server.settle() }
                #expect(one.devices("A") == ["phone+\(2 * round + 1)"])
                #expect(other.devices("A") == one.devices("A"))
            }
        }
    }

    @Test func aReportIsAnsweredWhenTheStoreHasIt() {
        let (one, other) = (Server(notes, clock), Server(notes, clock))
        notes.isAway.store(true, ordering: .relaxed)
        one.report("A", "phone", false, 1)
        #expect(one.answers.withLock { $0.isEmpty })
        #expect(one.devices("A") == [], "nothing is known before every server may know it")
        notes.isAway.store(false, ordering: .relaxed)
        one.settle()
        #expect(one.answered == 1)
        other.settle()
        #expect(one.devices("A") == ["phone-1"] && other.devices("A") == one.devices("A"))
    }

    @Test func aReportThatItsCallerHasGivenUpIsNotPostedLate() {
        let (one, other) = (Server(notes, clock), Server(notes, clock))
        let waits = Atomic(true)
        notes.isAway.store(true, ordering: .relaxed)
        one.report("A", "phone", false, 1) { waits.load(ordering: .relaxed) }
        waits.store(false, ordering: .relaxed)
        notes.isAway.store(false, ordering: .relaxed)
        other.report("A", "phone", true, 2)
        one.settle()
        #expect(one.answers.withLock { $0 } == [StorageError(.unavailable, "")])
        #expect(one.devices("A") == ["phone+2"])
    }

    @Test func aReportIsRefusedWhenTheStoreStaysAway() {
        let one = Server(notes, clock, patience: 0)
        notes.isAway.store(true, ordering: .relaxed)
        one.report("A", "phone", true)
        #expect(one.answers.withLock { $0 } == [StorageError(.unavailable, "")])
        notes.isAway.store(false, ordering: .relaxed)
        one.settle()
        #expect(one.devices("A") == [])
    }

    @Test func whatWaitsAtTheStopIsRefused() {
        let one = Server(notes, clock)
        notes.isAway.store(true, ordering: .relaxed)
        one.report("A", "phone", true)
        one.shared.stop()
        #expect(one.answers.withLock { $0 } == [StorageError(.unavailable, "")])
        one.report("B", "phone", true)
        #expect(one.answers.withLock { $0.count } == 2)
    }

    @Test func aFollowerIsNotifiedOfReportsOfAnotherServer() {
        let (one, other) = (Server(notes, clock), Server(notes, clock))
        let wakes = Atomic(0)
        other.board.follow { wakes.add(1, ordering: .relaxed) }
        one.report("A", "phone", true)
        other.settle()
        #expect(wakes.load(ordering: .relaxed) == 1)
        let now = Timestamp(milliseconds: World.start)
        #expect(other.board.takeChanges(at: now).map(\.presence.online) == [true])
    }

    @Test func presenceIsEmptyAfterTheStoreHasLostItsNotes() {
        let (one, other) = (Server(notes, clock), Server(notes, clock))
        one.report("A", "phone", true)
        one.report("B", "phone", false)
        other.settle()
        other.board.follow {}
        notes.lose()
        one.report("C", "phone", true)
        other.settle()
        for server in [one, other] {
            #expect(server.devices("A") == [])
            #expect(server.devices("C") == ["phone+0"])
        }
        let changes = other.board.takeChanges(at: Timestamp(milliseconds: World.start))
        // A user that was online is reported as gone; one that was offline has not changed.
        #expect(changes.filter(\.isLost).map(\.user) == ["A"])
        other.board.checkInvariants()
    }

    @Test func reportsBeyondTheBoundAreRefused() {
        let one = Server(notes, clock, limit: 2)
        notes.isAway.store(true, ordering: .relaxed)
        for user in ["A", "B", "C"] { one.report(UserID(user)!, "phone", true) }
        #expect(one.answers.withLock { $0 } == [StorageError(.unavailable, "")])
        notes.isAway.store(false, ordering: .relaxed)
        one.settle()
        #expect(one.answered == 2)
        #expect(one.devices("B") == ["phone+0"] && one.devices("C") == [])
        // There is room again.
        one.report("C", "phone", true)
        #expect(one.answered == 3 && one.devices("C") == ["phone+0"])
    }

    @Test func severalReportsOfOneDeviceInOnePostEndAsTheLastOne() {
        let (one, other) = (Server(notes, clock), Server(notes, clock))
        notes.isAway.store(true, ordering: .relaxed)
        for (online, time) in [(true, 1), (false, 2), (false, 3), (true, 4), (true, 5)] {
            one.report("A", "phone", online, Int64(time))
        }
        notes.isAway.store(false, ordering: .relaxed)
        one.settle()
        other.settle()
        #expect(one.answered == 5)
        #expect(one.devices("A") == ["phone+4"] && other.devices("A") == ["phone+4"])
    }
}
