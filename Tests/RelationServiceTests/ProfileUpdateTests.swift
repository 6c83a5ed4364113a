import GRPC
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCalls
@testable import RelationService

/// UpdateProfile names the faults of all fields, in their order, in one answer.
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
        return update.violations.map { ($0.key, $0.code.rawValue) }
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
        ("Tag_Profile_IM_AllowType", .text("AllowType_Type_Nobody"), 40605),
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
        // A field that is named twice is a fault of its own, so this names each field once.
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
        #expect(answer.code.rawValue == 40005)
        #expect(answer.info == Reason.ProfileSet.sensitiveText.description)
        #expect(answer.violations.map(\.code.rawValue) == [40005, 40009])
        #expect(!answer.applied && answer.version == 0)
        #expect(try harness.world.snapshot(of: ["A"]) == before)
        let mask = try update(harness) {
            $0.profile = Profile()
            $0.updateMask = FieldMask(["user_id", "nope", "version", "nick", "nick"])
        }
        #expect(mask.violations.map(\.key) == ["user_id", "nope", "version", "nick"])
        #expect(mask.violations.map(\.code.rawValue) == [40008, 40009, 40008, 40001])
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
        try level(.number(1), WriteOptions(dryRun: true), expecting: nil)
        #expect(try harness.world.head(of: "A") == nil)
        try level(.text("1"), WriteOptions(), expecting: nil)
        try level(.text("1"), WriteOptions(requestID: "q"), expecting: nil)
        #expect(throws: RPCError.self) {
            try level(.number(1), WriteOptions(requestID: "r"), expecting: 1)
        }
        #expect(try harness.world.head(of: "A") == nil)
        #expect(try harness.world.snapshot(of: ["A"]).joined().isEmpty)
        try level(.number(1), WriteOptions(requestID: "r"), expecting: 0)
        #expect(try harness.world.head(of: "A") != nil)
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
