import Protobuf
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The explanation of the fields of a profile is what the rule did: each rung decides in a case of
/// its own, and the state of each field is that of an answer.
@Suite struct ExplainProfileTests {
    private static let secret = "ann@example.org"

    private func world() throws -> World {
        let world = try World("A", "B")
        var notes = CustomField(.profile, "Notes", .string)
        notes.isReadable = false
        world.settings.customFields = [CustomField(.profile, "Blood", .string), notes]
        let set = try world.setProfile(
            of: "A", [.nick, .email, .birthday, .msgSettings], customKeys: ["Blood", "Notes"]
        ) {
            $0.nick = "Ann"
            $0.email = Self.secret
            $0.birthday = 19_900_101
            $0.msgSettings = 1
            $0.custom.set(.data(Array("AB".utf8)), of: "Blood")
            $0.custom.set(.data(Array("calls often".utf8)), of: "Notes")
        }
        #expect(set == .done(version: 1, changed: true))
        return world
    }

    private func explain(
        _ world: World, by viewer: UserID = "B", of owner: UserID? = "A"
    ) throws -> Profiles.Explained {
        try world.read { (transaction) throws(StorageError) in
            try Profiles.explain(
                ProfileField.allCases, customFields: world.settings.customFields, of: owner,
                by: viewer, at: world.now, app: world.app, in: transaction)
        }
    }

    private func field(_ path: String, _ explained: Profiles.Explained) throws -> FieldExplanation {
        try #require(explained.fields.first { $0.path == path })
    }

    private func rung(
        _ kind: RungKind, of path: String, _ world: World
    ) throws -> ExplainedRung {
        let rungs = try field(path, explain(world)).rungs
        return try #require(rungs.first { $0.kind == kind })
    }

    /// The rungs of a field up to the one that decides, which only tells come after.
    private func chain(
        _ path: String, _ world: World, by viewer: UserID = "B"
    ) throws -> [RungKind] {
        let rungs = try field(path, explain(world, by: viewer)).rungs
        let index = rungs.firstIndex { $0.decided }
        let end = try #require(index)
        #expect(rungs.filter(\.decided).count == 1)
        #expect(rungs[(end + 1)...].map(\.kind) == [.fieldReview, .fieldValue])
        return rungs[...end].map(\.kind)
    }

    private static let whole: [RungKind] = [
        .otherUser, .privateField, .cardField, .peerBlacklist, .fieldChoice, .fieldDefault,
        .profileAudience,
    ]

    // MARK: The ladder

    @Test func eachRungOfAFieldDecidesInACaseOfItsOwn() throws {
        let world = try world()
        world.settings.defaultVisibility = .friends
        #expect(try chain("email", world) == Self.whole)
        #expect(try chain("email", world, by: "A") == [.otherUser])
        #expect(try chain("msg_settings", world) == [.otherUser, .privateField])
        #expect(try chain("nick", world) == [.otherUser, .privateField, .cardField])
        world.settings.fieldDefaults.friends = ["email"]
        #expect(try chain("email", world) == Array(Self.whole.prefix(6)))
        try world.show("A", [Profiles.FieldChoice("email", .everyone)])
        #expect(try chain("email", world) == Array(Self.whole.prefix(5)))
        #expect(try field("email", explain(world)).state == .unspecified)
        #expect(try world.block("B", by: "A") == .success)
        #expect(try chain("email", world) == Array(Self.whole.prefix(4)))
        #expect(try field("email", explain(world)).state == .hidden)
        #expect(try chain("nick", world) == [.otherUser, .privateField, .cardField])
    }

    @Test func customFieldsAskFirstWhoReadsThem() throws {
        let world = try world()
        let rest: [RungKind] = [
            .readableField, .otherUser, .peerBlacklist, .fieldChoice, .fieldDefault,
            .profileAudience,
        ]
        #expect(try chain("custom.Blood", world) == rest)
        #expect(try chain("custom.Blood", world, by: "A") == [.readableField, .otherUser])
        for viewer: UserID in ["A", "B"] {
            #expect(try chain("custom.Notes", world, by: viewer) == [.readableField])
            #expect(try field("custom.Notes", explain(world, by: viewer)).state == .hidden)
        }
        try world.show("A", [Profiles.FieldChoice("custom.Blood", .invisible)])
        #expect(try chain("custom.Blood", world) == Array(rest.prefix(4)))
        #expect(try field("custom.Blood", explain(world)).state == .onlyOneself)
    }

    @Test func usersThatAreNoneEndBeforeTheFields() throws {
        let world = try world()
        let unknown = try explain(world, by: "ghost")
        #expect(unknown.code == .accountNotFound && unknown.rungs.map(\.kind) == [.ownAccount])
        let malformed = try explain(world, of: nil)
        #expect(malformed.code == .invalidParameter)
        #expect(malformed.rungs.map(\.kind) == [.ownAccount, .peerID])
        let noAccount = try explain(world, of: "ghost")
        #expect(noAccount.code == .accountNotFound)
        #expect(noAccount.rungs.map(\.kind) == [.ownAccount, .peerID, .peerAccount])
        for ended in [unknown, malformed, noAccount] {
            #expect(ended.rungs.map(\.decided).last == true && ended.fields.isEmpty)
        }
        let found = try explain(world)
        #expect(found.code == .success && found.rungs.allSatisfy { !$0.decided })
    }

    // MARK: The facts

    @Test func aChoiceForGroupsTellsTheRowOfEachGroup() throws {
        let world = try world()
        #expect(try world.add("B", to: "A") { $0.groups = ["work"] } == .success)
        _ = try world.createGroup("chess", of: "A")
        try world.show("A", [Profiles.FieldChoice("email", .groups, ["chess"])])
        var rung = try self.rung(.fieldChoice, of: "email", world)
        #expect(rung.decided && rung.value == "VISIBILITY_GROUPS")
        #expect(rung.rows.dropFirst().map(\.isPresent) == [false])
        #expect(try field("email", explain(world)).state == .onlyGroups)
        try world.show("A", [Profiles.FieldChoice("email", .groups, ["chess", "work"])])
        rung = try self.rung(.fieldChoice, of: "email", world)
        #expect(Set(rung.rows.dropFirst().map(\.isPresent)) == [false, true])
        #expect(rung.rows.first?.sequence == 3)
        #expect(try field("email", explain(world)).state == .unspecified)
    }

    @Test func theWholeProfileTellsItsSettingAndTheRowOfTheFriend() throws {
        let world = try world()
        world.settings.defaultVisibility = .friends
        var rung = try self.rung(.profileAudience, of: "email", world)
        #expect(rung.value == "VISIBILITY_FRIENDS" && rung.setting?.name == "default_visibility")
        #expect(rung.rows.map(\.owner) == ["A", "A"] && rung.rows.last?.isPresent == false)
        #expect(try world.add("B", to: "A", .single) == .success)
        try world.show("A", to: .friends)
        rung = try self.rung(.profileAudience, of: "email", world)
        #expect(rung.setting == nil && rung.rows.last?.isPresent == true)
        #expect(try field("email", explain(world)).state == .unspecified)
    }

    @Test func aDefaultTellsItsListAndTheProfileThatBoundsIt() throws {
        let world = try world()
        world.settings.fieldDefaults.friends = ["birthday"]
        try world.show("A", to: .followers)
        #expect(try world.add("B", to: "A", .single) == .success)
        for path in ["birthday", "age_range"] {
            let explained = try field(path, explain(world))
            let rung = try #require(explained.rungs.first { $0.kind == .fieldDefault })
            #expect(rung.decided && rung.setting?.name == "field_defaults.friends")
            #expect(rung.rows.map(\.isPresent) == [true, false])
            #expect(explained.state == .hidden)
        }
    }

    @Test func reviewsAndMissingValuesAreReportedAndNoValueIs() throws {
        let world = try world()
        world.settings.reviewedFields.held = ["email"]
        let set = try world.setProfile(of: "A", [.email]) { $0.email = "hidden@example.org" }
        // The value is held, so the profile is as it was, and so is its version.
        #expect(set == .done(version: 1, changed: true))
        let explained = try explain(world)
        let email = try field("email", explained)
        #expect(email.rungs.first { $0.kind == .fieldReview }?.value == "REVIEW_STATE_HELD")
        #expect(email.rungs.last?.value == "")
        let link = try field("link", explained)
        #expect(link.state == .notSet)
        #expect(link.rungs.last?.value == "FIELD_ACCESS_STATE_NOT_SET")
        let text = "\(explained)"
        for word in [Self.secret, "hidden@example.org", "calls often", "Ann"] {
            #expect(!text.contains(word), "\(word)")
        }
    }

    /// Every relation of a viewer, every visibility and every choice for a field: the explanation
    /// has the state that an answer has, and says by which rung.
    @Test(arguments: [Visibility.notSet, .invisible, .everyone, .friends, .followers])
    func anExplanationHasTheStateOfAnAnswer(_ whole: Visibility) throws {
        let choices: [Visibility] = [.notSet, .invisible, .everyone, .friends, .followers, .groups]
        for choice in choices {
            for bits in 0..<16 {
                func has(_ bit: Int) -> Bool { bits & (1 << bit) != 0 }
                let world = try world()
                world.settings.keepsFriendshipOnBlacklist = true
                if has(0) { world.settings.fieldDefaults.followers = ["email", "custom.Blood"] }
                try world.show("A", to: whole)
                _ = try world.createGroup("work", of: "A")
                if has(1) {
                    let added = try world.add("B", to: "A", .single) { $0.groups = ["work"] }
                    #expect(added == .success)
                }
                if has(2) { #expect(try world.follow("B", "A") == .success) }
                if has(3) { #expect(try world.block("B", by: "A") == .success) }
                let groups = choice == .groups ? ["work"] : []
                try world.show(
                    "A",
                    [
                        Profiles.FieldChoice("email", choice, groups),
                        Profiles.FieldChoice("custom.Blood", choice, groups),
                    ])
                let seen = try world.read { (transaction) throws(StorageError) in
                    try Profiles.visible(
                        ["A"], by: "B", isAdmin: false, app: world.app, in: transaction)
                }
                let view = try #require(seen[0]?.view)
                let shown = try #require(seen[0]?.changeItem(world.settings)).profile
                let explained = try explain(world)
                for field in ProfileField.allCases {
                    let own = try self.field(field.name, explained)
                    let isShown = own.state == .unspecified || own.state == .notSet
                    #expect(isShown == view.fields.contains(field), "\(field) \(choice) \(bits)")
                    if !isShown { #expect(own.state == view.hiddenState(field)) }
                    #expect(own.rungs.filter(\.decided).count == 1)
                }
                let blood = try field("custom.Blood", explained).state == .unspecified
                #expect(blood == !(shown?.custom.isEmpty ?? true), "\(choice) \(bits)")
            }
        }
    }
}
