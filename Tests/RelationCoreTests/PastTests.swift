import Protobuf
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCore

/// Views of the store at a past moment: their bounds, and what does not come back.
@Suite struct PastTests {
    private func world() throws -> World {
        var settings = AppSettings.tim
        settings.historyDays = 30
        let world = try World("A", "B", "C", settings: settings)
        try begin(world)
        world.advance(milliseconds: 1_000)
        return world
    }

    private func begin(_ world: World) throws {
        try world.commit { (transaction) throws(StorageError) in
            try HistoryLog.begin(world.app, at: world.now, in: transaction)
        }
    }

    /// The result of `body` in the view of a moment, or the rule that forbids it.
    private func past<Answer>(
        _ world: World, at moment: Timestamp, mostEntries: Int = Limits.pastEntries,
        mostBytes: Int = Limits.pastBytes,
        _ body: (PastTransaction) throws(StorageError) -> Answer
    ) throws -> Result<Answer, PastRefused> {
        var view: PastTransaction?
        do throws(StorageError) {
            return try world.read { (transaction) throws(StorageError) in
                let begun = try PastTransaction.begin(
                    at: moment, world.now, app: world.app, over: transaction,
                    mostEntries: mostEntries, mostBytes: mostBytes)
                switch begun {
                case .failure(let refused): return .failure(refused)
                case .success(let past):
                    view = past
                    return .success(try body(past))
                }
            }
        } catch {
            guard let refusal = view?.refusal else { throw error }
            return .failure(PastRefused(refusal))
        }
    }

    private func friends(
        _ world: World, of user: UserID, at moment: Timestamp,
        mostEntries: Int = Limits.pastEntries,
        mostBytes: Int = Limits.pastBytes
    ) throws -> Result<[FriendRecord], PastRefused> {
        try past(world, at: moment, mostEntries: mostEntries, mostBytes: mostBytes) {
            (past) throws(StorageError) in
            try past.revertList(of: user)
            var rows: [FriendRecord] = []
            try FriendList.scanByID(
                of: user, after: nil, .ascending, limit: .max, app: world.app, in: past
            ) { _, row in
                rows.append(FriendList.record(row, in: past.arena) ?? FriendRecord())
                return .more
            }
            return rows
        }
    }

    private func refusal<Answer>(_ result: Result<Answer, PastRefused>) -> PastRefusal? {
        guard case .failure(let refused) = result else { return nil }
        return refused.refusal
    }

    // MARK: Moments

    @Test func anAppWithoutAHistoryHasNoPast() throws {
        let world = try World("A", "B", settings: .tim)
        #expect(try refusal(friends(world, of: "A", at: world.now)) == .notKept(sinceMs: nil))
        world.settings.historyDays = 30
        // It was turned on, and no row says when.
        #expect(try refusal(friends(world, of: "A", at: world.now)) == .notKept(sinceMs: nil))
        while try world.maintenance() {}
        #expect(try friends(world, of: "A", at: world.now).get() == [])
    }

    @Test func aMomentBeforeTheHistoryBeganIsRefused() throws {
        let world = try world()
        let began = world.now.advanced(byMilliseconds: -1_000)
        let before = began.advanced(byMilliseconds: -1)
        #expect(try friends(world, of: "A", at: began).get() == [])
        #expect(
            try refusal(friends(world, of: "A", at: before))
                == .notKept(sinceMs: began.milliseconds))
    }

    @Test func aMomentThatIsOlderThanWhatTheAppKeepsIsRefused() throws {
        let world = try world()
        let moment = world.now
        world.advance(milliseconds: 30 * 86_400_000)
        #expect(try friends(world, of: "A", at: moment).get() == [])
        world.advance(milliseconds: 1)
        #expect(
            try refusal(friends(world, of: "A", at: moment))
                == .notKept(sinceMs: moment.milliseconds + 1))
    }

    @Test func whatTheMaintenanceRemovesMovesTheBeginning() throws {
        let world = try world()
        let first = world.now
        #expect(try world.add("B", to: "A") == .success)
        world.advance(milliseconds: 1_000)
        #expect(try world.add("C", to: "A") == .success)
        world.settings.historyBytes = 1
        while try world.maintenance() {}
        #expect(try world.historyState().count == 0)
        let before = world.now.advanced(byMilliseconds: -1)
        #expect(
            try refusal(friends(world, of: "A", at: before))
                == .notKept(sinceMs: world.now.milliseconds))
        #expect(first < world.now)
        #expect(try friends(world, of: "A", at: world.now).get().count == 2)
    }

    @Test func aHistoryThatWasOffBeginsAnew() throws {
        let world = try world()
        let moment = world.now
        for days in [0, 30] {
            world.settings.historyDays = days
            world.advance(milliseconds: 1_000)
            try world.commit { (transaction) throws(StorageError) in
                try HistoryLog.switchHistory(world.app, at: world.now, in: transaction)
            }
        }
        #expect(
            try refusal(friends(world, of: "A", at: moment))
                == .notKept(sinceMs: world.now.milliseconds))
    }

    @Test func aMomentHasTheChangesUpToItsMillisecond() throws {
        let world = try world()
        var moments: [Timestamp] = []
        for number in 0..<20 {
            world.advance(milliseconds: number % 3 == 0 ? 0 : 10)
            #expect(try world.update("B", of: "A") { $0.remark = "no friend" } != .success)
            #expect(try world.block("B", by: "A") == .success)
            #expect(try world.unblock("B", by: "A") == .success)
            moments.append(world.now)
        }
        for moment in moments {
            let (position, times) = try world.read { (transaction) throws(StorageError) in
                let position = try HistoryLog.position(
                    after: moment, of: world.app, in: transaction)
                var times: [Int64] = []
                for each in 1...40 {
                    let record = try HistoryLog.record(
                        at: UInt64(each), of: world.app, in: transaction)
                    times.append(record?.timeMs ?? 0)
                }
                return (position, times)
            }
            #expect(position == UInt64(times.count { $0 <= moment.milliseconds }) + 1)
        }
    }

    // MARK: Limits

    @Test func aReadLooksAtSoManyEntriesAndNoMore() throws {
        let world = try world()
        #expect(try world.add("B", to: "A") == .success)
        let moment = world.now
        world.advance(milliseconds: 1)
        // The user counts as one.
        for number in 1..<Limits.pastEntries {
            #expect(try world.update("B", of: "A") { $0.remark = "\(number)" } == .success)
        }
        #expect(try friends(world, of: "A", at: moment).get().map(\.remark) == [""])
        #expect(try world.update("B", of: "A") { $0.remark = "one more" } == .success)
        #expect(
            try refusal(friends(world, of: "A", at: moment))
                == .tooManyEntries(limit: Limits.pastEntries))
        #expect(try friends(world, of: "A", at: world.now).get().map(\.remark) == ["one more"])
    }

    @Test func aReadLooksAtSoManyBytesAndNoMore() throws {
        let world = try world()
        #expect(try world.add("B", to: "A") == .success)
        let moment = world.now
        world.advance(milliseconds: 1)
        #expect(try world.update("B", of: "A") { $0.remark = "Bobby" } == .success)
        let entry = try #require(try world.history(limit: 1).entries.first)
        let bytes = entry.record.bytesAtMost
        #expect(try friends(world, of: "A", at: moment, mostBytes: bytes).get().count == 1)
        #expect(
            try refusal(friends(world, of: "A", at: moment, mostBytes: bytes - 1))
                == .tooManyBytes(limit: bytes - 1))
    }

    @Test func aReadLooksAtSixteenMebibytesAndNoMore() throws {
        let world = try world()
        // As long as a row with a hundred custom values may be, so that few entries are many bytes.
        let texts = ["x", "y"].map { String(repeating: $0, count: 100_000) }
        #expect(try world.add("B", to: "A") == .success)
        let moment = world.now
        world.advance(milliseconds: 1)
        var (number, bytes, last) = (0, 0, 0)
        func change() throws {
            number += 1
            let changed = try world.update("B", of: "A") { $0.remark = texts[number % 2] }
            #expect(changed == .success)
            last = try #require(try world.history(limit: 1).entries.first).record.bytesAtMost
            bytes += last
        }
        while bytes + last <= Limits.pastBytes { try change() }
        #expect(try friends(world, of: "A", at: moment).get().map(\.remark) == [""])
        try change()
        #expect(number < Limits.pastEntries / 10)
        #expect(
            try refusal(friends(world, of: "A", at: moment))
                == .tooManyBytes(limit: Limits.pastBytes))
        #expect(try friends(world, of: "A", at: world.now).get().count == 1)
    }

    // MARK: What does not come back

    @Test func anErasedAccountStaysErased() throws {
        let world = try world()
        #expect(try world.add("B", to: "A") == .success)
        #expect(try world.add("C", to: "A") == .success)
        let moment = world.now
        world.advance(milliseconds: 1_000)
        #expect(try world.update("B", of: "A") { $0.remark = "Bobby" } == .success)
        #expect(try friends(world, of: "A", at: moment).get().map(\.userID) == ["B", "C"])
        try world.deleteAccount("B")
        // After each step of the deletion, which removes rows before entries or after them.
        while try world.nextJob() != nil {
            #expect(try friends(world, of: "A", at: moment).get().map(\.userID) == ["C"])
            _ = try world.stepJob()
        }
        #expect(try friends(world, of: "A", at: moment).get().map(\.userID) == ["C"])
        // Another user of that name was none then.
        world.advance(milliseconds: 1_000)
        #expect(try world.make("B") == .made)
        #expect(try world.add("B", to: "A") == .success)
        #expect(try friends(world, of: "A", at: moment).get().map(\.userID) == ["C"])
        let exists = try past(world, at: moment) { (past) throws(StorageError) in
            try Accounts.exist(["B", "C"], of: world.app, in: past)
        }
        #expect(try exists.get() == [false, true])
    }

    @Test func aProfileHasTheFieldsOfThen() throws {
        let world = try world()
        _ = try world.setProfile(of: "A", [.nick]) { $0.nick = "Ann" }
        let moment = world.now
        world.advance(milliseconds: 1_000)
        _ = try world.setProfile(of: "A", [.nick, .selfSignature]) {
            ($0.nick, $0.selfSignature) = ("Anna", Array("hi".utf8))
        }
        let profile = try past(world, at: moment) { (past) throws(StorageError) in
            try Profiles.record(of: "A", app: world.app, in: past)
        }.get()
        #expect(profile.nick == "Ann" && profile.selfSignature == nil && profile.version == 0)
    }

    @Test func aListHasItsGroupsAndCountsOfThen() throws {
        let world = try world()
        #expect(try world.add("B", to: "A") { $0.groups = ["old", "both"] } == .success)
        let moment = world.now
        world.advance(milliseconds: 1_000)
        #expect(try world.deleteGroup("old", of: "A") == .success)
        #expect(try world.renameGroup("both", to: "new", of: "A") == .success)
        #expect(try world.delete("A", from: "B", .single) == .success)
        #expect(try world.add("C", to: "A") { $0.groups = ["new"] } == .success)
        try past(world, at: moment) { (past) throws(StorageError) in
            try past.revertList(of: "A")
            for (name, members) in [("old", ["B"]), ("both", ["B"])] as [(String, [UserID])] {
                let group = try Groups.record(name, of: "A", app: world.app, in: past)
                #expect(group?.memberCount == 1, "\(name)")
                let found = try Groups.members(
                    of: group?.number ?? 0, of: "A", app: world.app, in: past)
                #expect(found == members)
            }
            let head = try Accounts.record(of: "A", app: world.app, in: past)
            #expect(head?.friendCount == 1)
            var selection = FriendSelection(at: moment)
            selection.relation = .bothWay
            let chosen = try selection.users(of: "A", app: world.app, in: past)
            #expect(chosen == ["B"])
        }.get()
    }

    @Test func scansOfBothOrdersHaveTheRowsOfThen() throws {
        let world = try world()
        let others: [UserID] = ["B", "C", "D", "E"]
        try world.create(["D", "E"])
        for other in ["B", "D"] as [UserID] { #expect(try world.add(other, to: "A") == .success) }
        let moment = world.now
        world.advance(milliseconds: 1_000)
        #expect(try world.delete("B", from: "A", .both) == .success)
        for other in ["C", "E"] as [UserID] { #expect(try world.add(other, to: "A") == .success) }
        try past(world, at: moment) { (past) throws(StorageError) in
            try past.revertList(of: "A")
            for order in [ScanOrder.ascending, .descending] {
                for limit in 1...3 {
                    var found: [UserID] = []
                    try FriendList.scanByID(
                        of: "A", after: nil, order, limit: limit, app: world.app, in: past
                    ) { user, _ in
                        found.append(user)
                        return .more
                    }
                    let wanted = others.filter { $0 == "B" || $0 == "D" }
                    let ordered = order == .ascending ? wanted : wanted.reversed()
                    #expect(found == Array(ordered.prefix(limit)))
                }
            }
        }.get()
    }
}
