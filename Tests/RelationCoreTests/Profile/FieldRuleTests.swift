import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// Choices of who sees single fields of a profile.
@Suite struct FieldRuleTests {
    private typealias Choice = Profiles.FieldChoice

    /// User O with the friend F, the friend M in the group "close", the follower W and the
    /// unrelated user X.
    private func world(_ settings: AppSettings = .tim) throws -> World {
        var settings = settings
        settings.keepsFriendshipOnBlacklist = true
        let world = try World("O", "F", "M", "W", "X", settings: settings)
        #expect(try world.add("F", to: "O") == .success)
        #expect(try world.importFriend("M", of: "O") { $0.groups = ["close"] } == .success)
        #expect(try world.follow("W", "O") == .success)
        _ = try world.setProfile(of: "O", ProfileField.stored) { $0 = .full }
        return world
    }

    private func seen(by viewer: UserID, in world: World) throws -> Profiles.Seen {
        let seen = try world.read { (transaction) throws(StorageError) in
            try Profiles.visible(
                ["O"], by: viewer, isAdmin: false, app: world.app, in: transaction)[0]
        }
        return try #require(seen)
    }

    private func readers(of field: ProfileField, in world: World) throws -> [String] {
        try ["F", "M", "O", "W", "X"].filter { (name: String) in
            try seen(by: UserID(stored: Array(name.utf8)), in: world).view.isVisible(field)
        }
    }

    @Test(arguments: [Visibility.invisible, .everyone, .friends, .followers])
    func aChoiceForAFieldDecidesWhateverTheWholeIs(_ whole: Visibility) throws {
        let world = try world()
        try world.show("O", to: whole)
        let table: [(Visibility, [String])] = [
            (.invisible, ["O"]), (.everyone, ["F", "M", "O", "W", "X"]),
            (.friends, ["F", "M", "O"]), (.followers, ["O", "W"]), (.groups, ["M", "O"]),
        ]
        for (level, readers) in table {
            let groups = level == .groups ? ["close"] : []
            guard case .done(_, true) = try world.show("O", [Choice("email", level, groups)])
            else {
                Issue.record("\(level) was not chosen")
                continue
            }
            #expect(try self.readers(of: .email, in: world) == readers)
        }
        // A user that is blocked sees the card alone.
        try world.show("O", [Choice("email", .everyone)])
        #expect(try world.block("F", by: "O") == .success)
        #expect(try readers(of: .email, in: world) == ["M", "O", "W", "X"])
        #expect(try seen(by: "F", in: world).view.hiddenState(.email) == .hidden)
    }

    @Test func theReasonTellsTheLevel() throws {
        let world = try world()
        let table: [(Visibility, FieldAccessState)] = [
            (.invisible, .onlyOneself), (.friends, .onlyFriends), (.followers, .onlyFollowers),
            (.groups, .onlyGroups),
        ]
        for (level, state) in table {
            let groups = level == .groups ? ["close"] : []
            try world.show("O", [Choice("birthday", level, groups)])
            let view = try seen(by: "X", in: world).view
            #expect(view.hiddenState(.birthday) == state)
            // The age would tell much of it.
            #expect(view.hiddenState(.ageRange) == state && !view.isVisible(.ageRange))
            #expect(view.hiddenState(.msgSettings) == .hidden)
            #expect(!view.fields.contains(.birthday))
            #expect(view.hiddenFields.contains(.birthday))
        }
        try world.show("O", [Choice("age_range", .everyone)])
        #expect(try seen(by: "X", in: world).view.isVisible(.ageRange))
    }

    @Test func defaultsHoldUntilTheUserChoosesForTheField() throws {
        var settings = AppSettings.tim
        settings.defaultVisibility = .invisible
        settings.fieldDefaults.everyone = ["email", "level"]
        settings.fieldDefaults.friends = ["level"]
        let world = try world(settings)
        #expect(try readers(of: .email, in: world) == ["F", "M", "O", "W", "X"])
        // The stricter list holds for a field in two.
        #expect(try readers(of: .level, in: world) == ["F", "M", "O"])
        #expect(try readers(of: .gender, in: world) == ["O"])
        // A choice for the whole closes what the app opens, and opens nothing that the app closes.
        try world.show("O", to: .followers)
        #expect(try readers(of: .email, in: world) == ["O", "W"])
        #expect(try readers(of: .level, in: world) == ["O"])
        try world.show("O", [Choice("level", .everyone)])
        #expect(try readers(of: .level, in: world) == ["F", "M", "O", "W", "X"])
    }

    @Test func aGroupThatIsDeletedShowsNothingUnderItsOldName() throws {
        let world = try world()
        try world.show("O", [Choice("email", .groups, ["close"])])
        #expect(try world.renameGroup("close", to: "closer", of: "O") == .success)
        #expect(try readers(of: .email, in: world) == ["M", "O"])
        #expect(try world.deleteGroup("closer", of: "O") == .success)
        #expect(try readers(of: .email, in: world) == ["O"])
        #expect(try world.importFriend("M", of: "O") { $0.groups = ["closer"] } == .success)
        #expect(try readers(of: .email, in: world) == ["O"])
    }

    @Test func onlyReadersOfAFieldGetTheVersionOfItsChange() throws {
        let world = try world()
        try world.show("O", [Choice("email", .friends)])
        let viewers: [UserID] = ["F", "X"]
        func versions() throws -> [Int64] {
            try viewers.map { viewer in
                let seen = try seen(by: viewer, in: world)
                return seen.view.version(of: seen.record)
            }
        }
        let before = try versions()
        _ = try world.setProfile(of: "O", [.email]) { $0.email = "new" }
        let after = try versions()
        #expect(try after[0] == world.storedProfile(of: "O").version)
        #expect(after[1] == before[1])
        // The unrelated user learns of it with the next change that it sees, and of nothing before.
        _ = try world.setProfile(of: "O", [.level]) { $0.level = 77 }
        #expect(try versions() == [world.storedProfile(of: "O").version, after[0] + 1])
    }

    @Test func choicesAreBoundedAndTheirGroupsExist() throws {
        var settings = AppSettings.tim
        settings.limits.fieldVisibilities = 2
        let world = try world(settings)
        let version = try world.storedProfile(of: "O").version
        #expect(
            try world.show("O", [Choice("email", .groups, ["none"])])
                == .refused(
                    .invalidParameter, Reason.VisibilitySet.groupNotExist, version: version))
        let three = ["email", "level", "role"].map { Choice($0, .friends) }
        #expect(
            try world.show("O", three)
                == .refused(.sizeLimit, Reason.VisibilitySet.tooManyFields, version: version))
        #expect(try world.storedProfile(of: "O").version == version)
        try world.show("O", Array(three.prefix(2)))
        // One that is taken back makes room for another in the same call.
        try world.show("O", [Choice("email", .notSet), Choice("role", .friends)])
        let chosen = try world.storedProfile(of: "O").fieldChoices.chosen
        #expect(chosen.map(\.path) == ["level", "role"])
        // The same choice again changes nothing.
        let now = try world.storedProfile(of: "O").version
        #expect(
            try world.show("O", [Choice("role", .friends)])
                == .done(version: now, changed: false))
    }
}
