import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

/// Random histories that are taken back, the latest entry first: the app is at each point as it was
/// then, and at the end as it was before, once the undos are taken back too.
@Suite struct UndoSimulationTests {
    private let users = RelationHistory.users
    private let allUsers = RelationHistory.users + [RelationHistory.ghost]

    /// All that an entry of the history can bring back, and the groups.
    private struct State: Equatable {
        var friends: [String: FriendRecord] = [:]
        var blacklists: [String: BlacklistRecord] = [:]
        var follows: [String: FollowRecord] = [:]
        var groups: [UserID: Set<String>] = [:]
        var profiles: [UserID: ProfileRecord] = [:]

        /// The parts that differ, for people to read.
        func difference(from other: State) -> [String] {
            var parts: [String] = []
            if friends != other.friends { parts.append("friends \(friends) \(other.friends)") }
            if blacklists != other.blacklists { parts.append("blacklists") }
            if follows != other.follows { parts.append("follows") }
            if groups != other.groups { parts.append("groups \(groups) \(other.groups)") }
            if profiles != other.profiles { parts.append("profiles") }
            return parts
        }
    }

    private func state(_ world: World) throws -> State {
        var state = State()
        for user in allUsers {
            for (friend, record) in try world.rows(of: Tables.friends, of: user) {
                var record = record
                record.sequence = 0
                state.friends["\(user) \(friend)"] = record
            }
            for (other, record) in try world.rows(of: Tables.blacklist, of: user) {
                state.blacklists["\(user) \(other)"] = record
            }
            for (other, record) in try world.rows(of: Tables.follows, of: user) {
                state.follows["\(user) \(other)"] = record
            }
            state.groups[user] = Set(try world.groups(of: user))
            let stored = try world.rows(of: Tables.profiles, of: user).first?.record
            var profile = ProfileRecord()
            for field in ProfileField.stored {
                field.copy(from: stored ?? ProfileRecord(), to: &profile)
            }
            state.profiles[user] = profile
        }
        return state
    }

    /// Takes back the entries after `position` up to `last`, the latest first.
    private func revert(_ world: World, after position: UInt64, to last: UInt64) throws {
        for number in stride(from: last, to: position, by: -1) {
            let outcome = try world.undo(number)
            let isSkipped = outcome.reason == Reason.ChangeUndo.onlyApplications
            #expect(outcome.code == .success || isSkipped, "entry \(number): \(outcome)")
        }
    }

    private func expectWhole(_ world: World, _ mirror: inout Mirror) throws {
        let sharp = !world.settings.keepsFriendshipOnBlacklist
        #expect(try Audit(world, allUsers, sharp: sharp).findings == [])
        #expect(try world.integrity() == [])
        #expect(try mirror.follow(world, users) == [])
        #expect(try audit(world) == [])
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func aHistoryThatIsTakenBackReturnsToEqualStates(_ seed: UInt64) throws {
        var settings = RelationHistory.settings(
            defaultAllowType: seed % 2 == 0 ? .allowAny : .needConfirm,
            keepsFriendships: seed == 3)
        settings.historyDays = 30
        settings.findsUsers = true
        let world = try World(settings: settings)
        try world.create(users)
        while try world.maintenance() {}
        var mix = RelationHistory.Mix()
        mix.hasImports = false
        var history = RelationHistory(seed: seed, mix)
        var mirror = Mirror()
        var marks: [(position: UInt64, state: State)] = []
        for number in 0..<240 {
            if number % 40 == 0 {
                marks.append((try world.historyState().last, try state(world)))
            }
            let step = history.next()
            _ = try world.apply(step)
            try record(step, world)
        }
        let end = (position: try world.historyState().last, state: try state(world))
        #expect(end.position > 50, "the history did little")
        var top = end.position
        for mark in marks.reversed() {
            try revert(world, after: mark.position, to: top)
            top = mark.position
            let now = try state(world)
            // A call makes groups only for a friend here. Such a group has no change of its own in
            // the history, so all of them stay, and the audit counts those without members.
            var wanted = mark.state
            wanted.groups = end.state.groups
            #expect(now == wanted, "\(mark.position): \(now.difference(from: wanted))")
            try expectWhole(world, &mirror)
        }
        try revert(world, after: end.position, to: try world.historyState().last)
        let now = try state(world)
        #expect(now == end.state, "\(now.difference(from: end.state))")
        try expectWhole(world, &mirror)
    }

    // MARK: The audit

    /// Appends the record of a step, as the server does for the call.
    private func record(_ step: RelationStep, _ world: World) throws {
        var row = AuditRow()
        row.kind = .call
        row.method = "\(step)"
        row.timeMs = world.now.milliseconds
        row.userID = step.actor.text
        row.userSalt = Array(1...16)
        row.userDigest = AuditChain.digest(ofUser: step.actor.text, row.userSalt)
        row.requestID = "request of \(step.actor.text)"
        row.requestDigest = AuditChain.digest(ofRequest: row.requestID, Array(4...19))
        row.applied = !step.fails
        try world.commit { (transaction) throws(StorageError) in
            try AuditChain.append(row, to: world.app, in: transaction)
        }
    }

    /// The findings of the check of integrity in the audit.
    private func audit(_ world: World, limit: Int = 7) throws -> [String] {
        try world.read { (transaction) throws(StorageError) in
            var check = AuditCheck(world.app, limit: limit)
            var findings: [String] = []
            while !check.isDone {
                findings += try check.next(in: transaction).findings.map(\.subject)
            }
            return findings
        }
    }

    @Test(arguments: [5, 6, 7] as [UInt64])
    func aTamperedRecordIsFoundAtItsPosition(_ seed: UInt64) throws {
        let world = try World(settings: RelationHistory.settings())
        try world.create(users)
        var history = RelationHistory(seed: seed)
        for _ in 0..<40 {
            let step = history.next()
            _ = try world.apply(step)
            try record(step, world)
        }
        #expect(try audit(world) == [])
        var numbers = SeededNumbers(seed: seed)
        let changes: [(inout AuditRow) -> Void] = [
            { $0.timeMs += 1 }, { $0.method += " " }, { $0.applied.toggle() },
            { $0.userDigest = [] }, { $0.previousHash[0] ^= 1 },
        ]
        for change in changes {
            let sequence = UInt64.random(in: 1...40, using: &numbers)
            let row = try #require(try stored(sequence, world))
            var changed = row
            change(&changed)
            try put(changed, at: sequence, world)
            #expect(try audit(world) == ["audit \(sequence)"])
            // A hash that was counted anew is found at the next record, or at the head.
            changed.hash = AuditChain.hash(of: changed, after: changed.previousHash)
            try put(changed, at: sequence, world)
            #expect(try audit(world).last == "audit \(sequence + 1)")
            try put(nil, at: sequence, world)
            let cut = sequence == 40 ? "audit 40" : "audit \(sequence + 1)"
            #expect(try audit(world) == (sequence == 1 ? ["audit"] : [cut, "audit"]))
            try put(row, at: sequence, world)
            #expect(try audit(world) == [])
        }
        // Another user or request id than that of the digest has no other hash, and is found too.
        let names: [(inout AuditRow) -> Void] = [
            { $0.userID += "x" }, { $0.userSalt[0] ^= 1 }, { $0.userID = "" },
            { $0.requestID += "x" }, { $0.requestDigest[32] ^= 1 }, { $0.requestID = "" },
            {
                $0.userSalt += $0.userID.utf8.prefix(1)
                $0.userID.removeFirst()
            },
        ]
        for change in names {
            let sequence = UInt64.random(in: 1...40, using: &numbers)
            let row = try #require(try stored(sequence, world))
            var changed = row
            change(&changed)
            try put(changed, at: sequence, world)
            #expect(try audit(world) == ["audit \(sequence)"])
            try put(row, at: sequence, world)
        }
        // The name of an erased user is not part of the chain, and neither is a request id.
        var erased = try #require(try stored(9, world))
        (erased.userID, erased.userSalt) = ("", [])
        try put(erased, at: 9, world)
        #expect(try audit(world) == [])
        (erased.requestID, erased.requestDigest) = ("", Array(erased.requestDigest.prefix(32)))
        try put(erased, at: 9, world)
        #expect(try audit(world) == [])
    }

    @Test func aWrongCountIsRepairedAndABrokenChainIsNot() throws {
        let world = try World(settings: RelationHistory.settings())
        try world.create(users)
        var history = RelationHistory(seed: 8)
        for _ in 0..<5 { try record(history.next(), world) }
        try put(nil, at: 3, world)
        #expect(try audit(world, limit: 2) == ["audit 4", "audit"])
        var check = AuditCheck(world.app)
        let part = try world.read { (transaction) throws(StorageError) in
            try check.next(in: transaction)
        }
        let repaired = try world.call(by: nil) { (ledger) throws(StorageError) in
            try AuditCheck.repair(part, in: ledger)
        }
        #expect(repaired.map(\.subject) == ["audit"])
        #expect(try audit(world) == ["audit 4"])
    }

    private func stored(_ sequence: UInt64, _ world: World) throws -> AuditRow? {
        try world.read { (transaction) throws(StorageError) in
            try Tables.audit.record(world.app.audit, sequence, in: transaction)
        }
    }

    private func put(_ row: AuditRow?, at sequence: UInt64, _ world: World) throws {
        try world.commit { (transaction) throws(StorageError) in
            if let row {
                try Tables.audit.set(row, at: world.app.audit, sequence, in: transaction)
            } else {
                Tables.audit.remove(world.app.audit, sequence, in: transaction)
            }
        }
    }
}
