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

    private final class Server {
        let board = PresenceBoard()
        let shared: SharedPresence

        init(_ notes: KeptNotes, _ clock: ServiceClock, limit: Int = 100) {
            shared = SharedPresence(board, notes, clock: clock, limit: limit)
        }

        func report(_ user: UserID, _ device: String, _ online: Bool, _ milliseconds: Int64 = 0) {
            let report = PresenceBoard.Report(
                user: user, deviceID: device, platform: "ios", online: online,
                leaseMs: online ? 60_000 : 0)
            board.report(
                [report], app: 1, at: Timestamp(milliseconds: World.start + milliseconds))
            settle()
        }

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

    @Test func theLastReportOfADeviceHoldsOnAllServers() {
        let (one, other) = (Server(notes, clock), Server(notes, clock))
        notes.isAway.store(true, ordering: .relaxed)
        one.report("A", "phone", true, 1)
        other.report("A", "phone", false, 2)
        notes.isAway.store(false, ordering: .relaxed)
        for server in [one, other, one] { server.settle() }
        #expect(one.devices("A") == other.devices("A"))
        #expect(one.devices("A") == ["phone-2"])
    }

    @Test func aFollowerIsToldOfReportsOfAnotherServer() {
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
        // A user that was online is told to be gone; one that was offline has not changed.
        #expect(changes.filter(\.isLost).map(\.user) == ["A"])
        other.board.checkInvariants()
    }

    @Test func reportsBeyondTheBoundStayOnTheirServer() {
        let one = Server(notes, clock, limit: 2)
        notes.isAway.store(true, ordering: .relaxed)
        for user in ["A", "B", "C"] { one.report(UserID(user)!, "phone", true) }
        // A device that waits already may change.
        one.report("A", "phone", false, 5)
        notes.isAway.store(false, ordering: .relaxed)
        one.settle()
        let other = Server(notes, clock)
        other.settle()
        #expect(other.devices("A") == ["phone-5"])
        #expect(other.devices("B") == ["phone+0"])
        #expect(other.devices("C") == [])
        #expect(one.devices("C") == ["phone+0"])
    }
}

/// The notes of a store in memory; it is no store, and gives no leases.
private final class KeptNotes: StorePeers {
    private struct State {
        var run = 0
        var number: Int64 = 0
        var notes: [[UInt8]: (number: Int64, value: [UInt8])] = [:]
    }

    let isAway = Atomic(false)
    let doesUpkeep = true
    private let state = Mutex(State())

    func lose() {
        state.withLock { $0 = State(run: $0.run + 1) }
    }

    private func check() throws(StorageError) {
        if isAway.load(ordering: .relaxed) { throw StorageError(.unavailable, "away") }
    }

    func post(_ notes: [PeerNote]) throws(StorageError) {
        try check()
        state.withLock { state in
            for note in notes {
                state.number += 1
                state.notes[note.key] = (state.number, note.value)
            }
        }
    }

    func notes(behind place: NotePlace?) throws(StorageError) -> PeerNotes {
        try check()
        return state.withLock { state in
            var found = PeerNotes()
            found.beginsAnew = place.map { $0.run != "\(state.run)" } ?? false
            let last = found.beginsAnew ? 0 : place?.number ?? 0
            found.notes =
                state.notes.filter { $0.value.number > last }
                .sorted { $0.value.number < $1.value.number }
                .map { PeerNote(key: $0.key, value: $0.value.value) }
            found.place = NotePlace(run: "\(state.run)", number: state.number)
            return found
        }
    }

    func trimNotes(to count: Int) throws(StorageError) {}
    func wait(milliseconds: Int) throws(StorageError) -> Set<PeerNews> { [] }
    let lease = Lease()
    func renew(
        _ read: (any ReadTransaction) throws(StorageError) -> Int64
    ) throws(StorageError) -> Bool { true }
    func wentBack() {}
    func settle(_ version: Int64) {}
    func leave() {}
}
