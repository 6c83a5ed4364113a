import Storage
import StorageSuite
import Testing
import WholeSimulation

/// The model of PostgreSQL: what it keeps as the real one does, then its errors, by a clock that is
/// turned by hand.
@Suite struct PostgresModelTests {
    private let ann = Partition("ann")
    private let bob = Partition("bob")

    /// Processes of one database, by one clock.
    private struct Processes {
        let time = HandTime()
        let model: PostgresModel
        let stores: [ModelStore]

        init(
            _ count: Int = 2, standbys: Int = 0, isSynchronous: Bool = false, seed: UInt64? = 1,
            flaw: PostgresModel.Flaw? = nil, _ change: (inout ModelOptions) -> Void = { _ in }
        ) {
            var options = ModelOptions()
            change(&options)
            let (time, model) = (
                time,
                PostgresModel(
                    time, standbys: standbys, isSynchronous: isSynchronous, seed: seed, flaw: flaw)
            )
            self.model = model
            stores = (0..<count).map {
                ModelStore(model, time, options, seed: (seed ?? 1) &* 31 &+ UInt64($0))
            }
        }

        func close() { for store in stores { store.close() } }
    }

    @Test(arguments: storagePromises) func theModelKeeps(_ promise: StorageSuite.Promise) throws {
        try promise.check(ModelEngine())
    }

    @Test(arguments: sharedPromises) func theModelShares(_ promise: SharedPromise) throws {
        try promise.check(ModelEngine())
    }

    /// The connection is lost at any moment of a write, and the write is made once.
    @Test func aWriteWhoseConnectionIsLostIsMadeOnce() throws {
        var (again, settled) = (0, 0)
        for seed in UInt64(1)...80 {
            let processes = Processes(1, seed: seed)
            let (store, model) = (processes.stores[0], processes.model)
            try store.put([Row("n", "0")], in: ann)
            processes.time.after(milliseconds: Int(seed % 5)) {
                model.cut(losingAnswersOnly: seed % 2 == 0)
            }
            var runs = 0
            try store.write(touching: [ann]) { (transaction) throws(StorageError) in
                runs += 1
                let count = Int(try transaction.text(ann.key("n")) ?? "") ?? -1
                transaction.set(ann.key("n"), "\(count + 1)")
            }
            #expect(try store.text(ann.key("n")) == "1", "seed \(seed)")
            if runs > 1 { again += 1 } else { settled += 1 }
            processes.close()
        }
        #expect(again > 0 && settled > 0)
    }

    /// A commit that waits for a standby is on the disk, and not seen yet.
    ///
    /// If its session ends then, it is seen, though no standby has it.
    @Test func aCommitIsSeenWhenAStandbyHasItOrItsSessionEnds() throws {
        for ends in [false, true] {
            let processes = Processes(standbys: 1, isSynchronous: true)
            let (one, other) = (processes.stores[0], processes.stores[1])
            let (model, time) = (processes.model, processes.time)
            try one.put([Row("a", "1")], in: ann)
            model.freeze(1, milliseconds: 3_000)
            var seen: [String?] = []
            time.after(milliseconds: 1_000) { seen.append(try? other.text(ann.key("a"))) }
            time.after(milliseconds: 1_500) { if ends { model.endSessions() } }
            time.after(milliseconds: 2_000) { seen.append(try? other.text(ann.key("a"))) }
            try one.put([Row("a", "2")], in: ann)
            #expect(seen == ["1", ends ? "2" : "1"])
            #expect(try other.text(ann.key("a")) == "2")
            processes.close()
        }
    }

    /// A standby that lacks what was answered takes over: the process serves nothing more.
    @Test func aStandbyThatLacksAnAnsweredWriteIsNotServed() throws {
        let processes = Processes(1, standbys: 1)
        let (store, model) = (processes.stores[0], processes.model)
        try store.put([Row("a", "1")], in: ann)
        model.freeze(1, milliseconds: 1_000)
        try store.put([Row("a", "2")], in: ann)
        model.crash(0)
        model.promote(1)
        #expect(throws: StorageError(.lostData, "")) { try store.text(ann.key("a")) }
        processes.close()
    }

    @Test func aCrashKeepsWhatWasCommittedAndLosesTheNotes() throws {
        let processes = Processes(1)
        let (store, model) = (processes.stores[0], processes.model)
        let peers = try #require(store.peers)
        try store.put([Row("a", "1")], in: ann)
        let note = PeerNote(key: [1], value: [2])
        let position = try peers.post([note], readingAfter: nil).position
        model.crash(0)
        processes.time.after(milliseconds: 300) { model.restart(0) }
        #expect(try store.text(ann.key("a")) == "1")
        #expect(try peers.notes(after: position).beginsAnew)
        processes.close()
    }

    @Test func aStandbyAnswersWithinItsLagAndForThePresentPrimary() throws {
        let processes = Processes(1, standbys: 1) {
            $0.hasStandbys = true
            ($0.standbyStalenessMilliseconds, $0.standbyWaitMilliseconds) = (1_000, 500)
        }
        let (store, model, time) = (processes.stores[0], processes.model, processes.time)
        let standbys = try #require(store.standbys)
        try store.put([Row("a", "1")], in: ann)
        var seen: [String?] = []
        func read(_ need: StandbyNeed) -> StandbyOutcome {
            standbys.read(need) { (transaction) throws(StorageError) in
                seen.append(try transaction.text(ann.key("a")))
                return .answered
            }
        }
        _ = read(.recent)
        time.pass(milliseconds: 100)
        #expect(read(.recent) == .answered && read(.present) == .answered)
        #expect(seen.last == "1")
        model.lag(1, milliseconds: nil)
        try store.put([Row("a", "2")], in: ann)
        time.pass(milliseconds: 2_000)
        seen = []
        // It asks for a number that the standby does not show, and for one after that.
        for _ in 0..<2 { #expect(read(.recent) == .behind) }
        #expect(read(.present) == .away)
        #expect(seen == [])
        // A long read takes its view at the primary then.
        let atPrimary = try store.longSnapshot()
        #expect(try text(atPrimary) == "2")
        model.lag(1, milliseconds: 0)
        time.pass(milliseconds: 100)
        #expect(read(.present) == .answered && seen == ["2"])
        let view = try store.longSnapshot()
        #expect(try text(view) == "2" && !view.isLost)
        model.crash(0)
        model.promote(1)
        _ = try store.text(ann.key("a"))
        #expect(view.isLost)
        for snapshot in [atPrimary, view] { snapshot.close() }
        processes.close()
    }

    private func text(_ snapshot: any Snapshot) throws(StorageError) -> String? {
        try snapshot.read { (found) throws(StorageError) in try found.text(ann.key("a")) }
    }

    /// A process that sleeps in its transaction holds its locks, until its lease has run out.
    @Test func aProcessThatSleepsHoldsUpNoOtherForLong() throws {
        let processes = Processes()
        let (one, other, time) = (processes.stores[0], processes.stores[1], processes.time)
        for store in processes.stores {
            for _ in 0..<2 { try #require(store.peers).renew(knowing: 1) }
        }
        let begun = time.now
        var waited: UInt64 = 0
        #expect(throws: StorageError(.unavailable, "")) {
            try one.write(touching: [ann]) { (transaction) throws(StorageError) in
                _ = try transaction.text(ann.key("a"))
                transaction.set(ann.key("a"), "1")
                guard waited == 0 else { return }
                // Renewed by hand: the other process lives.
                time.after(milliseconds: 2_000) { _ = try? other.peers?.renew(knowing: 1) }
                try other.put([Row("a", "2")], in: ann)
                waited = time.now - begun
            }
        }
        #expect(try other.text(ann.key("a")) == "2")
        #expect(waited >= 2_000_000_000 && waited < 5_000_000_000)
        processes.close()
    }

    @Test func noticesComeLateAndAreLostWithTheirConnection() throws {
        let processes = Processes()
        let (one, peers) = (processes.stores[0], try #require(processes.stores[1].peers))
        #expect(try peers.wait(milliseconds: 0) == [])
        try one.put([Row("a", "1")], in: ann)
        #expect(try peers.wait(milliseconds: 1_000) == [.feed])
        processes.model.cut()
        _ = try? one.put([Row("a", "2")], in: ann)
        #expect(throws: StorageError(.unavailable, "")) {
            for _ in 0..<30 where try peers.wait(milliseconds: 100) != [] {
                Issue.record("a notice came over a lost connection")
            }
        }
        // The next wait listens anew.
        #expect(try peers.wait(milliseconds: 0) == [])
        processes.close()
    }

    @Test func aSeedReplaysATimeByATime() throws {
        func history(_ seed: UInt64) throws -> [UInt64] {
            let processes = Processes(seed: seed)
            var times: [UInt64] = []
            for round in 0..<20 {
                try processes.stores[round % 2].put([Row("a", "\(round)")], in: ann)
                times.append(processes.time.now)
                if round == 10 { processes.model.cut() }
            }
            processes.close()
            return times
        }
        #expect(try history(5) == history(5))
        #expect(try history(5) != history(6))
    }

    /// A session that hangs keeps its locks, also from an operator, and goes on as if nothing was.
    @Test func aSessionThatHangsKeepsItsLocksAndGoesOn() throws {
        let processes = Processes()
        let (one, other) = (processes.stores[0], processes.stores[1])
        let (model, time) = (processes.model, processes.time)
        #expect(model.hang(one.process, choice: 0, milliseconds: 10) == nil)
        let begun = time.now
        var waited: UInt64 = 0
        var hasHung = false
        var text: String?
        time.after(milliseconds: 20) {
            try? other.put([Row("b", "1")], in: ann)
            waited = time.now - begun
            text = try? other.text(ann.key("a"))
        }
        try one.write(touching: [ann]) { (transaction) throws(StorageError) in
            _ = try transaction.text(ann.key("a"))
            if !hasHung {
                hasHung = true
                #expect(model.hang(one.process, choice: 0, milliseconds: 1_500) == true)
                model.endSessions()
            }
            transaction.set(ann.key("a"), "1")
        }
        #expect(waited >= 1_490_000_000 && waited < 3_000_000_000)
        #expect(try other.text(ann.key("a")) == "1")
        #expect(text == nil || text == "1")
        processes.close()
    }

    /// A renewal that hangs in its commit keeps the row of the lease.
    ///
    /// A later one waits for it, and is not overwritten when it goes on. Without the lock the
    /// process takes the database for one that has gone back.
    @Test(arguments: [nil, PostgresModel.Flaw.overwritesLeases])
    func aRenewalThatHangsInItsCommitTakesNoLaterOneBack(_ flaw: PostgresModel.Flaw?) throws {
        let processes = Processes(1, standbys: 1, isSynchronous: true, flaw: flaw)
        let (store, model, time) = (processes.stores[0], processes.model, processes.time)
        let peers = try #require(store.peers)
        for _ in 0..<2 { try peers.renew(knowing: 1) }
        model.holdStandby(1, isToStandby: false, milliseconds: 100)
        time.after(milliseconds: 50) {
            #expect(model.hang(store.process, choice: 0, milliseconds: 6_000) == false)
            model.cut(store.process)
        }
        var codes: [StorageError.Code?] = []
        for _ in 0..<16 {
            do throws(StorageError) {
                try peers.renew(knowing: 1)
                codes.append(nil)
            } catch {
                codes.append(error.code)
            }
            time.pass(milliseconds: 500)
        }
        #expect(codes.first == .unavailable)
        #expect(codes.last == .some(flaw == nil ? nil : .lostData))
        #expect(codes.contains(.lostData) == (flaw != nil))
        processes.close()
    }

    /// A server that hung goes on with what has come to it as soon as it is healed, and not later.
    @Test func aServerThatIsHealedGoesOnAtOnce() throws {
        let processes = Processes(1, standbys: 1, isSynchronous: true)
        let (store, model, time) = (processes.stores[0], processes.model, processes.time)
        try store.put([Row("a", "1")], in: ann)
        let begun = time.now
        model.freeze(0, milliseconds: 60_000)
        time.after(milliseconds: 500) { model.heal() }
        try store.put([Row("a", "2")], in: ann)
        #expect(time.now - begun >= 490_000_000 && time.now - begun < 1_000_000_000)
        processes.close()
    }

    /// One way stands still: what was sent meanwhile comes later, and nothing is lost.
    @Test(arguments: [true, false]) func aWayThatStandsStillLosesNothing(_ isUp: Bool) throws {
        let processes = Processes(1)
        let (store, model, time) = (processes.stores[0], processes.model, processes.time)
        try store.put([Row("a", "1")], in: ann)
        let begun = time.now
        model.hold(store.process, isUp: isUp, milliseconds: 2_000)
        try store.put([Row("a", "2")], in: ann)
        #expect(time.now - begun >= 2_000_000_000)
        #expect(try store.text(ann.key("a")) == "2")
        processes.close()
    }

    /// Commits wait while nothing passes to the standby, or nothing back.
    @Test(arguments: [true, false])
    func commitsWaitForTheWayToTheStandby(_ isToStandby: Bool) throws {
        let processes = Processes(1, standbys: 1, isSynchronous: true)
        let (store, model, time) = (processes.stores[0], processes.model, processes.time)
        try store.put([Row("a", "1")], in: ann)
        let begun = time.now
        model.holdStandby(1, isToStandby: isToStandby, milliseconds: 2_000)
        var isThere = false
        time.after(milliseconds: 1_000) { isThere = model.rows(1).contains { $0.value == [50] } }
        try store.put([Row("a", "2")], in: ann)
        #expect(time.now - begun >= 2_000_000_000)
        #expect(isThere == !isToStandby)
        processes.close()
    }

    /// A primary that hung while its standby took over is asked by no process that knows of that.
    @Test func aFormerPrimaryThatWakesUpIsNotRead() throws {
        let processes = Processes(2, standbys: 1)
        let (model, time) = (processes.model, processes.time)
        let store = processes.stores[1]
        try processes.stores[0].put([Row("a", "1")], in: ann)
        time.pass(milliseconds: 100)
        model.freeze(0, milliseconds: 12_000)
        // A shorter one does not wake it up.
        model.freeze(0, milliseconds: 1)
        model.promote(1)
        try store.put([Row("a", "2")], in: ann)
        time.pass(milliseconds: 13_000)
        #expect(model.rows(0).map(\.value) == [Array("1".utf8)])
        // Only the former one answers for a second.
        model.cut()
        model.freeze(1, milliseconds: 1_000)
        #expect(try store.text(ann.key("a")) == "2")
        model.demote(0)
        #expect(model.rows(0).map(\.value) == [Array("2".utf8)])
        processes.close()
    }

    /// A standby that shows what has come to it late shows all of it when it takes over.
    @Test func aStandbyThatLagsTakesOverWithAllThatCame() throws {
        let processes = Processes(1, standbys: 1, isSynchronous: true)
        let (store, model) = (processes.stores[0], processes.model)
        model.lag(1, milliseconds: nil)
        try store.put([Row("a", "1")], in: ann)
        #expect(model.rows(1).isEmpty && model.waitingChanges(1) == 1)
        model.crash(0)
        model.promote(1)
        #expect(try store.text(ann.key("a")) == "1")
        processes.close()
    }

    /// The clocks of servers differ, and none but the primary's counts.
    @Test func theClockOfTheDatabaseCounts() throws {
        let processes = Processes(1)
        let peers = try #require(processes.stores[0].peers)
        let before = try peers.checkTables()
        processes.model.setClock(0, ahead: 3_600_000)
        let after = try peers.checkTables()
        #expect(after - before >= 3_600_000 && after - before < 3_601_000)
        processes.close()
    }

    @Test func aStandbyThatLacksTooMuchBeginsAnew() throws {
        let processes = Processes(1, standbys: 1, seed: nil)
        let (store, model) = (processes.stores[0], processes.model)
        model.lag(1, milliseconds: nil)
        for round in 0..<ModelLimits.waitingChanges {
            try store.put([Row("a", "\(round)")], in: ann)
        }
        #expect(model.waitingChanges(1) == ModelLimits.waitingChanges)
        #expect(model.rows(1).isEmpty)
        try store.put([Row("a", "last")], in: ann)
        #expect(model.waitingChanges(1) == 0)
        #expect(model.rows(1).map(\.value) == model.rows(0).map(\.value))
        processes.close()
    }
}
