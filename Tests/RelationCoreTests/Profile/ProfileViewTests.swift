import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The visible parts of a profile: the table of visibilities and viewers.
@Suite struct ProfileViewTests {
    /// The custom fields "open", which every user may read, and "shut", which administrators may
    /// read.
    private static var settings: AppSettings {
        var settings = AppSettings.tim
        var shut = CustomField(.profile, "shut", .string)
        shut.isReadable = false
        settings.customFields = [CustomField(.profile, "open", .string), shut]
        return settings
    }

    /// User O with users of every relation to it.
    ///
    /// O has the friend F. O is in the list of L, whom O does not have. W follows O, and O follows
    /// X, who is unrelated otherwise. O has blacklisted B, and also K, who is still a friend.
    private func world(_ appLevel: Visibility, _ userLevel: Visibility) throws -> World {
        let world = try World("O", "F", "L", "W", "X", "B", "K", settings: Self.settings)
        world.settings.defaultVisibility = appLevel
        world.settings.keepsFriendshipOnBlacklist = true
        #expect(try world.add("F", to: "O", .single) == .success)
        #expect(try world.add("O", to: "L", .single) == .success)
        #expect(try world.add("K", to: "O") == .success)
        #expect(try world.follow("W", "O") == .success)
        #expect(try world.follow("O", "X") == .success)
        for user: UserID in ["B", "K"] { #expect(try world.block(user, by: "O") == .success) }
        _ = try world.setProfile(
            of: "O", ProfileField.stored, customKeys: ["open", "shut"]
        ) { values in
            values = .full
            values.custom = [
                CustomValue("open", .data([1])), CustomValue("shut", .data([2])),
            ]
        }
        try world.show("O", to: userLevel)
        return world
    }

    /// The part of O that `viewer` sees, without the version, which every viewer gets.
    private func seen(
        by viewer: UserID, isAdmin: Bool = false, in world: World
    ) throws -> ProfileRecord {
        let seen = try world.read { (transaction) throws(StorageError) in
            try Profiles.visible(
                ["O"], by: viewer, isAdmin: isAdmin, app: world.app, in: transaction)[0]
        }
        let one = try #require(seen)
        var record = one.view.masked(one.record, world.settings)
        // The fields were written in one change, and then the visibility. Other viewers get a new
        // version of the latter only if it differs from the app's default.
        let chosen = world.settings.visibility(chosen: one.record.visibility)
        let isNew = chosen != world.settings.defaultVisibility
        let seesAll = isAdmin || viewer == "O"
        let seesMore = record.gender != nil
        #expect(record.version == (seesAll || seesMore && isNew ? one.record.version : 1))
        record.version = 0
        return record
    }

    private static let everything: ProfileRecord = {
        var record = own
        record.custom.append(CustomValue("shut", .text("\u{2}")))
        return record
    }()

    private static let own: ProfileRecord = {
        var record = ProfileRecord.full
        record.custom = [CustomValue("open", .text("\u{1}"))]
        return record
    }()

    private static let open: ProfileRecord = {
        var record = own
        record.msgSettings = nil
        record.adminForbidType = nil
        return record
    }()

    private static let card: ProfileRecord = {
        var record = ProfileRecord()
        record.nick = "n"
        record.faceURL = "f"
        return record
    }()

    @Test(
        arguments: [Visibility.invisible, .everyone, .friends, .followers],
        [Visibility.notSet, .invisible, .everyone, .friends, .followers])
    func eachViewerSeesWhatTheTableSays(_ appLevel: Visibility, _ userLevel: Visibility) throws {
        let world = try world(appLevel, userLevel)
        let effective = userLevel == .notSet ? appLevel : userLevel
        #expect(world.settings.visibility(chosen: userLevel) == effective)
        let friend = [.everyone, .friends].contains(effective) ? Self.open : Self.card
        let follower = [.everyone, .followers].contains(effective) ? Self.open : Self.card
        let other = effective == .everyone ? Self.open : Self.card
        #expect(try seen(by: "X", isAdmin: true, in: world) == Self.everything)
        #expect(try seen(by: "O", isAdmin: true, in: world) == Self.everything)
        #expect(try seen(by: "O", in: world) == Self.own)
        #expect(try seen(by: "F", in: world) == friend)
        #expect(try seen(by: "W", in: world) == follower)
        // The owner's list counts: a user that has the owner, and is not in the owner's list, is a
        // unrelated user.
        #expect(try seen(by: "L", in: world) == other)
        #expect(try seen(by: "X", in: world) == other)
        // Users that the owner has blacklisted see only the card, whatever else the owner chose.
        #expect(try seen(by: "B", in: world) == Self.card)
        #expect(try seen(by: "K", in: world) == Self.card)
    }

    /// The list of hidden fields is made once for each view, and agrees with every single field.
    @Test func theHiddenFieldsAreThoseThatTheViewDoesNotSee() {
        var views = [Visibility.invisible, .everyone, .friends, .followers].flatMap { visibility in
            ProfileViewer.allCases.map { ProfileView(of: visibility, by: $0) }
        }
        var grant = GrantRecord()
        grant.permission = "email"
        grant.said = .granted
        for grants in [[], [grant]] {
            views.append(ProfileView(ConsentView(grants, .tim, at: Timestamp(milliseconds: 0))))
        }
        for view in views {
            let hidden = ProfileField.allCases.filter { !view.isVisible($0) }
            #expect(view.hiddenFields == hidden)
            for field in Self.settings.customFields where view.seesAllCustomFields {
                #expect(view.isVisible(field))
            }
        }
        #expect(Set(views.map(\.hiddenFields.count)) == [0, 2, 23, 25, 24])
    }

    /// A server that does not know the visibility of a row shows the card alone.
    @Test func aVisibilityThatIsNotKnownShowsNothingButTheCard() throws {
        let unknown = Visibility(rawValue: 6)
        for viewer in [ProfileViewer.friend, .follower, .other] {
            #expect(!ProfileView(of: unknown, by: viewer).isOpen)
        }
        let world = try world(.everyone, unknown)
        for viewer: UserID in ["F", "W", "X"] {
            #expect(try seen(by: viewer, in: world) == Self.card)
        }
    }

    @Test func whoFollowsOrStopsSeesMoreOrLessAtOnce() throws {
        let world = try world(.invisible, .followers)
        #expect(try seen(by: "X", in: world) == Self.card)
        #expect(try world.follow("X", "O") == .success)
        #expect(try seen(by: "X", in: world) == Self.open)
        #expect(try world.unfollow("X", "O") == .success)
        #expect(try seen(by: "X", in: world) == Self.card)
    }

    @Test func whoIsTakenOutOrBlacklistedSeesNoMoreAtOnce() throws {
        let world = try world(.everyone, .friends)
        #expect(try seen(by: "F", in: world) == Self.open)
        #expect(try world.delete("F", from: "O") == .success)
        #expect(try seen(by: "F", in: world) == Self.card)
        #expect(try world.importFriend("F", of: "O") == .success)
        #expect(try seen(by: "F", in: world) == Self.open)
        #expect(try world.block("F", by: "O") == .success)
        #expect(try seen(by: "F", in: world) == Self.card)
        #expect(try world.unblock("F", by: "O") == .success)
        #expect(try seen(by: "F", in: world) == Self.open)
        // F's own blacklist hides nothing from F.
        #expect(try world.block("O", by: "F") == .success)
        #expect(try seen(by: "F", in: world) == Self.open)
    }

    @Test func aChoiceIsAVersionAndAnEventAndTheSameAgainIsNeither() throws {
        let world = try World("A")
        #expect(try world.show("A", to: .friends))
        let event = try #require(try world.events(of: "A").last)
        #expect(event.kind == .visibilityChanged)
        #expect(event.items.first?.fields == ["visibility"])
        #expect(event.items.first?.visibility == .friends)
        #expect(try world.profile(of: "A").version == 1)
        let before = try world.snapshot(of: ["A"])
        #expect(try !world.show("A", to: .friends))
        #expect(try world.snapshot(of: ["A"]) == before)
        #expect(try world.show("A", to: .notSet))
        #expect(try world.profile(of: "A").version == 2)
        #expect(try world.profile(of: "A").visibility == .notSet)
        #expect(try Audit(world, ["A"]).findings == [])
    }

    /// A value that is stored under the key of a retired field, or of a field that has another type
    /// now, is visible to no viewer.
    @Test func whatNoFieldOfTheAppHoldsIsSeenByNoUser() throws {
        let world = try world(.everyone, .notSet)
        world.settings.customFields[0].isRetired = true
        for viewer: UserID in ["O", "F"] { #expect(try seen(by: viewer, in: world).custom == []) }
        world.settings.customFields[0] = CustomField(.profile, "open", .uint64)
        for viewer: UserID in ["O", "F"] { #expect(try seen(by: viewer, in: world).custom == []) }
        world.settings.customFields[0] = CustomField(.friend, "open", .string)
        #expect(try seen(by: "O", in: world).custom == [])
        world.settings.customFields[0] = CustomField(.profile, "open", .bytes)
        #expect(try seen(by: "F", in: world).custom == [CustomValue("open", .data([1]))])
    }
}
