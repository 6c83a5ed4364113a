import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// Permissions of client apps: each decision, each answer, the rows and the events.
@Suite struct ConsentTests {
    private static let day: Int64 = 86_400_000

    private func codes(
        _ answer: (changed: Bool, answers: [Consent.Answer])
    ) -> [Int32] {
        answer.answers.map(\.outcome.code.rawValue)
    }

    // MARK: Granting

    @Test func theFirstGrantBringsThePublicProfileWithIt() throws {
        let world = try World("A")
        #expect(try world.statuses(of: "A") == [:])
        #expect(try codes(world.setConsent(.grant, ["email"], of: "A")) == [0])
        #expect(try world.statuses(of: "A") == ["email": .granted, "public_profile": .granted])
        let events = try world.events(of: "A")
        #expect(events.map(\.kind) == [.consentChanged])
        #expect(events[0].items.map(\.permission?.name) == ["email", "public_profile"])
        let listed = try world.grants(of: "A").map { ChangedPermission($0, world.settings) }
        #expect(events[0].items.map(\.permission) == listed)
        #expect(events[0].items.allSatisfy { $0.clientAppID == "client" })
        #expect(try Audit(world, ["A"]).findings == [])
    }

    @Test func aGrantThatGrantsNothingBringsNothing() throws {
        let world = try World("A")
        let before = try world.snapshot(of: ["A"])
        #expect(try codes(world.setConsent(.grant, ["user_likes"], of: "A")) == [40009])
        #expect(try world.snapshot(of: ["A"]) == before)
    }

    @Test func grantingAgainBeginsTheTimeAnewAndLeavesThePublicProfile() throws {
        let world = try World("A")
        world.settings.permissions = [permission("email", .email, days: 90)]
        _ = try world.setConsent(.grant, ["email"], of: "A")
        world.advance(milliseconds: Self.day)
        _ = try world.setConsent(.grant, ["email"], of: "A")
        let grants = try world.grants(of: "A")
        #expect(grants.map(\.permission) == ["email", "public_profile"])
        #expect(grants.map(\.grantTimeMs) == [World.start + Self.day, World.start])
        #expect(grants.map(\.expireTimeMs) == [World.start + 91 * Self.day, 0])
        let listed = try world.events(of: "A").map { $0.items.map(\.permission?.name) }
        #expect(listed == [["email", "public_profile"], ["email"]])
        #expect(try Audit(world, ["A"]).findings == [])
    }

    @Test func theSameGrantAtTheSameMomentIsNoEvent() throws {
        let world = try World("A")
        _ = try world.setConsent(.grant, ["email"], of: "A")
        let before = try world.snapshot(of: ["A"])
        let again = try world.setConsent(.grant, ["email", "email"], of: "A")
        #expect(codes(again) == [0, 0] && !again.changed)
        #expect(again.answers.map(\.outcome.changed) == [false, false])
        #expect(try world.snapshot(of: ["A"]) == before)
        world.advance(milliseconds: 1)
        let later = try world.setConsent(.grant, ["nothing", "email", "email"], of: "A")
        #expect(later.changed && later.answers.map(\.outcome.changed) == [false, true, true])
    }

    @Test func theAnswersOfEachWordComeInOrder() throws {
        let world = try World("A")
        for (word, command) in [(.grant, "Grant"), (.decline, "Decline"), (.revoke, "Revoke")]
            as [(Consent.Word, String)]
        {
            let answer = try world.setConsent(
                word, ["", "user likes", "user_likes", "email", "public_profile"], of: "A")
            let isGrant = word == .grant
            #expect(codes(answer) == [40001, 40001, 40009, 0, isGrant ? 0 : 40605])
            #expect(
                answer.answers.map(\.outcome.reason.info.description) == [
                    "Err_Consent_\(command)_Permission_Illegal",
                    "Err_Consent_\(command)_Permission_Illegal",
                    "Err_Consent_\(command)_Permission_Not_Exist", "",
                    isGrant ? "" : "Err_Consent_\(command)_Permission_Basic",
                ])
        }
        #expect(try Audit(world, ["A"]).findings == [])
    }

    @Test func clientAppsAreApart() throws {
        let world = try World("A", "B")
        _ = try world.setConsent(.grant, ["email"], of: "A", to: "one")
        _ = try world.setConsent(.decline, ["email"], of: "A", to: "one.more")
        #expect(
            try world.statuses(of: "A", to: "one") == [
                "email": .granted, "public_profile": .granted,
            ])
        #expect(try world.statuses(of: "A", to: "one.more") == ["email": .declined])
        #expect(try world.statuses(of: "A", to: "on") == [:])
        #expect(try world.statuses(of: "B", to: "one") == [:])
    }

    @Test func allOrNothingAnswersWhatEachWouldBeAndWritesNothing() throws {
        let world = try World("A")
        let before = try world.snapshot(of: ["A"])
        let held = try world.setConsent(.grant, ["email", "nothing"], of: "A", allOrNothing: true)
        #expect(!held.changed && codes(held) == [0, 40009])
        #expect(held.answers.map(\.outcome.changed) == [false, false])
        #expect(held.answers[0].grant?.said == .granted)
        #expect(try world.snapshot(of: ["A"]) == before)
        let done = try world.setConsent(
            .grant, ["email", "user_friends"], of: "A", allOrNothing: true)
        #expect(done.changed && codes(done) == [0, 0])
        #expect(try world.grants(of: "A").count == 3)
    }

    // MARK: Declining and revoking

    @Test func decliningEndsAGrantAndIsSaidOnce() throws {
        let world = try World("A")
        #expect(try codes(world.setConsent(.decline, ["email"], of: "A")) == [0])
        #expect(try world.statuses(of: "A") == ["email": .declined])
        let before = try world.snapshot(of: ["A"])
        world.advance(milliseconds: 1)
        #expect(try codes(world.setConsent(.decline, ["email"], of: "A")) == [0])
        #expect(try world.snapshot(of: ["A"]) == before)
        _ = try world.setConsent(.grant, ["email"], of: "A")
        #expect(try world.statuses(of: "A")["email"] == .granted)
        let answer = try world.setConsent(.decline, ["email"], of: "A")
        #expect(answer.answers[0].grant?.said == .declined)
        #expect(try world.statuses(of: "A") == ["email": .declined, "public_profile": .granted])
        #expect(try world.events(of: "A").count == 3)
        #expect(try Audit(world, ["A"]).findings == [])
    }

    @Test func revokingTakesBackWhatIsGrantedAndNothingElse() throws {
        let world = try World("A")
        _ = try world.setConsent(.grant, ["email", "user_birthday"], of: "A")
        _ = try world.setConsent(.decline, ["user_location"], of: "A")
        let events = try world.events(of: "A").count
        let answer = try world.setConsent(
            .revoke, ["email", "user_location", "user_friends"], of: "A")
        #expect(codes(answer) == [0, 0, 0])
        #expect(answer.answers.map(\.grant?.said) == [.revoked, .declined, nil])
        #expect(
            try world.statuses(of: "A") == [
                "email": .revoked, "public_profile": .granted, "user_birthday": .granted,
                "user_location": .declined,
            ])
        let listed = try world.events(of: "A").dropFirst(events)
        #expect(listed.map { $0.items.map(\.permission?.name) } == [["email"]])
        #expect(try Audit(world, ["A"]).findings == [])
    }

    @Test func revokingAllTakesThePublicProfileTooAndLeavesWhatWasDeclined() throws {
        let world = try World("A")
        _ = try world.setConsent(.grant, ["email"], of: "A")
        _ = try world.setConsent(.grant, ["email"], of: "A", to: "other")
        _ = try world.setConsent(.decline, ["user_friends"], of: "A")
        #expect(try world.revokeAll(of: "A").map(\.permission) == ["email", "public_profile"])
        #expect(
            try world.statuses(of: "A") == [
                "email": .revoked, "public_profile": .revoked, "user_friends": .declined,
            ])
        #expect(try world.statuses(of: "A", to: "other")["email"] == .granted)
        let before = try world.snapshot(of: ["A"])
        #expect(try world.revokeAll(of: "A") == [])
        #expect(try world.snapshot(of: ["A"]) == before)
        _ = try world.setConsent(.grant, ["user_birthday"], of: "A")
        #expect(try world.statuses(of: "A")["public_profile"] == .granted)
        #expect(try Audit(world, ["A"]).findings == [])
    }

    // MARK: Lifetime

    @Test func aGrantExpiresAtItsEndWithoutAnyWrite() throws {
        let world = try World("A")
        world.settings.permissions = [permission("email", .email, days: 90)]
        _ = try world.setConsent(.grant, ["email"], of: "A")
        world.advance(milliseconds: 90 * Self.day - 1)
        #expect(try world.access(to: ["email", "name"], of: "A") == [.granted, .granted])
        world.advance(milliseconds: 1)
        #expect(try world.access(to: ["email", "name"], of: "A") == [.expired, .granted])
        #expect(try world.statuses(of: "A")["email"] == .expired)
        _ = try world.setConsent(.grant, ["email"], of: "A")
        #expect(try world.access(to: ["email"], of: "A") == [.granted])
        world.advance(milliseconds: 100 * Self.day)
        #expect(try codes(world.setConsent(.revoke, ["email"], of: "A")) == [0])
        #expect(try world.statuses(of: "A")["email"] == .revoked)
    }

    @Test func aNewLifetimeHoldsForNewGrants() throws {
        let world = try World("A")
        _ = try world.setConsent(.grant, ["email"], of: "A")
        world.settings.permissions = [permission("email", .email, days: 1)]
        world.advance(milliseconds: 2 * Self.day)
        #expect(try world.statuses(of: "A")["email"] == .granted)
    }

    // MARK: The view of a client app

    /// Facebook's groups of permissions, and the fields that each opens.
    @Test(arguments: [
        ("public_profile", ["name", "first_name", "last_name", "link", "username", "gender"]),
        ("public_profile", ["locale", "age_range", "picture_url", "nick", "face_url"]),
        ("email", ["email"]),
        ("user_birthday", ["birthday", "birthday_text"]),
        ("user_location", ["location", "location_text"]),
        ("user_friends", []),
    ])
    func eachPermissionOpensItsFieldsAndNoOthers(name: String, fields: [String]) throws {
        let world = try World("A")
        _ = try world.setConsent(.grant, [name], of: "A")
        let seen = try world.access(to: fields, of: "A")
        #expect(seen.allSatisfy { $0 == .granted })
        let others = ["email", "birthday", "location", "role", "self_signature", "msg_settings"]
            .filter { !fields.contains($0) }
        #expect(try world.access(to: others, of: "A").allSatisfy { $0 == .unspecified })
    }

    @Test func aFieldThatTwoPermissionsOpenIsOpenByEither() throws {
        let world = try World("A")
        var about = permission("user_about", .extendedProfile, days: 1)
        about.fields = ["birthday", "self_signature"]
        world.settings.permissions = [about]
        let fields = ["birthday", "self_signature"]
        _ = try world.setConsent(.decline, ["user_birthday"], of: "A")
        #expect(try world.access(to: fields, of: "A") == [.declined, .unspecified])
        _ = try world.setConsent(.grant, ["user_about"], of: "A")
        #expect(try world.access(to: fields, of: "A") == [.granted, .granted])
        world.advance(milliseconds: Self.day)
        #expect(try world.access(to: fields, of: "A") == [.expired, .expired])
        _ = try world.setConsent(.revoke, ["user_about"], of: "A")
        #expect(try world.access(to: fields, of: "A") == [.revoked, .revoked])
    }

    @Test func aPermissionToPublishOpensNothing() throws {
        let world = try World("A")
        var publish = permission("publish_actions", .openGraph, days: 0)
        publish.access = .publish
        publish.fields = ["self_signature"]
        world.settings.permissions = [publish]
        _ = try world.setConsent(.grant, ["publish_actions"], of: "A")
        #expect(try world.access(to: ["self_signature"], of: "A") == [.unspecified])
    }

    // MARK: Friends of the same client app

    @Test func friendsAreSeenWhoLetTheSameClientAppSeeThem() throws {
        let world = try World("A", "B", "C", "D", "E")
        for friend in ["B", "C", "D"] as [UserID] {
            #expect(try world.add(friend, to: "A") == .success)
        }
        for user in ["B", "C", "E"] as [UserID] {
            _ = try world.setConsent(.grant, ["user_friends"], of: user)
        }
        _ = try world.setConsent(.grant, ["user_friends"], of: "D", to: "other")
        var seen = try world.appFriends(of: "A")
        #expect(seen.friends == ["B", "C"] && seen.total == 3)
        _ = try world.setConsent(.decline, ["user_friends"], of: "B")
        seen = try world.appFriends(of: "A")
        #expect(seen.friends == ["C"] && seen.total == 3)
        #expect(try world.delete("C", from: "A") == .success)
        seen = try world.appFriends(of: "A")
        #expect(seen.friends == [] && seen.total == 2)
    }

    @Test func aFriendWhoseGrantExpiredIsNotSeen() throws {
        let world = try World("A", "B")
        world.settings.permissions = [permission("user_friends", .basic, days: 1)]
        #expect(try world.add("B", to: "A") == .success)
        _ = try world.setConsent(.grant, ["user_friends"], of: "B")
        #expect(try world.appFriends(of: "A").friends == ["B"])
        world.advance(milliseconds: Self.day)
        #expect(try world.appFriends(of: "A").friends == [])
    }

    @Test func moreFriendsThanOneReadTakesAreAllLookedAt() throws {
        let world = try World("A")
        let friends = (1...1_001).compactMap { UserID(String(10_000 + $0)) }
        try world.create(friends)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            for friend in friends {
                let row = FriendImport.Row(owner: "A", friend: friend)
                _ = try FriendImport.write(row, notify: false, in: ledger)
                _ = try Consent.set(
                    .grant, [.userFriends], of: friend, to: "client", in: ledger)
            }
        }
        let seen = try world.appFriends(of: "A")
        #expect(seen.friends == friends && seen.total == friends.count)
    }

    // MARK: Names

    @Test(arguments: [
        ("a", true), ("A.b_c-9", true), (String(repeating: "x", count: 64), true), ("", false),
        (String(repeating: "x", count: 65), false), ("a b", false), ("a\0", false), ("é", false),
        ("a:b", false),
    ])
    func aClientAppIDIsChecked(text: String, isLegal: Bool) {
        #expect((ClientAppID(text) != nil) == isLegal)
    }

    @Test(arguments: [
        ("a", true), ("user_actions:my.app", true), (String(repeating: "x", count: 64), true),
        ("", false), (String(repeating: "x", count: 65), false), ("a-b", false), ("a\0", false),
        ("é", false),
    ])
    func aNameOfAPermissionIsChecked(text: String, isLegal: Bool) {
        #expect((PermissionName(text) != nil) == isLegal)
    }

    private func permission(
        _ name: PermissionName, _ kind: PermissionKind, days: Int64
    ) -> Permission {
        var permission = Permission(name, kind)
        permission.fields = Permission.builtIn.first { $0.name == name }?.fields ?? []
        permission.lifetimeMs = days * Self.day
        return permission
    }
}
