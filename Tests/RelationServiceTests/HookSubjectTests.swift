import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationHooks
import RelationModel
import RelationSuite
import Testing

@testable import RelationService

/// The parts of calls about which a hook is asked, and answers of it that change their texts.
struct HookSubjectTests {
    /// A world in which A has B and C as friends.
    private static func harness() throws -> ServiceHarness {
        var settings = AppSettings.tim
        settings.customFields = [
            CustomField(.friend, "Name", .string), CustomField(.friend, "Blob", .bytes),
            CustomField(.friend, "Size", .uint64), CustomField(.profile, "Motto", .string),
        ]
        let harness = ServiceHarness(try World("A", "B", "C", settings: settings))
        #expect(try harness.world.add("B", to: "A") == .success)
        #expect(try harness.world.add("C", to: "A") == .success)
        return harness
    }

    private static func tag(_ name: String, _ value: TagValue.Value) -> TagValue {
        var tag = TagValue()
        tag.tag = name
        tag.value = value
        return tag
    }

    /// An update by fields, one by tags, one that repeats the first, and one that is malformed.
    private static var updates: UpdateFriendsRequest {
        var fields = FriendUpdate()
        fields.userID = "B"
        fields.remark = "rude"
        fields.starred = true
        fields.custom = [
            CustomValue("Name", .text("rude")), CustomValue("Size", .number(3)),
            CustomValue("Blob", .data([0xFF])),
        ]
        var tags = FriendUpdate()
        tags.userID = "C"
        tags.tags = [
            tag("Tag_SNS_IM_Remark", .text("")), tag("Tag_SNS_IM_Group", .texts(StringList(["g"]))),
            tag("Tag_SNS_Custom_Name", .text("")), tag("Tag_SNS_Custom_Blob", .text("rude")),
        ]
        var malformed = fields
        malformed.userID = "a\n"
        var request = UpdateFriendsRequest()
        request.userID = "A"
        request.items = [fields, tags, fields, malformed]
        return request
    }

    private static func subject(
        _ harness: ServiceHarness, _ judgement: HookJudgement = .none
    ) -> HookSubject? {
        var violations = Violations()
        return FriendHandlers.updateSubject(updates, harness.call("A", &violations), judgement)
    }

    private static func judged(
        _ harness: ServiceHarness, _ judgement: HookJudgement
    ) throws -> [FriendResult] {
        try harness.write(FriendMethods.updateFriends, updates) { request, call, violations in
            FriendHandlers.updateFriendsJudged(request, call, &violations, judgement)
        }.get().results
    }

    @Test func anUpdateOfFriendsHasItsPathsItsGroupsAndItsTexts() throws {
        let asked = try #require(Self.subject(try Self.harness()))
        #expect(asked.ask.question == .updateFriends)
        #expect(asked.ask.userID == "A")
        #expect(asked.indices == [[0, 2], [1]])
        let items = asked.ask.items
        #expect(items.map(\.userID) == ["B", "C"])
        #expect(
            items[0].fields == ["remark", "starred", "custom.Name", "custom.Size", "custom.Blob"])
        #expect(items[0].texts == ["remark": "rude", "custom.Name": "rude"])
        #expect(items[0].groups.isEmpty)
        #expect(items[1].fields == ["remark", "groups", "custom.Name", "custom.Blob"])
        #expect(items[1].texts == ["remark": "", "custom.Name": "", "custom.Blob": "rude"])
        #expect(items[1].groups == ["g"])
    }

    @Test func textsOfFriendsChangeInFieldsAndInTags() throws {
        let harness = try Self.harness()
        let asked = try #require(Self.subject(harness))
        var verdict = HookVerdict()
        // A remark that the hook empties is written, although the update has no mask.
        verdict.texts[0] = ["remark": "", "custom.Name": "mild"]
        verdict.texts[1] = ["remark": "mild", "custom.Blob": "mild"]
        let judgement = HookJudgement(verdict, on: asked)
        #expect(Self.subject(harness, judgement)?.indices == asked.indices)
        var remark = FriendUpdate()
        remark.userID = "B"
        remark.remark = "old"
        var request = UpdateFriendsRequest()
        request.userID = "A"
        request.items = [remark]
        _ = try harness.write(
            FriendMethods.updateFriends, request, FriendHandlers.updateFriends
        ).get()
        let results = try Self.judged(harness, judgement)
        #expect(results.map { $0.code?.rawValue } == [0, 0, 0, 30_001])
        let bob = try #require(try harness.world.friend("B", of: "A"))
        #expect((bob.remark, bob.starred) == ("", true))
        #expect(
            bob.custom == [
                CustomValue("Blob", .data([0xFF])), CustomValue("Name", .data(Array("mild".utf8))),
                CustomValue("Size", .number(3)),
            ])
        let carl = try #require(try harness.world.friend("C", of: "A"))
        #expect(carl.remark == "mild")
        #expect(carl.custom == [CustomValue("Blob", .data(Array("mild".utf8)))])
    }

    @Test func anItemOfAnUpdateIsRefusedWithTheWordsOfTheHook() throws {
        let harness = try Self.harness()
        let asked = try #require(Self.subject(harness))
        var verdict = HookVerdict()
        verdict.items[0] = HookVerdict.Refusal(38_007, "no")
        let results = try Self.judged(harness, HookJudgement(verdict, on: asked))
        #expect(results.map { $0.code?.rawValue } == [38_007, 0, 38_007, 30_001])
        #expect(results[0].info == "no")
        #expect(results[0].reason == Reason.Hook.refused)
        #expect(try harness.world.friend("B", of: "A")?.remark == "")
    }

    @Test(arguments: [
        ["remark": String(repeating: "x", count: 97)], ["custom.Name": "x\0\(long)"],
    ])
    func aTextThatDoesNotFitItsFieldChangesWhatIsAskedAbout(texts: [String: String]) throws {
        let harness = try Self.harness()
        let asked = try #require(Self.subject(harness))
        var verdict = HookVerdict()
        verdict.texts[0] = texts
        let changed = Self.subject(harness, HookJudgement(verdict, on: asked))
        #expect(changed?.indices != asked.indices)
    }

    @Test func customTextsOfANewFriendAreAskedAboutAndChange() throws {
        let harness = ServiceHarness(
            try World("A", "B", "C", settings: try Self.harness().world.app.settings))
        var friend = AddFriend()
        friend.userID = "B"
        friend.remark = "rude"
        friend.custom = [
            CustomValue("Name", .text("rude")), CustomValue("Size", .number(3)),
            CustomValue("Blob", .data([0xFF])),
        ]
        var request = AddFriendsRequest()
        request.userID = "A"
        request.items = [friend]
        var violations = Violations()
        let call = harness.call("A", &violations)
        let asked = try #require(FriendHandlers.subject(request, call, .none))
        #expect(
            asked.ask.items.map(\.texts) == [
                ["remark": "rude", "wording": "", "custom.Name": "rude"]
            ])
        var verdict = HookVerdict()
        verdict.texts[0] = ["remark": "mild", "custom.Name": "mild"]
        let judgement = HookJudgement(verdict, on: asked)
        _ = try harness.write(FriendMethods.addFriends, request) { request, call, violations in
            FriendHandlers.addFriendsJudged(request, call, &violations, judgement)
        }.get()
        let bob = try #require(try harness.world.friend("B", of: "A"))
        #expect(bob.remark == "mild")
        #expect(
            bob.custom == [
                CustomValue("Blob", .data([0xFF])), CustomValue("Name", .data(Array("mild".utf8))),
                CustomValue("Size", .number(3)),
            ])
        // A text that does not fit its field makes the item malformed.
        verdict.texts[0] = ["custom.Name": Self.long]
        let bad = FriendHandlers.subject(request, call, HookJudgement(verdict, on: asked))
        #expect(bad?.indices != asked.indices)
    }

    @Test func customTextsOfAResponseAreAskedAboutAndChange() throws {
        let harness = try Self.harness()
        var answer = FriendResponse()
        answer.userID = "B"
        answer.responseType = .agreeAndAdd
        answer.remark = "rude"
        answer.custom = [CustomValue("Name", .text("rude")), CustomValue("Size", .number(3))]
        var request = RespondToApplicationsRequest()
        request.userID = "A"
        request.items = [answer]
        var violations = Violations()
        let call = harness.call("A", &violations)
        let asked = try #require(ApplicationHandlers.subject(request, call, .none))
        #expect(asked.ask.items.map(\.texts) == [["remark": "rude", "custom.Name": "rude"]])
        var verdict = HookVerdict()
        verdict.texts[0] = ["custom.Name": "mild"]
        let judgement = HookJudgement(verdict, on: asked)
        let changed = try #require(ApplicationHandlers.subject(request, call, judgement))
        #expect(changed.indices == asked.indices)
        verdict.texts[0] = ["custom.Name": Self.long]
        let bad = ApplicationHandlers.subject(request, call, HookJudgement(verdict, on: asked))
        #expect(bad?.indices != asked.indices)
    }

    private static let long = String(repeating: "x", count: 10_000)

    @Test func customTextsOfAProfileAreAskedAboutAndChange() throws {
        let harness = try Self.harness()
        var request = UpdateProfileRequest()
        request.userID = "A"
        request.profile = Profile()
        request.profile?.custom = [CustomValue("Motto", .text("rude"))]
        var violations = Violations()
        let call = harness.call("A", &violations)
        let asked = try #require(ProfileHandlers.subject(request, call, .none))
        #expect(asked.ask.items.map(\.texts) == [["custom.Motto": "rude"]])
        var verdict = HookVerdict()
        verdict.texts[0] = ["custom.Motto": "mild"]
        let judgement = HookJudgement(verdict, on: asked)
        let update = ProfileUpdate(request, call, &violations, judgement)
        #expect(update.texts == ["custom.Motto": "mild"])
        #expect(violations.isEmpty && update.violations.isEmpty)
        // A value that the call takes away is an empty text.
        request.profile?.custom = []
        request.updateMask = FieldMask(["custom.Motto"])
        let cleared = try #require(ProfileHandlers.subject(request, call, .none))
        #expect(cleared.ask.items.map(\.texts) == [["custom.Motto": ""]])
    }
}
