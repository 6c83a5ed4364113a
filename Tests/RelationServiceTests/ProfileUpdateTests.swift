import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCalls
@testable import RelationService

/// UpdateProfile names the errors of all fields, in their order, in one answer.
@Suite struct ProfileUpdateTests {
    private static var settings: AppSettings {
        var settings = AppSettings.tim
        settings.forbiddenWords = ["worse"]
        return settings
    }

    private static func tag(_ name: String, _ value: TagValue.Value?) -> TagValue {
        var tag = TagValue()
        tag.tag = name
        tag.value = value
        return tag
    }

    private func violations(
        _ tags: [TagValue], isAdmin: Bool = true
    ) -> [(key: String, code: Int32)] {
        var update = ProfileUpdate(Self.settings, isAdmin: isAdmin)
        update.read(tags)
        return update.violations.map { ($0.key, $0.code?.rawValue ?? 0) }
    }

    private static let long = String(repeating: "x", count: 500)

    static let wrong: [(tag: String, TagValue.Value?, code: Int32)] = [
        ("Tag_Profile_IM_Nack", .text("x"), 40009), ("", .text("x"), 40009),
        ("nick", .text("x"), 40009), ("Tag_Profile_Custom_Blood", .text("x"), 40009),
        ("Tag_Profile_IM_Nick", nil, 40610), ("Tag_Profile_IM_Nick", .number(1), 40610),
        ("Tag_Profile_IM_Nick", .data([1]), 40610),
        ("Tag_Profile_IM_Nick", .texts(StringList()), 40610),
        ("Tag_Profile_IM_Level", .text("1"), 40610),
        ("Tag_Profile_IM_Location", .number(1), 40610),
        ("Tag_Profile_IM_AllowType", .data([1]), 40610),
        ("Tag_Profile_IM_Nick", .text(long + "x"), 40601),
        ("Tag_Profile_IM_Nick", .text(String(repeating: "é", count: 251)), 40601),
        ("Tag_Profile_IM_Nick", .text("worse" + long), 40601),
        ("Tag_Profile_IM_Image", .text(long + "x"), 40601),
        ("Tag_Profile_IM_Location", .data(Array(repeating: 0, count: 17)), 40601),
        ("Tag_Profile_IM_SelfSignature", .data(Array(repeating: 0, count: 501)), 40601),
        ("Tag_Profile_IM_BirthDay", .number(9999_12_32), 40605),
        ("Tag_Profile_IM_Level", .number(1 << 32), 40605),
        ("Tag_Profile_IM_Role", .number(.max), 40605),
        ("Tag_Profile_IM_AllowType", .number(3), 40605),
        ("Tag_Profile_IM_AllowType", .number(.max), 40605),
        ("Tag_Profile_IM_AllowType", .text("AllowType_Type_Unknown"), 40605),
        ("Tag_Profile_IM_AllowType", .text("AllowAny"), 40605),
        ("Tag_Profile_IM_AllowType", .text("AllowType_Type_allow_any"), 40605),
        ("Tag_Profile_IM_AllowType", .text("AllowType_Type_ALLOWANY"), 40605),
        ("Tag_Profile_IM_AllowType", .text("AllowType_Type_"), 40605),
        ("Tag_Profile_IM_Gender", .text("AllowType_Type_AllowAny"), 40605),
        ("Tag_Profile_IM_Gender", .number(3), 40605),
        ("Tag_Profile_IM_Nick", .text("even WORSE"), 40005),
        ("Tag_Profile_IM_Image", .text("https://worse.example"), 40005),
        ("Tag_Profile_IM_SelfSignature", .data(Array("worse".utf8)), 40005),
        ("Tag_Profile_IM_Location", .text("Worse"), 40005),
    ]

    @Test(arguments: wrong)
    func theFirstQuestionThatFailsNamesTheField(
        _ tag: String, _ value: TagValue.Value?, _ code: Int32
    ) {
        let found = violations([Self.tag(tag, value)])
        #expect(found.map(\.key) == [tag])
        #expect(found.map(\.code) == [code])
    }

    @Test func everyOffendingKeyIsNamedInItsPlace() {
        let tags = Self.wrong.filter { !$0.tag.isEmpty }
        var named: Set<String> = []
        // A field that is named twice is an error of its own, so this names each field once.
        let once = tags.filter { named.insert($0.tag).inserted }
        let found = violations(once.map { Self.tag($0.tag, $0.1) })
        #expect(found.map(\.key) == once.map(\.tag))
        #expect(found.map(\.code) == once.map(\.code))
        #expect(found.count >= 9)
    }

    @Test func aFieldTwiceIsRefusedUnderAnyOfItsNames() {
        let found = violations([
            Self.tag("Tag_Profile_IM_Nick", .text("a")),
            Self.tag("TIMProfileTypeKey_Nick", .text("a")),
        ])
        #expect(found.map(\.key) == ["TIMProfileTypeKey_Nick"])
        #expect(found.map(\.code) == [40001])
    }

    @Test func onlyAnAdministratorForbids() {
        let tag = Self.tag("Tag_Profile_IM_AdminForbidType", .text("AdminForbid_Type_SendOut"))
        #expect(violations([tag]).isEmpty)
        #expect(violations([tag], isAdmin: false).map(\.code) == [40008])
        // The right to write is checked before the value.
        let wrong = Self.tag("Tag_Profile_IM_AdminForbidType", .data([]))
        #expect(violations([wrong], isAdmin: false).map(\.code) == [40008])
        #expect(violations([wrong]).map(\.code) == [40610])
    }

    static let right: [(tag: String, TagValue.Value, @Sendable (ProfileRecord) -> Bool)] = [
        ("Tag_Profile_IM_Nick", .text(long), { $0.nick == long }),
        ("Tag_Profile_IM_Nick", .text("a\u{0}b"), { $0.nick == "a\u{0}b" }),
        ("Tag_Profile_IM_Nick", .text(""), { $0.nick == nil }),
        ("Tag_Profile_IM_Location", .text("x"), { $0.location == [0x78] }),
        (
            "Tag_Profile_IM_Location", .data(Array(repeating: 255, count: 16)),
            { $0.location?.count == 16 }
        ),
        ("Tag_Profile_IM_Level", .number(UInt64(UInt32.max)), { $0.level == .max }),
        ("Tag_Profile_IM_BirthDay", .number(9999_12_31), { $0.birthday == 9999_12_31 }),
        ("Tag_Profile_IM_AllowType", .number(0), { $0.allowType == .allowAny }),
        (
            "Tag_Profile_IM_AllowType", .text("AllowType_Type_AllowAny"),
            { $0.allowType == .allowAny }
        ),
        (
            "Tag_Profile_IM_AllowType", .text("AllowType_Type_NeedConfirm"),
            { $0.allowType == .needConfirm }
        ),
        (
            "Tag_Profile_IM_AllowType", .text("AllowType_Type_DenyAny"),
            { $0.allowType == .denyAny }
        ),
        ("Tag_Profile_IM_Gender", .text("Gender_Type_Female"), { $0.gender == .female }),
        ("Tag_Profile_IM_Gender", .text("Gender_Type_Male"), { $0.gender == .male }),
        (
            "Tag_Profile_IM_AdminForbidType", .text("AdminForbid_Type_None"),
            { $0.adminForbidType == AdminForbidType.none }
        ),
    ]

    @Test(arguments: right)
    func whatAFieldMayHoldIsTaken(
        _ tag: String, _ value: TagValue.Value, _ holds: @Sendable (ProfileRecord) -> Bool
    ) {
        var update = ProfileUpdate(Self.settings, isAdmin: true)
        update.read([Self.tag(tag, value)])
        #expect(update.violations.isEmpty)
        #expect(update.fields.count == 1)
        #expect(holds(update.values))
    }

    @Test func everyFieldIsReachedByMaskAndByEveryTag() {
        for field in ProfileField.stored {
            var update = ProfileUpdate(Self.settings, isAdmin: true)
            var profile = Profile()
            profile.allowType = .denyAny
            update.read([field.name], of: profile)
            #expect(update.fields == [field] && update.violations.isEmpty)
            for tag in field.tags {
                #expect(ProfileField(tag: tag) == field)
            }
        }
        #expect(Set(ProfileField.allCases.flatMap(\.tags)).count == 38)
    }

    @Test func aMaskedAllowTypeThatIsAbsentStaysAsItIs() throws {
        let harness = ServiceHarness(try World("A"))
        try harness.world.allow(.denyAny, for: "A")
        let answer = try update(harness) {
            $0.profile = Profile()
            $0.profile?.nick = "Ann"
            $0.updateMask = FieldMask(["allow_type", "nick"])
        }
        #expect(answer.code == .success && answer.applied)
        #expect(try harness.world.profile(of: "A").allowType == .denyAny)
        #expect(try harness.world.profile(of: "A").nick == "Ann")
    }

    @Test func theCodeIsThatOfTheFirstViolationAndNothingIsWritten() throws {
        let harness = ServiceHarness(try World("A"))
        harness.world.settings = Self.settings
        let before = try harness.world.snapshot(of: ["A"])
        let answer = try update(harness) {
            $0.tags = [
                Self.tag("Tag_Profile_IM_Level", .number(1)),
                Self.tag("Tag_Profile_IM_Nick", .text("worse")),
                Self.tag("Tag_Profile_IM_Nack", .text("x")),
            ]
        }
        #expect(answer.code?.rawValue == 40005)
        #expect(answer.reason == Reason.ProfileSet.sensitiveText)
        #expect(answer.info == Reason.ProfileSet.sensitiveText.info.description)
        #expect(answer.violations.map(\.code?.rawValue) == [40005, 40009])
        let reasons = [Reason.ProfileSet.sensitiveText, Reason.ProfileSet.tagNotExist]
        #expect(answer.violations.map(\.reason) == reasons)
        #expect(answer.violations.map(\.info) == reasons.map(\.info.description))
        #expect(!answer.applied && answer.version == 0)
        #expect(try harness.world.snapshot(of: ["A"]) == before)
        let mask = try update(harness) {
            $0.profile = Profile()
            $0.updateMask = FieldMask(["nick", "level", "nick"])
        }
        #expect(mask.violations.map(\.key) == ["nick"])
        #expect(mask.violations.map(\.code?.rawValue) == [40001])
    }

    // MARK: Masks

    private static func harness() throws -> ServiceHarness {
        let harness = ServiceHarness(try World("A"))
        var old = CustomField(.profile, "Old", .string)
        old.isRetired = true
        harness.world.settings.customFields = [
            CustomField(.profile, "Blood", .string), CustomField(.profile, "Size", .uint64), old,
            CustomField(.friend, "Met", .string),
        ]
        return harness
    }

    @Test(arguments: [
        "user_id", "version", "age_range", "nope", "", "Nick", "custom.", "custom.Old",
        "custom.Met", "custom.Nope",
    ])
    func aPathThatNoUpdateWritesIsInvalid(_ path: String) throws {
        let harness = try Self.harness()
        let before = try harness.world.snapshot(of: ["A"])
        for isAdmin in [false, true] {
            harness.isAdmin = isAdmin
            let error = #expect(throws: RPCError.self) {
                _ = try update(harness) {
                    $0.profile = Profile()
                    $0.profile?.nick = "Ann"
                    $0.updateMask = FieldMask(["nick", path])
                }
            }
            let details = try #require(try error?.unpacked())
            #expect(error?.code == .invalidArgument && details.reason == "INVALID_FIELD")
            #expect(details.fields == ["update_mask"])
        }
        #expect(try harness.world.snapshot(of: ["A"]) == before)
    }

    @Test func aPathThatOnlyAdministratorsWriteIsNoBadPath() throws {
        let harness = try Self.harness()
        harness.isAdmin = false
        let answer = try update(harness) {
            $0.profile = Profile()
            $0.updateMask = FieldMask(["unique_id"])
        }
        #expect(answer.code == .writePermissionRequired && !answer.applied)
        #expect(answer.violations.map(\.key) == ["unique_id"])
    }

    @Test func withoutAMaskAllFieldsThatAreSetAreWritten() throws {
        let harness = try Self.harness()
        _ = try harness.world.setProfile(
            of: "A", [.nick, .email, .birthday], customKeys: ["Size"]
        ) { values in
            values.nick = "Ann"
            values.email = "a@example.org"
            values.birthday = 2000_01_01
            values.custom = [CustomValue("Size", .number(7))]
        }
        for paths in [nil, []] as [[String]?] {
            let answer = try update(harness) {
                $0.profile = Profile()
                $0.profile?.nick = "Anna"
                // The zeros of optional fields are values.
                $0.profile?.allowType = .allowAny
                $0.profile?.level = 0
                $0.profile?.custom = [
                    CustomValue("Blood", .data([0x41])), CustomValue("Size", .data([])),
                ]
                $0.updateMask = paths.map { FieldMask($0) }
            }
            #expect(answer.code == .success && answer.applied == (paths == nil))
            let profile = try harness.world.profile(of: "A")
            #expect(profile.nick == "Anna" && profile.allowType == .allowAny && profile.level == 0)
            #expect(profile.email == "a@example.org" && profile.birthday == 2000_01_01)
            #expect(profile.custom == [CustomValue("Blood", .data([0x41]))])
        }
    }

    /// So a profile that was read can be changed and sent back.
    @Test func withoutAMaskAProfileThatWasReadIsGoodAsItIs() throws {
        let harness = try Self.harness()
        _ = try harness.world.setProfile(of: "A", [.nick, .birthday, .gender]) { values in
            values.nick = "Ann"
            values.birthday = 2000_01_01
            values.gender = .female
        }
        harness.isAdmin = false
        var read = Profile()
        var request = GetSelfProfileRequest()
        request.userID = "A"
        try harness.read(request, ProfileHandlers.getSelf) { read = try #require($0?.profile) }
        #expect(read.userID == "A" && read.version == 1 && read.ageRange != nil)
        let same = try update(harness) { $0.profile = read }
        #expect(same.code == .success && !same.applied && same.version == 1)
        read.nick = "Anna"
        let changed = try update(harness) { $0.profile = read }
        #expect(changed.code == .success && changed.applied && changed.version == 2)
    }

    @Test func anUpdateOfNothingIsInvalid() throws {
        let harness = try Self.harness()
        var ignored = Profile()
        ignored.userID = "A"
        ignored.version = 3
        ignored.ageRange = AgeRange()
        var nick = Profile()
        nick.nick = "Ann"
        let tags = [Self.tag("Tag_Profile_IM_Nick", .text("x"))]
        let requests: [(inout UpdateProfileRequest) -> Void] = [
            { _ in }, { $0.profile = Profile() }, { $0.profile = ignored },
            { $0.updateMask = FieldMask(["nick"]) },
            {
                $0.profile = nick
                $0.tags = tags
            },
            {
                $0.updateMask = FieldMask(["nick"])
                $0.tags = tags
            },
        ]
        for edit in requests {
            let error = #expect(throws: RPCError.self) { _ = try update(harness, edit) }
            #expect(error?.code == .invalidArgument)
        }
        #expect(try harness.world.profile(of: "A").version == 0)
    }

    /// A newer client may have sent a value that this server does not know: it is not an empty one.
    @Test func aCustomValueWithoutAValueIsOfTheWrongKind() throws {
        let harness = try Self.harness()
        _ = try harness.world.setProfile(of: "A", [], customKeys: ["Blood"]) {
            $0.custom = [CustomValue("Blood", .data([0x41]))]
        }
        var none = CustomValue()
        none.key = "Blood"
        for mask in [nil, ["custom"], ["custom.Blood"]] as [[String]?] {
            let answer = try update(harness) {
                $0.profile = Profile()
                $0.profile?.custom = [none]
                $0.updateMask = mask.map { FieldMask($0) }
            }
            #expect(answer.code == .invalidValueFormat, "\(mask ?? [])")
            #expect(answer.violations.map(\.key) == ["custom.Blood"])
        }
        let tag = try update(harness) { $0.tags = [Self.tag("Tag_Profile_Custom_Blood", nil)] }
        #expect(tag.code == .invalidValueFormat)
        #expect(try harness.world.profile(of: "A").custom.count == 1)
        // A mask that names the field, and a profile without it, clears it.
        let cleared = try update(harness) {
            $0.profile = Profile()
            $0.updateMask = FieldMask(["custom.Blood"])
        }
        #expect(cleared.code == .success && cleared.applied)
        #expect(try harness.world.profile(of: "A").custom.isEmpty)
    }

    // MARK: What changed

    @Test func appliedIsTrueOnlyForAnotherValueOrANewAccount() throws {
        let harness = ServiceHarness(try World())
        func level(_ value: UInt64, dryRun: Bool = false) throws -> UpdateProfileResponse {
            try update(harness) {
                $0.tags = [Self.tag("Tag_Profile_IM_Level", .number(value))]
                $0.options = WriteOptions.with { $0.dryRun = dryRun }
            }
        }
        #expect(try !level(1, dryRun: true).applied)
        #expect(try level(1).applied)
        let again = try level(1)
        #expect(!again.applied && again.code == .success && again.version == 1)
        #expect(try level(2).applied)
        // The update leaves the profile empty, and makes the account.
        let empty = ServiceHarness(try World())
        let made = try update(empty) {
            $0.profile = Profile()
            $0.updateMask = FieldMask(["nick"])
        }
        #expect(made.applied && made.version == 0)
    }

    @Test func aStaleVersionAbortsAndTellsThePresentOne() throws {
        let harness = ServiceHarness(try World("A"))
        _ = try harness.world.setProfile(of: "A", [.level]) { $0.level = 4 }
        let before = try harness.world.snapshot(of: ["A"])
        let error = #expect(throws: RPCError.self) {
            _ = try update(harness) {
                $0.tags = [Self.tag("Tag_Profile_IM_Level", .number(5))]
                $0.expectedVersion = 7
            }
        }
        let details = try #require(try error?.unpacked())
        #expect(error?.code == .aborted)
        #expect(details.reason == "VERSION_STALE" && details.metadata == ["version": "1"])
        #expect(try harness.world.snapshot(of: ["A"]) == before)
    }

    /// Only a write of a profile makes a new user.
    @Test func onlyAProfileThatIsWrittenMakesItsUser() throws {
        let harness = ServiceHarness(try World())
        func level(_ value: TagValue.Value, _ options: WriteOptions, expecting: Int64?) throws {
            _ = try update(harness) {
                $0.tags = [Self.tag("Tag_Profile_IM_Level", value)]
                $0.options = options
                $0.expectedVersion = expecting
            }
        }
        try level(.number(1), WriteOptions.with { $0.dryRun = true }, expecting: nil)
        #expect(try harness.world.userRecord(of: "A") == nil)
        try level(.text("1"), WriteOptions(), expecting: nil)
        try level(.text("1"), WriteOptions.with { $0.requestID = "q" }, expecting: nil)
        #expect(throws: RPCError.self) {
            try level(.number(1), WriteOptions.with { $0.requestID = "r" }, expecting: 1)
        }
        #expect(try harness.world.userRecord(of: "A") == nil)
        #expect(try harness.world.snapshot(of: ["A"]).joined().isEmpty)
        try level(.number(1), WriteOptions.with { $0.requestID = "r" }, expecting: 0)
        #expect(try harness.world.userRecord(of: "A") != nil)
        #expect(try Audit(harness.world, ["A"]).findings == [])
    }

    private func update(
        _ harness: ServiceHarness, _ edit: (inout UpdateProfileRequest) -> Void
    ) throws -> UpdateProfileResponse {
        var request = UpdateProfileRequest()
        request.userID = "A"
        edit(&request)
        return try harness.write(ProfileMethods.updateProfile, request, ProfileHandlers.update)
            .get()
    }
}
