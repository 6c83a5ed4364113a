import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@testable import RelationCore

/// The index of names: who keeps its rows, how it is made and removed, and its repair.
@Suite struct FoundNamesTests {
    private func rows(_ world: World) throws -> [FoundName] {
        try world.rows(of: Tables.foundNames, in: world.app.foundNames).map(\.key)
    }

    private func texts(_ world: World) throws -> [String] {
        try rows(world).map {
            "\($0.part.byte) \(String(decoding: $0.letters, as: UTF8.self)) \($0.user)"
        }
    }

    private func isComplete(_ world: World) throws -> Bool {
        try world.read { (transaction) throws(StorageError) in
            try FoundNames.isComplete(of: world.app, in: transaction)
        }
    }

    private func world(_ change: (inout AppSettings) -> Void = { _ in }) throws -> World {
        var settings = AppSettings.tim
        settings.findsUsers = true
        change(&settings)
        let world = try World("A", settings: settings)
        while try world.maintenance() {}
        return world
    }

    /// Switches the index, as a change of the app does: under another epoch.
    private func set(_ world: World, _ change: (inout AppSettings) -> Void) {
        change(&world.settings)
        world.settings.findEpoch += 1
    }

    @Test func everyWriterOfANickKeepsTheRows() throws {
        let world = try world()
        #expect(try rows(world).isEmpty)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            _ = try Accounts.create("B", nick: "Bob", faceURL: "", in: ledger)
        }
        #expect(try texts(world) == ["3 bob B"])
        _ = try world.setProfile(of: "A", [.nick]) { $0.nick = "曾三" }
        let han = ["3 曾三 A", "4 cengsan A", "4 zengsan A", "5 cs A", "5 zs A"]
        #expect(try texts(world) == ["3 bob B"] + han)
        #expect(try rows(world).count { $0.user == "A" } == Limits.foundNamesPerNick)
        // A mark before the surname stays in the nick, and hides no reading.
        _ = try world.setProfile(of: "A", [.nick]) { $0.nick = "🐼曾三" }
        #expect(try texts(world) == ["3 bob B", "3 🐼曾三 A"] + Array(han.dropFirst()))
        _ = try world.setProfile(of: "A", [.nick]) { $0.nick = "曾三" }
        // Another field changes no row, and neither does the same nick.
        _ = try world.setProfile(of: "A", [.nick, .level]) { ($0.nick, $0.level) = ("曾三", 3) }
        #expect(try texts(world) == ["3 bob B"] + han)
        _ = try world.setProfile(of: "A", [.nick]) { $0.nick = "Ann" }
        #expect(try texts(world) == ["3 ann A", "3 bob B"])
        _ = try world.setProfile(of: "A", [.nick]) { _ in }
        try world.deleteAccount("B")
        #expect(try rows(world).isEmpty)
        try world.runJobs()
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func everyWriterOfAnIDKeepsTheRowsOfItsBeginning() throws {
        let world = try world { $0.findsIDBeginnings = true }
        #expect(try texts(world) == ["6 A A"])
        _ = try world.setProfile(of: "A", [.uniqueID]) { $0.uniqueID = "Ann9" }
        #expect(try texts(world) == ["6 A A", "7 Ann9 A"])
        _ = try world.setProfile(of: "A", [.nick]) { $0.nick = "曾三" }
        #expect(try rows(world).count == Limits.foundNamesPerUser)
        // Each way has its own choice, and the rows of another way stay.
        try world.letFind("A", by: .uniqueID, .noUser)
        #expect(try texts(world).last == "23 Ann9 A" && texts(world).contains("6 A A"))
        try world.letFind("A", by: .id, .noUser)
        #expect(try Array(texts(world).suffix(2)) == ["22 A A", "23 Ann9 A"])
        try world.letFind("A", by: .name, .noUser)
        #expect(try texts(world).first == "19 曾三 A")
        #expect(try Audit(world, ["A"]).findings == [] && world.integrity() == [])
        try world.deleteAccount("A")
        #expect(try rows(world).isEmpty)
    }

    @Test func theIndexIsMadeAnewIfBeginningsBegin() throws {
        let world = try world()
        #expect(try rows(world).isEmpty)
        set(world) { $0.findsIDBeginnings = true }
        #expect(try !isComplete(world))
        while try world.maintenance() {}
        #expect(try texts(world) == ["6 A A"] && isComplete(world))
    }

    @Test func aNickCostsItsOwnRowsAndNoLookup() throws {
        func cost(_ nick: String, findsUsers: Bool) throws -> WriteTally.Counts {
            let tally = WriteTally()
            var settings = AppSettings.tim
            settings.findsUsers = findsUsers
            let world = try World("A", on: tally, settings: settings)
            _ = try world.setProfile(of: "A", [.nick]) { $0.nick = "Ann" }
            _ = tally.take()
            _ = try world.setProfile(of: "A", [.nick]) { $0.nick = nick }
            return tally.take()
        }
        // One row of the old nick leaves, and those of the new one come.
        for (nick, rows) in [("Bea", 2), ("张三", 4), ("曾三", 6), ("Ann", 0), ("ANN", 0)] {
            let (with, without) = (
                try cost(nick, findsUsers: true), try cost(nick, findsUsers: false)
            )
            #expect(with.read + with.scanned == without.read + without.scanned, "\(nick)")
            #expect(with.written - without.written == rows, "\(nick)")
        }
    }

    @Test(arguments: [
        "曾曾曾", "单于重", "Ann Müller-Lüdenscheidt", "重庆长安", "\u{0}\u{7}x", "𠮷野", "ﷺ",
        String(repeating: "单", count: 300), String(repeating: "é", count: 300),
    ])
    func noNickHasMoreOrLongerRowsThanItsBound(_ nick: String) {
        let rows = FoldedName(nick).rows(of: "A", isHidden: false)
        #expect(!rows.isEmpty && rows.count <= Limits.foundNamesPerNick)
        #expect(rows.allSatisfy { $0.letters.count <= Limits.foundNameBytes })
        #expect(rows.allSatisfy { !$0.letters.contains(0) })
        #expect(rows.map(\.bytes) == rows.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) })
        for row in rows {
            #expect(row.bytes.withUnsafeBytes { FoundName(reading: $0) } == row)
        }
    }

    @Test func theIndexIsMadeAndRemovedInBoundedSteps() throws {
        let world = try world { $0.findsUsers = false }
        let count = 3 * Limits.rowsPerMaintenanceStep / Limits.foundNamesPerUser + 1
        try world.call(by: nil) { (ledger) throws(StorageError) in
            for number in 0..<count {
                let user = UserID(stored: "u\(1_000 + number)".utf8)
                _ = try Accounts.create(user, nick: "曾三", faceURL: "", in: ledger)
            }
        }
        #expect(try rows(world).isEmpty)
        set(world) { $0.findsUsers = true }
        var (known, steps) = (0, 0)
        while try world.maintenance() {
            let now = try rows(world).count
            #expect(now - known <= Limits.rowsPerMaintenanceStep)
            #expect(try isComplete(world) == (now == count * 5))
            (known, steps) = (now, steps + 1)
            // A write beside the walk is in the index at once, wherever the walk is.
            if steps == 2 {
                _ = try world.setProfile(of: "u1000", [.nick]) { $0.nick = "曾四" }
                let last = UserID(stored: "u\(1_000 + count - 1)".utf8)
                _ = try world.setProfile(of: last, [.nick]) { $0.nick = "曾四" }
                known = try rows(world).count
            }
        }
        #expect(steps >= 4)
        #expect(try isComplete(world) && rows(world).count == count * 5)
        let users = (0..<count).map { UserID(stored: "u\(1_000 + $0)".utf8) }
        #expect(try Audit(world, ["A"] + users).findings == [])
        set(world) { $0.findsUsers = false }
        #expect(try !isComplete(world))
        while try world.maintenance() {
            let now = try rows(world).count
            #expect(known - now <= Limits.rowsPerMaintenanceStep)
            known = now
        }
        #expect(try rows(world).isEmpty)
        #expect(
            try world.rows(of: Tables.foundNamesStates, in: world.app.foundNames).isEmpty)
    }

    @Test func anIndexThatWasOffForAMomentIsMadeAnew() throws {
        let world = try world()
        _ = try world.setProfile(of: "A", [.nick]) { $0.nick = "Ann" }
        set(world) { $0.findsUsers = false }
        // No write keeps the index now, and no step of the background comes before it is on again.
        _ = try world.setProfile(of: "A", [.nick]) { $0.nick = "Bea" }
        set(world) { $0.findsUsers = true }
        #expect(try !isComplete(world))
        while try world.maintenance() {}
        #expect(try isComplete(world))
        #expect(try texts(world) == ["3 bea A"])
    }

    @Test func theDefaultOfTheAppMovesThoseThatNeverChose() throws {
        let world = try world()
        try world.create(["B"])
        _ = try world.setProfile(of: "A", [.nick]) { $0.nick = "Ann" }
        _ = try world.setProfile(of: "B", [.nick]) { $0.nick = "Ben" }
        try world.letFind("B", by: .name, .everyone)
        #expect(try texts(world) == ["3 ann A", "3 ben B"])
        set(world) { $0.defaultFindability = .noUser }
        while try world.maintenance() {}
        #expect(try texts(world) == ["3 ben B", "19 ann A"])
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func aCheckFindsRowsThatAreMissingAndRowsThatAreTooMany() throws {
        let world = try world()
        _ = try world.setProfile(of: "A", [.nick]) { $0.nick = "Ann" }
        let stray = FoldedName("Old").rows(of: "A", isHidden: false)
        let gone = FoldedName("Gone").rows(of: "ghost", isHidden: false)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            try FoundNames.replace(
                FoldedName("Ann").rows(of: "A", isHidden: false), by: stray + gone, in: ledger)
        }
        #expect(try world.integrity().contains { $0.contains("found_names") })
        let indexed = try world.read { (transaction) throws(StorageError) in
            try Integrity.foundNames(of: world.app, after: nil, limit: 10, in: transaction)
        }
        #expect(indexed.map(\.isStray) == [true, true])
        try world.call(by: nil) { (ledger) throws(StorageError) in
            let repaired = try Integrity.repair("A", in: ledger)
            #expect(repaired.map(\.subject) == ["found_names"])
            let removed = try Integrity.removeStrays(among: indexed.map(\.row), in: ledger)
            #expect(removed == Set(stray + gone))
        }
        #expect(try texts(world) == ["3 ann A"])
        #expect(try world.integrity().isEmpty)
    }
}
