import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCalls
@testable import RelationService

/// Reads of profiles tell why a field is absent, and whether the caller's copy of a profile is
/// still good.
@Suite struct ProfileReadTests {
    /// A world in which O has the friend F and a filled profile, and has blacklisted B.
    private func harness() throws -> ServiceHarness {
        let world = try World("O", "F", "X", "B", "N")
        var shut = CustomField(.profile, "Shut", .string)
        shut.isReadable = false
        var old = CustomField(.profile, "Old", .string)
        old.isRetired = true
        world.settings.customFields = [
            CustomField(.profile, "Open", .string), shut, old, CustomField(.friend, "Met", .string),
        ]
        #expect(try world.add("F", to: "O", .single) == .success)
        #expect(try world.block("B", by: "O") == .success)
        _ = try world.setProfile(
            of: "O", [.nick, .email, .adminForbidType, .birthday], customKeys: ["Open", "Shut"]
        ) { values in
            values.nick = "Ola"
            values.email = "o@example.org"
            values.adminForbidType = .sendOut
            values.birthday = 2000_01_01
            values.custom = [CustomValue("Open", .data([1])), CustomValue("Shut", .data([2]))]
        }
        let harness = ServiceHarness(world)
        harness.isAdmin = false
        return harness
    }

    private func get(
        _ user: String, by viewer: String, in harness: ServiceHarness, mask: [String] = [],
        knowing version: Int64? = nil, withUnset: Bool = true
    ) throws -> GetProfileResult {
        var request = GetProfilesRequest()
        request.userID = viewer
        request.userIDs = [user]
        if !mask.isEmpty { request.readMask = FieldMask(mask) }
        request.withUnsetFields = withUnset
        if let version { request.knownVersions = [user: version] }
        var result = GetProfileResult()
        try harness.read(request) { response in
            result = try #require(response?.results.first)
            #expect(response?.results.count == 1)
            #expect(response?.cacheSeconds == harness.world.settings.profileCacheSeconds)
        }
        return result
    }

    // MARK: The reason for an absent field

    /// Every path that a read may ask for, in the order of the contract.
    private static let paths =
        Profile.schema.fields.map { "\($0.name)" }
        .filter { !["user_id", "version", "custom"].contains($0) } + ["custom.Open", "custom.Shut"]

    /// The entries for some of the paths, in the order of all.
    private func entries(_ wanted: [String: FieldAccessState]) -> [FieldAccess] {
        Self.paths.compactMap { path in wanted[path].map { FieldAccess(path, $0) } }
    }

    @Test(arguments: [("O", ["custom.Shut"]), ("F", privates), ("X", privates)])
    func anAbsentFieldIsHiddenOrNotSet(_ viewer: String, _ hidden: [String]) throws {
        let result = try get("O", by: viewer, in: harness())
        var wanted: [String: FieldAccessState] = [:]
        for path in Self.paths { wanted[path] = .notSet }
        for path in Self.given { wanted[path] = nil }
        for path in hidden { wanted[path] = .hidden }
        #expect(result.code == .success)
        #expect(result.fieldAccess == entries(wanted))
        #expect(result.profile?.email == "o@example.org")
        #expect(result.profile?.custom == [CustomValue("Open", .text("\u{1}"))])
    }

    static let privates = ["custom.Shut", "msg_settings", "admin_forbid_type"]
    private static let given = [
        "nick", "email", "admin_forbid_type", "birthday", "age_range", "custom.Open", "custom.Shut",
    ]

    /// The status "hidden" does not tell whether there is a value.
    @Test func whoSeesTheCardOnlyLearnsNothingOfTheRest() throws {
        let harness = try harness()
        let full = try get("O", by: "B", in: harness)
        let empty = try get("N", by: "B", in: harness)
        #expect(full.fieldAccess.first == FieldAccess("face_url", .notSet))
        #expect(empty.fieldAccess.first == FieldAccess("nick", .notSet))
        var wanted: [String: FieldAccessState] = ["face_url": .notSet]
        for path in Self.paths where path != "nick" && path != "face_url" { wanted[path] = .hidden }
        #expect(full.fieldAccess == entries(wanted))
        try harness.world.show("N", to: .invisible)
        wanted["nick"] = .notSet
        #expect(try get("N", by: "B", in: harness).fieldAccess == entries(wanted))
        var profile = Profile()
        profile.userID = "O"
        profile.nick = "Ola"
        profile.version = 1
        #expect(full.profile == profile)
    }

    @Test func accessIsShownForTheFieldsAskedForOnly() throws {
        let harness = try harness()
        let result = try get(
            "O", by: "F", in: harness, mask: ["nick", "role", "msg_settings", "custom.Shut"])
        #expect(
            result.fieldAccess
                == entries(["role": .notSet, "msg_settings": .hidden, "custom.Shut": .hidden]))
        #expect(result.profile?.version == 0 && result.profile?.nick == "Ola")
    }

    /// By default an answer names only fields that exist for others, so an empty profile costs
    /// little.
    @Test(arguments: ["O", "F", "X", "B"])
    func unsetFieldsAreNamedOnlyIfTheRequestAsks(_ viewer: String) throws {
        let harness = try harness()
        for mask in [[], ["role", "nick", "custom.Shut", "msg_settings", "custom.Open"]] {
            for user in ["O", "N"] {
                let all = try get(user, by: viewer, in: harness, mask: mask)
                let few = try get(user, by: viewer, in: harness, mask: mask, withUnset: false)
                // With the mask, a viewer of the card sees only the nick, which one of them has.
                if viewer != "B" || mask.isEmpty || user == "N" {
                    #expect(all.fieldAccess.contains { $0.access == .notSet })
                }
                #expect(few.fieldAccess == all.fieldAccess.filter { $0.access != .notSet })
                #expect(few.profile == all.profile)
                #expect(few.viewVersion != all.viewVersion, "a copy of one is none of the other")
            }
        }
    }

    @Test func anEmptyProfileWithNothingHiddenHasNoEntries() throws {
        let harness = try harness()
        harness.world.settings.customFields = []
        var request = GetSelfProfileRequest()
        request.userID = "N"
        for withUnset in [false, true] {
            request.withUnsetFields = withUnset
            try harness.read(request, ProfileHandlers.getSelf) { answer in
                let paths = try #require(answer).fieldAccess.map(\.field)
                #expect(paths == (withUnset ? Self.paths.dropLast(2) : []))
            }
        }
    }

    @Test func entriesOfCustomFieldsComeByTheirKeys() throws {
        let harness = try harness()
        harness.world.settings.customFields = ["b", "a", "C"].map { key in
            var field = CustomField(.profile, key, .string)
            field.isReadable = key == "b"
            return field
        }
        let result = try get("N", by: "F", in: harness)
        let paths = result.fieldAccess.map(\.field).filter { $0.hasPrefix("custom.") }
        #expect(paths == ["custom.C", "custom.a", "custom.b"])
    }

    @Test(arguments: ["custom.Old", "custom.Met", "custom.", "Custom", "nick ", "relation"])
    func aPathOfNoFieldIsRefused(_ path: String) throws {
        let harness = try harness()
        let error = try #require(throws: (any Error).self) {
            _ = try get("O", by: "F", in: harness, mask: ["nick", path])
        }
        #expect("\(error)".contains("read_mask"))
    }

    // MARK: The copy of the caller

    @Test func aProfileThatTheCallerHasIsNotSentAgain() throws {
        let harness = try harness()
        let first = try get("O", by: "F", in: harness)
        #expect(first.viewVersion > 0 && !first.notModified)
        let again = try get("O", by: "F", in: harness, knowing: first.viewVersion)
        #expect(again.notModified && again.profile == nil && again.fieldAccess.isEmpty)
        #expect(again.viewVersion == first.viewVersion && again.code == .success)
        for other in [0, -1, first.viewVersion &+ 1] {
            let result = try get("O", by: "F", in: harness, knowing: other)
            #expect(!result.notModified && result.profile == first.profile)
        }
    }

    /// The changes of which each alone changes the answer.
    static let changes: [(String, @Sendable (World) throws -> Void)] = [
        ("a field", { _ = try $0.setProfile(of: "O", [.level]) { $0.level = 1 } }),
        (
            "a custom field",
            { world in
                _ = try world.setProfile(of: "O", [], customKeys: ["Open"]) {
                    $0.custom = [CustomValue("Open", .data([3]))]
                }
            }
        ),
        (
            "a custom field that changed unseen and is open now",
            { world in
                _ = try world.setProfile(of: "O", [], customKeys: ["Shut"]) {
                    $0.custom = [CustomValue("Shut", .data([9]))]
                }
                world.settings.customFields[1].isReadable = true
            }
        ),
        ("the visibility", { try $0.show("O", to: .invisible) }),
        ("the app's visibility", { $0.settings.defaultVisibility = .invisible }),
        ("the blacklist", { _ = try $0.block("F", by: "O") }),
        ("a field that the app adds", { $0.settings.customFields[2].isRetired = false }),
        ("a field that the app retires", { $0.settings.customFields[0].isRetired = true }),
        ("a field that the app opens", { $0.settings.customFields[1].isReadable = true }),
        ("a birthday", { $0.now = Timestamp(milliseconds: World.start + 86_400_000 * 366 * 8) }),
    ]

    @Test(arguments: changes)
    func whateverChangesTheAnswerChangesItsVersion(
        _ name: String, _ change: @Sendable (World) throws -> Void
    ) throws {
        let harness = try harness()
        // The eighteenth birthday is the first that shows.
        _ = try harness.world.setProfile(of: "O", [.birthday]) { $0.birthday = 2010_01_01 }
        let first = try get("O", by: "F", in: harness)
        try change(harness.world)
        let second = try get("O", by: "F", in: harness, knowing: first.viewVersion)
        #expect(!second.notModified && second.viewVersion != first.viewVersion)
        #expect(second.profile != nil)
    }

    @Test func whatIsNotSeenChangesNoVersion() throws {
        let harness = try harness()
        let first = try get("O", by: "F", in: harness)
        _ = try harness.world.setProfile(of: "O", [.msgSettings], customKeys: ["Shut"]) {
            $0.msgSettings = 1
            $0.custom = [CustomValue("Shut", .data([9]))]
        }
        let second = try get("O", by: "F", in: harness, knowing: first.viewVersion)
        #expect(second.notModified)
        #expect(try get("O", by: "F", in: harness).profile == first.profile)
        // The field is opened, then changed while it is closed again, and opened anew: the view
        // differs.
        harness.world.settings.customFields[1].isReadable = true
        let opened = try get("O", by: "F", in: harness)
        harness.world.settings.customFields[1].isReadable = false
        _ = try harness.world.setProfile(of: "O", [], customKeys: ["Shut"]) {
            $0.custom = [CustomValue("Shut", .data([10]))]
        }
        harness.world.settings.customFields[1].isReadable = true
        let again = try get("O", by: "F", in: harness, knowing: opened.viewVersion)
        #expect(!again.notModified && again.profile != opened.profile)
    }

    @Test func anExFriendsCopyIsNoLongerTheAnswer() throws {
        let harness = try harness()
        try harness.world.show("O", to: .friends)
        let first = try get("O", by: "F", in: harness)
        #expect(first.profile?.email == "o@example.org")
        #expect(try harness.world.delete("F", from: "O") == .success)
        let second = try get("O", by: "F", in: harness, knowing: first.viewVersion)
        #expect(!second.notModified && second.profile?.email == "")
        #expect(try harness.world.importFriend("F", of: "O") == .success)
        #expect(try get("O", by: "F", in: harness, knowing: first.viewVersion).notModified)
    }

    @Test func anotherMaskIsAnotherAnswerAndTheSameInAnotherOrderIsNot() throws {
        let harness = try harness()
        let masks = [
            [], ["nick"], ["nick", "email"], ["nick", "custom"], ["nick", "custom.Open"],
            ["nick", "version"],
        ]
        let versions = try masks.map { try get("O", by: "F", in: harness, mask: $0).viewVersion }
        #expect(Set(versions).count == masks.count)
        let turned = try get("O", by: "F", in: harness, mask: ["email", "nick", "email"])
        #expect(turned.viewVersion == versions[2])
        // Two viewers with the same view may share their copies.
        try harness.world.show("O", to: .everyone)
        #expect(
            try get("O", by: "F", in: harness).viewVersion
                == get("O", by: "X", in: harness).viewVersion)
        #expect(
            try get("O", by: "F", in: harness).viewVersion
                != get("O", by: "B", in: harness).viewVersion)
    }

    // MARK: By the unique identifier

    @Test func whoIsFoundIsMaskedLikeAnybody() throws {
        let harness = try harness()
        _ = try harness.world.setProfile(of: "O", [.uniqueID]) { $0.uniqueID = "ola1" }
        try harness.world.show("O", to: .friends)
        func find(_ id: String, by viewer: String) throws -> FindProfileByUniqueIdResponse {
            var request = FindProfileByUniqueIdRequest()
            request.userID = viewer
            request.uniqueID = id
            var answer = FindProfileByUniqueIdResponse()
            try harness.read(request, ProfileHandlers.find) { answer = try #require($0) }
            return answer
        }
        for (viewer, email) in [("F", "o@example.org"), ("X", ""), ("B", "")] {
            let found = try find("ola1", by: viewer)
            #expect(found.code == .success && found.reason == .none && found.info.isEmpty)
            #expect(found.profile?.userID == "O" && found.profile?.nick == "Ola")
            #expect(found.profile?.email == email)
            #expect(found.profile?.uniqueID == (email.isEmpty ? "" : "ola1"))
            #expect(found.fieldAccess.contains(FieldAccess("email", .hidden)) == email.isEmpty)
        }
        for (id, code) in [
            ("ola", 24366), ("OLA1", 24366), ("ola11", 24366), ("", 34236), ("ola 1", 34236),
            (String(repeating: "x", count: 33), 34236),
        ] as [(String, Int32)] {
            let answer = try find(id, by: "F")
            let reason =
                code == 24366
                ? Reason.ProfileFind.uniqueIDNotExist : Reason.ProfileFind.uniqueIDIllegal
            #expect(answer.code?.rawValue == code && answer.profile == nil)
            #expect(answer.reason == reason && answer.info == reason.info.description)
        }
    }
}
