import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@Suite struct ProfileTests {
    @Test func theVersionCountsChanges() throws {
        let world = try World("A")
        #expect(try world.profile(of: "A").version == 0)
        let first = try world.setProfile(of: "A", [.nick]) { $0.nick = "Ann" }
        #expect(first == .done(version: 1, changed: true))
        let second = try world.setProfile(of: "A", [.level]) { $0.level = 3 }
        #expect(second == .done(version: 2, changed: true))
        let profile = try world.profile(of: "A")
        #expect(profile.nick == "Ann" && profile.level == 3 && profile.version == 2)
        #expect(try Audit(world, ["A"]).findings == [])
    }

    @Test func noChangeIsNoVersionAndNoEvent() throws {
        let world = try World("A")
        #expect(
            try world.setProfile(of: "A", [.nick]) { $0.nick = "Ann" }
                == .done(version: 1, changed: true))
        let before = try world.snapshot(of: ["A"])
        world.advance(milliseconds: 9)
        let same = Profiles.Result.done(version: 1, changed: false)
        #expect(try world.setProfile(of: "A", [.nick]) { $0.nick = "Ann" } == same)
        // To clear a field that was never set changes nothing.
        #expect(try world.setProfile(of: "A", [.level, .location]) { _ in } == same)
        #expect(try world.setProfile(of: "A", []) { $0.nick = "Bea" } == same)
        #expect(try world.snapshot(of: ["A"]) == before)
    }

    @Test func theEventNamesWhatChangedAndNothingElse() throws {
        let world = try World("A", "B")
        #expect(try world.add("B", to: "A") == .success)
        _ = try world.setProfile(of: "A", [.nick, .gender]) {
            $0.nick = "Ann"
            $0.gender = .female
        }
        let result = try world.setProfile(of: "A", [.nick, .gender, .language]) {
            $0.gender = .female
            $0.language = 7
        }
        #expect(result == .done(version: 2, changed: true))
        let event = try #require(try world.events(of: "A").last)
        #expect(event.kind == .profileChange && event.items.count == 1)
        #expect(event.items[0].fields == ["nick", "language"])
        var notified = ProfileRecord()
        notified.userID = "A"
        notified.language = 7
        notified.version = 2
        #expect(event.items[0].profile == notified)
        // The event is stored once, in the log of the profile's user.
        #expect(try world.events(of: "B").map(\.kind) == [.addFriend])
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test(arguments: ProfileField.stored)
    func everyFieldIsWrittenAndClearedByItself(_ field: ProfileField) throws {
        var full = ProfileRecord.full
        let world = try World("A")
        #expect(
            try world.setProfile(of: "A", [field]) { $0 = full } == .done(version: 1, changed: true)
        )
        var wanted = ProfileRecord()
        field.copy(from: full, to: &wanted)
        #expect(wanted != ProfileRecord(), "the field is one of the record's")
        wanted.version = 1
        #expect(try world.profile(of: "A") == wanted)
        let rest = ProfileField.stored.filter { $0 != field }
        #expect(
            try world.setProfile(of: "A", rest) { $0 = full } == .done(version: 2, changed: true))
        full.version = 2
        #expect(try world.profile(of: "A") == full)
        #expect(
            try world.setProfile(of: "A", [field]) { _ in } == .done(version: 3, changed: true))
        full.version = 3
        field.copy(from: ProfileRecord(), to: &full)
        #expect(try world.profile(of: "A") == full)
        #expect(try world.events(of: "A").last?.items.first?.fields == [field.name])
    }

    @Test func aStaleVersionWritesNothing() throws {
        let world = try World("A")
        _ = try world.setProfile(of: "A", [.nick]) { $0.nick = "Ann" }
        let before = try world.snapshot(of: ["A"])
        for version: Int64 in [0, 2, -1] {
            let result = try world.setProfile(of: "A", [.nick], expecting: version) {
                $0.nick = "Bea"
            }
            #expect(result == .stale(version: 1))
        }
        #expect(try world.snapshot(of: ["A"]) == before)
        let result = try world.setProfile(of: "A", [.nick], expecting: 1) { $0.nick = "Bea" }
        #expect(result == .done(version: 2, changed: true))
    }

    @Test func anUpdateMakesTheAccount() throws {
        let world = try World()
        let result = try world.setProfile(of: "new", [.nick], expecting: 0) { $0.nick = "New" }
        #expect(result == .done(version: 1, changed: true))
        #expect(try world.userRecord(of: "new")?.createdMs == World.start)
        // The account is a change, even if it has no profile yet.
        let empty = try world.setProfile(of: "empty", [.nick]) { _ in }
        #expect(empty == .done(version: 0, changed: true))
        #expect(try world.userRecord(of: "empty") != nil)
        #expect(try Audit(world, ["new"]).findings == [])
    }

    @Test func anAccountThatExistsStaysAsItIs() throws {
        let world = try World()
        func create(_ nick: String) throws(StorageError) -> Accounts.Creation {
            try world.call(by: nil) { (ledger) throws(StorageError) in
                try Accounts.create("A", nick: nick, faceURL: "f", in: ledger)
            }
        }
        #expect(try create("first") == .made)
        let before = try world.snapshot(of: ["A"])
        world.advance(milliseconds: 3)
        #expect(try create("second") == .existed)
        #expect(try world.snapshot(of: ["A"]) == before)
        #expect(try world.profile(of: "A").nick == "first")
        #expect(try world.profile(of: "A").version == 1)
    }

    @Test func appsShareNothing() throws {
        let store = MemoryStore()
        let one = try World("A", "B", on: store)
        let two = try World(on: store)
        two.app = App(id: 8, settings: .tim)
        #expect(try one.add("B", to: "A") == .success)
        #expect(try two.userRecord(of: "A") == nil)
        try two.create(["A"])
        #expect(try two.add("B", to: "A").code == .accountNotFound)
        #expect(try two.friends(of: "A").isEmpty)
        #expect(try Audit(one, ["A", "B"]).findings == [])
    }
}
