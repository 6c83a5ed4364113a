import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCalls
@testable import RelationService

/// The bounds of the fields of a profile in each preset, and the code of each refusal.
@Suite struct ProfileLimitTests {
    private static func settings(_ preset: AppPreset) -> AppSettings {
        var settings = preset == .rongCloud ? AppSettings.rongCloud : .tim
        var fixed = CustomField(.profile, "Fixed", .string)
        fixed.isWritable = false
        var old = CustomField(.profile, "Old", .string)
        old.isRetired = true
        settings.customFields = [
            CustomField(.profile, "Blood", .string), CustomField(.profile, "Blob", .bytes),
            CustomField(.profile, "Size", .uint64), CustomField(.friend, "Met", .string),
            fixed, old,
        ]
        settings.forbiddenWords = ["worse"]
        return settings
    }

    private static func tag(_ name: String, _ value: TagValue.Value?) -> TagValue {
        var tag = TagValue()
        tag.tag = name
        tag.value = value
        return tag
    }

    private static func update(
        _ preset: AppPreset, isAdmin: Bool = true, _ tags: [TagValue]
    ) -> ProfileUpdate {
        var update = ProfileUpdate(settings(preset), isAdmin: isAdmin)
        update.read(tags)
        return update
    }

    /// The codes of one field in `tim` and in `rongcloud`.
    private static func codes(
        _ tag: String, _ value: TagValue.Value?, isAdmin: Bool = true
    ) -> [Int32] {
        [AppPreset.tim, .rongCloud].map { preset in
            let update = update(preset, isAdmin: isAdmin, [Self.tag(tag, value)])
            return update.violations.first?.code?.rawValue ?? 0
        }
    }

    // MARK: Lengths

    static let texts: [(tag: String, tim: TextLimit, rongCloud: TextLimit)] = [
        ("Tag_Profile_IM_Nick", .bytes(500), .characters(32)),
        ("Tag_Profile_IM_Image", .bytes(500), .characters(128)),
        ("Tag_Profile_IM_SelfSignature", .bytes(500), .bytes(500)),
        ("Tag_Profile_IM_Location", .bytes(16), .bytes(16)),
        ("email", .characters(128), .characters(128)),
        ("birthday", .characters(32), .characters(32)),
        ("location", .characters(32), .characters(32)),
        ("first_name", .bytes(500), .characters(32)),
        ("middle_name", .bytes(500), .characters(32)),
        ("last_name", .bytes(500), .characters(32)),
        ("username", .bytes(500), .characters(32)),
        ("link", .bytes(500), .characters(128)),
        ("picture", .bytes(500), .characters(128)),
        ("locale", .bytes(35), .bytes(35)),
        ("Tag_Profile_Custom_Blood", .bytes(500), .characters(256)),
    ]

    @Test(arguments: texts)
    func aTextAtItsLimitIsTakenAndOneLongerIsNot(
        _ tag: String, _ tim: TextLimit, _ rongCloud: TextLimit
    ) {
        for (preset, limit, code) in [
            (AppPreset.tim, tim, 40601 as Int32), (.rongCloud, rongCloud, 24364),
        ] {
            let count = limit.unit == .bytes ? limit.count / 2 : limit.count
            var text = String(repeating: "é", count: count)
            if limit.unit == .bytes, limit.count % 2 == 1 { text += "x" }
            let taken = Self.update(preset, [Self.tag(tag, .text(text))])
            #expect(taken.violations.isEmpty)
            let refused = Self.update(preset, [Self.tag(tag, .text(text + "x"))])
            #expect(refused.violations.map(\.code?.rawValue) == [code])
            #expect(refused.violations.map(\.key) == [tag])
        }
    }

    @Test(arguments: ["Tag_Profile_IM_Level", "Tag_Profile_IM_Role", "level", "role"])
    func aLevelAndARoleHaveABoundInOnePreset(_ tag: String) {
        #expect(Self.codes(tag, .number(0)) == [0, 0])
        #expect(Self.codes(tag, .number(100)) == [0, 0])
        #expect(Self.codes(tag, .number(101)) == [0, 24368])
        #expect(Self.codes(tag, .number(UInt64(UInt32.max) + 1)) == [40605, 24368])
    }

    @Test(
        arguments: [
            (0, 0), (2024_02_29, 0), (2023_02_29, 40605), (2024_13_01, 40605), (2024_04_31, 40605),
            (2024_04_00, 40605), (1, 40605), (1_01_01, 0), (9999_12_31, 0), (10000_01_01, 40605),
        ] as [(UInt64, Int32)])
    func aBirthdayIsADayOfTheCalendar(_ day: UInt64, _ code: Int32) {
        #expect(Self.codes("Tag_Profile_IM_BirthDay", .number(day)).first == code)
    }

    @Test(
        arguments: [
            (0, 0), (1, 0), (2023_02_29, 0), (UInt64(UInt32.max), 0),
            (UInt64(UInt32.max) + 1, 40605),
        ] as [(UInt64, Int32)])
    func aBirthdayOfTIMIsAnyNumber(_ day: UInt64, _ code: Int32) {
        var settings = AppSettings.tim
        settings.keepsTIMValues = true
        var update = ProfileUpdate(settings, isAdmin: false)
        update.read([Self.tag("Tag_Profile_IM_BirthDay", .number(day))])
        #expect(update.violations.first?.code?.rawValue ?? 0 == code)
        #expect(update.values.birthday == (code == 0 && day != 0 ? UInt32(day) : nil))
    }

    @Test func aUniqueIDHasUpToThirtyTwoLettersAndDigits() {
        let full = String(repeating: "aZ09", count: 8)
        #expect(Self.codes("uniqueId", .text(full)) == [0, 0])
        #expect(Self.codes("uniqueId", .text("")) == [0, 0])
        #expect(Self.codes("uniqueId", .text(full + "x")) == [40601, 24364])
        #expect(Self.codes("uniqueId", .text("a_b")) == [40605, 24368])
        #expect(Self.codes("uniqueId", .number(7)) == [40610, 24367])
        #expect(Self.codes("uniqueId", .text("xworsex")) == [40005, 25480])
        #expect(Self.codes("uniqueId", .text(full), isAdmin: false) == [40008, 24360])
        #expect(Self.codes("uniqueId", .text("a_b"), isAdmin: false) == [40008, 24360])
    }

    // MARK: Codes

    static let errors: [(tag: String, TagValue.Value?, isAdmin: Bool, tim: Int32, rong: Int32)] = [
        ("Tag_Profile_IM_Unknown", .text("x"), true, 40009, 24361),
        ("Tag_Profile_Custom_Unknown", .text("x"), true, 40009, 24362),
        ("Tag_Profile_Custom_blood", .text("x"), true, 40009, 24362),
        ("Tag_Profile_Custom_Met", .text("x"), true, 40009, 24362),
        ("Tag_Profile_Custom_Old", .text("x"), true, 40009, 24362),
        ("Tag_Profile_Custom_", .text("x"), true, 40009, 24362),
        ("TIMProfileTypeKey_Custom_Unknown", .text("x"), true, 40009, 24362),
        ("Tag_Profile_IM_AdminForbidType", .number(1), false, 40008, 24360),
        ("Tag_Profile_Custom_Fixed", .text("x"), false, 40008, 24360),
        ("Tag_Profile_Custom_Fixed", .text("x"), true, 0, 0),
        ("TIMProfileTypeKey_Custom_Blood", .text("x"), false, 0, 0),
        ("Tag_Profile_IM_Nick", .number(1), true, 40610, 24367),
        ("Tag_Profile_IM_Nick", nil, true, 40610, 24367),
        ("level", .text("1"), true, 40610, 24367),
        ("Tag_Profile_Custom_Blood", .number(1), true, 40610, 24367),
        ("Tag_Profile_Custom_Blood", .data([0xFF]), true, 40610, 24367),
        ("Tag_Profile_Custom_Blood", nil, true, 40610, 24367),
        ("Tag_Profile_Custom_Blob", .number(1), true, 40610, 24367),
        ("Tag_Profile_Custom_Size", .text("1"), true, 40610, 24367),
        ("Tag_Profile_IM_Gender", .number(3), true, 40605, 24368),
        ("Tag_Profile_Custom_Blood", .text("much Worse"), true, 40005, 25480),
        ("Tag_Profile_Custom_Blob", .data(Array("worse".utf8)), true, 40005, 25480),
        ("name", .text("worse"), true, 40005, 25480),
    ]

    @Test(arguments: errors)
    func eachErrorHasThePresetsCode(
        _ tag: String, _ value: TagValue.Value?, _ isAdmin: Bool, _ tim: Int32, _ rong: Int32
    ) {
        #expect(Self.codes(tag, value, isAdmin: isAdmin) == [tim, rong])
    }

    @Test(arguments: texts.map(\.tag))
    func noTextMayHoldAForbiddenWord(_ tag: String) {
        #expect(Self.codes(tag, .text("a WORSE one")) == [40005, 25480])
        #expect(Self.codes(tag, .text("a wors one")) == [0, 0])
    }

    @Test func moreCustomFieldsThanTheAppAllowsAreRefusedByThemselves() {
        let tags = (0..<22).map { Self.tag("Tag_Profile_Custom_K\($0)", .text("x")) }
        for (preset, code) in [(AppPreset.tim, 40601 as Int32), (.rongCloud, 24363)] {
            var settings = Self.settings(preset)
            settings.customFields = (0..<22).map { CustomField(.profile, "K\($0)", .string) }
            var update = ProfileUpdate(settings, isAdmin: false)
            update.read(tags)
            #expect(update.violations.map(\.key) == tags[20...].map(\.tag))
            #expect(update.violations.map(\.code?.rawValue) == [code, code])
            #expect(update.customKeys.count == 20)
        }
    }

    /// One answer has all errors that RongCloud's client documentation describes.
    @Test func allViolationsStandInOneAnswer() throws {
        let harness = ServiceHarness(try World("A"))
        harness.world.settings = Self.settings(.rongCloud)
        harness.isAdmin = false
        let before = try harness.world.snapshot(of: ["A"])
        var request = UpdateProfileRequest()
        request.userID = "A"
        request.tags = [
            Self.tag("name", .text(String(repeating: "x", count: 33))),
            Self.tag("portraitUri", .text(String(repeating: "x", count: 129))),
            Self.tag("gender", .number(1)),
            Self.tag("role", .number(101)),
            Self.tag("level", .text("high")),
            Self.tag("uniqueId", .text("mine")),
            Self.tag("email", .text("worse@example.org")),
            Self.tag("Tag_Profile_Custom_Blood", .text(String(repeating: "x", count: 257))),
            Self.tag("Tag_Profile_Custom_Unknown", .text("x")),
            Self.tag("unknown", .text("x")),
        ]
        let answer = try harness.write(
            ProfileMethods.updateProfile, request, ProfileHandlers.update
        ).get()
        let wrong = request.tags.filter { $0.tag != "gender" }
        #expect(answer.violations.map(\.key) == wrong.map(\.tag))
        #expect(
            answer.violations.map(\.code?.rawValue)
                == [24364, 24364, 24368, 24367, 24360, 25480, 24364, 24362, 24361])
        #expect(answer.code?.rawValue == 24364 && !answer.applied)
        #expect(answer.info == Reason.ProfileSet.tooLong.info.description)
        #expect(try harness.world.snapshot(of: ["A"]) == before)
    }

    // MARK: Custom fields

    static let values: [(key: String, TagValue.Value, stored: CustomValue.Value?)] = [
        ("Blood", .text("é"), .data([0xC3, 0xA9])), ("Blood", .data([0x41]), .data([0x41])),
        ("Blood", .text("a\u{0}"), .data([0x61, 0])), ("Blood", .text(""), nil),
        ("Blood", .data([]), nil), ("Blob", .data([0xFF, 0]), .data([0xFF, 0])),
        ("Blob", .text("é"), .data([0xC3, 0xA9])), ("Blob", .data([]), nil),
        ("Size", .number(0), .number(0)), ("Size", .number(.max), .number(.max)),
        ("Size", .text(""), nil),
    ]

    @Test(arguments: values)
    func aCustomValueIsStoredInTheKindOfItsField(
        _ key: String, _ value: TagValue.Value, _ stored: CustomValue.Value?
    ) {
        for prefix in ["Tag_Profile_Custom_", "TIMProfileTypeKey_Custom_"] {
            let update = Self.update(.tim, [Self.tag(prefix + key, value)])
            #expect(update.violations.isEmpty)
            #expect(update.customKeys == [key])
            #expect(update.values.custom.value(of: key) == stored)
        }
    }

    @Test func aMaskSetsAllCustomValuesOrOne() throws {
        let harness = ServiceHarness(try World("A"))
        harness.world.settings = Self.settings(.tim)
        func set(_ mask: [String], _ values: CustomValue...) throws -> [CustomValue] {
            var request = UpdateProfileRequest()
            request.userID = "A"
            request.updateMask = FieldMask(mask)
            request.profile = Profile()
            request.profile?.custom = values
            let answer = try harness.write(
                ProfileMethods.updateProfile, request, ProfileHandlers.update
            ).get()
            #expect(answer.code == .success)
            return try harness.world.profile(of: "A").custom
        }
        let blood = CustomValue("Blood", .data([0x41]))
        let size = CustomValue("Size", .number(7))
        #expect(try set(["custom"], size, blood) == [blood, size])
        var event = try #require(try harness.world.events(of: "A").last?.items.first)
        #expect(event.fields == ["custom.Size", "custom.Blood"])
        #expect(event.profile?.custom == [blood, size] && event.profile?.version == 1)
        // A path of one field leaves the others as they are, whether the request gives them or not.
        #expect(try set(["custom.Size"], CustomValue("Blood", .data([0x42]))) == [blood])
        event = try #require(try harness.world.events(of: "A").last?.items.first)
        #expect(event.fields == ["custom.Size"] && event.profile?.custom == [])
        #expect(try set(["custom"], size) == [blood, size])
        #expect(try set(["custom"], CustomValue("Blood", .data([]))) == [size])
        #expect(try Audit(harness.world, ["A"]).findings == [])
    }
}
