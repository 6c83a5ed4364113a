import Memory
import Protobuf
import RelationAPI
import RelationModel
import Synchronization
import Testing
import Webhooks

@testable import RelationChanges
@testable import RelationCore
@testable import RelationHooks

/// The requests of hooks in TIM's form.
struct HookFormTests {
    private static func event(
        _ kind: ChangeKind, actor: String = "ann", caller: FeedCaller = FeedCaller(),
        _ items: [ChangeItemRecord]
    ) -> FeedPage.Event {
        var record = ChangeRecord()
        record.kind = kind
        record.actorUserID = actor
        record.timeMs = 5
        record.items = items
        return FeedPage.Event(
            user: UserID(stored: "ann".utf8), position: 7, kind: kind, timeMs: 5, record: record,
            json: "", caller: caller)
    }

    private static func item(_ user: String) -> ChangeItemRecord {
        ChangeItemRecord(about: UserID(stored: user.utf8))
    }

    @Test func friendsAreTIMsPairs() throws {
        let added = TIMCallback(Self.event(.addFriend, [Self.item("bob")]))
        #expect(
            added
                == .friendAdd(
                    [.init(from: "ann", to: "bob", initiator: "ann")], clientCommand: "friend_add",
                    admin: "", isForced: false))
        // Each applicant is the initiator of its pair, on the side of either.
        let answer = FeedCaller(isResponse: true)
        #expect(
            TIMCallback(
                Self.event(.addFriend, caller: answer, [Self.item("bob"), Self.item("cid")]))
                == .friendAdd(
                    [
                        .init(from: "ann", to: "bob", initiator: "bob"),
                        .init(from: "ann", to: "cid", initiator: "cid"),
                    ], clientCommand: "friend_response", admin: "", isForced: false))
        #expect(
            TIMCallback(
                Self.event(.addFriend, actor: "bob", caller: answer, [Self.item("bob")]))
                == .friendAdd(
                    [.init(from: "ann", to: "bob", initiator: "ann")],
                    clientCommand: "friend_response", admin: "", isForced: false))
        // An import that notifies.
        #expect(TIMCallback(Self.event(.addFriend, actor: "", [Self.item("bob")])) == nil)
        #expect(
            TIMCallback(Self.event(.deleteFriend, [Self.item("bob")]))
                == .friendDelete([.init(from: "ann", to: "bob")]))
        var blocked = ChangeItemRecord()
        blocked.blacklistEntry = BlacklistRecord()
        blocked.blacklistEntry?.userID = "cid"
        #expect(
            TIMCallback(Self.event(.addBlacklist, [blocked]))
                == .blackListAdd([.init(from: "ann", to: "cid")]))
        #expect(TIMCallback(Self.event(.groupCreated, [ChangeItemRecord()])) == nil)
    }

    @Test func anAdministratorOfTIMsAPIIsNamed() throws {
        let caller = FeedCaller(administrator: "administrator", isForced: true)
        #expect(
            TIMCallback(Self.event(.addFriend, caller: caller, [Self.item("bob")]))
                == .friendAdd(
                    [.init(from: "ann", to: "bob", initiator: "ann")], clientCommand: "friend_add",
                    admin: "administrator", isForced: true))
        var item = ChangeItemRecord()
        item.fields = ["nick"]
        item.profile = ProfileRecord()
        #expect(
            TIMCallback(Self.event(.profileChange, caller: caller, [item]))
                == .portraitSet(
                    operator: "administrator", from: "ann", timeMilliseconds: 5,
                    [.init(tag: "Tag_Profile_IM_Nick", value: .text(""))]))
    }

    /// Nothing of it is in an event of another caller.
    @Test(arguments: ["", "root"])
    func theAdministratorIsNamedInEachForm(_ administrator: String) throws {
        var hook = HookRecord()
        hook.id = "aaaaaaaaaaaaaaaa"
        let event = Self.event(
            .addFriend, caller: FeedCaller(administrator: administrator), [Self.item("bob")])
        let app = App(id: 3, settings: .tim)
        hook.form = .cloudEvents
        let delivery = try #require(try HookForms(app: app, hook: hook).event(event))
        let text = String(decoding: delivery.body, as: UTF8.self)
        #expect(text.contains(#""administrator":"root""#) == !administrator.isEmpty)
        #expect(text.contains("administrator") == !administrator.isEmpty)
        hook.form = .grpc
        let call = try #require(try HookForms(app: app, hook: hook).event(event))
        let message = try Arena.temporary { (arena) throws(CodecError) in
            try Coder(HookEvent.self).message(call.body, arena)
        }
        #expect(message.administrator == administrator)
        var ask = HookAsk(.addFriends, by: "ann", [])
        ask.administrator = administrator
        hook.form = .cloudEvents
        let question = try #require(
            HookForms(app: app, hook: hook).question(ask, named: "q", at: 5))
        #expect(
            String(decoding: question.body, as: UTF8.self)
                .contains(#""administrator":"\#(administrator)""#))
    }

    @Test func fieldsOfAProfileHaveTIMsTags() throws {
        var item = ChangeItemRecord()
        item.fields = ["nick", "allow_type", "level", "custom.Blood", "email", "self_signature"]
        var profile = ProfileRecord()
        profile.nick = "Ann"
        profile.allowType = .needConfirm
        profile.custom = [CustomValue("Blood", .number(3))]
        item.profile = profile
        #expect(
            TIMCallback(Self.event(.profileChange, actor: "", [item]))
                == .portraitSet(
                    operator: "ann", from: "ann", timeMilliseconds: 5,
                    [
                        .init(tag: "Tag_Profile_IM_Nick", value: .text("Ann")),
                        .init(
                            tag: "Tag_Profile_IM_AllowType",
                            value: .text("AllowType_Type_NeedConfirm")),
                        .init(tag: "Tag_Profile_IM_Level", value: .number(0)),
                        .init(tag: "Tag_Profile_Custom_Blood", value: .number(3)),
                        .init(tag: "Tag_Profile_IM_SelfSignature", value: .text("")),
                    ]))
    }

    /// TIM has no empty words: a receiver that knows its enumerations would refuse them.
    @Test func clearedFieldsHaveTIMsWordsForNone() throws {
        var item = ChangeItemRecord()
        item.fields = ["gender", "admin_forbid_type", "birthday", "face_url"]
        item.profile = ProfileRecord()
        #expect(
            TIMCallback(Self.event(.profileChange, actor: "", [item]))
                == .portraitSet(
                    operator: "ann", from: "ann", timeMilliseconds: 5,
                    [
                        .init(tag: "Tag_Profile_IM_Gender", value: .text("Gender_Type_Unknown")),
                        .init(
                            tag: "Tag_Profile_IM_AdminForbidType",
                            value: .text("AdminForbid_Type_None")),
                        .init(tag: "Tag_Profile_IM_BirthDay", value: .number(0)),
                        .init(tag: "Tag_Profile_IM_Image", value: .text("")),
                    ]))
    }

    @Test func aFollowAndItsEndAreTwoCommands() {
        var item = Self.item("bob")
        #expect(
            TIMCallback(Self.event(.followingChanged, [item]))
                == .followDelete(from: "ann", ["bob"], timeMilliseconds: 5))
        item.follow = FollowRecord()
        #expect(
            TIMCallback(Self.event(.followingChanged, [item]))
                == .followAdd(from: "ann", ["bob"], timeMilliseconds: 5))
    }

    /// TIM has no such command: a receiver that does not know it leaves it out.
    @Test func aTrimmedLogIsReportedByACommandOfOurs() throws {
        let bench = try HookBench()
        let id = try bench.hook { $0.form = .timCallbacks }
        try bench.change("ann", "bob")
        try bench.trim(to: 2)
        let loop = bench.server()
        try bench.run(loop)
        let requests = bench.state.withLock { $0.requests }
        #expect(requests.count == 1)
        let request = try #require(requests.first)
        #expect(
            String(decoding: request.body, as: UTF8.self) == """
                {"CallbackCommand":"Relation.CallbackTrimmed","AfterPosition":"0",\
                "ToPosition":"2"}
                """)
        let command = request.query.first { $0.name == "CallbackCommand" }
        #expect(command?.value == "Relation.CallbackTrimmed")
        try loop.finish()
        #expect(try bench.progress(id)?.position == 2)
    }

    @Test func theOlderSecretSignsAloneUntilItEnds() throws {
        var hook = HookRecord()
        hook.form = .timCallbacks
        var newer = SecretRecord()
        newer.text = "newer"
        var older = SecretRecord()
        older.text = "older"
        older.validUntilMs = 10_000
        hook.secrets = [newer, older]
        let forms = HookForms(app: App(id: 3, settings: .tim), hook: hook)
        let event = try #require(
            try forms.event(Self.event(.deleteFriend, [Self.item("bob")])))
        var queue = DeliveryQueue(DeliverySettings(), from: DeliveryProgress(), seed: 1)
        _ = queue.offer(event)
        let next = queue.next(now: 0)
        let batch = try #require(next)
        for (now, token) in [(10_000, "older"), (10_001, "newer")] as [(Int64, String)] {
            let request = try forms.request(batch, at: now)
            let expected = TIMQuery.items(
                appID: "3", command: "Sns.CallbackFriendDelete", token: token,
                seconds: now / 1_000)
            #expect(request.query.map(\.value) == expected.map(\.value))
            #expect(request.wantsObject)
        }
    }

    @Test func onlyAnObjectOfJSONConfirmsACallback() {
        var answer = WebhookAnswer(status: 200)
        answer.body = Array("{}".utf8)
        #expect(HookResult(ofCallback: answer).outcome == .delivered)
        // More came than is kept: the object may have gone on.
        answer.isCut = true
        #expect(HookResult(ofCallback: answer).outcome != .delivered)
        answer.isCut = false
        answer.body = Array("ok".utf8)
        #expect(HookResult(ofCallback: answer).outcome != .delivered)
        answer.status = 410
        if case .gone = HookResult(ofCallback: answer).outcome {
        } else {
            Issue.record("410 is not gone")
        }
    }
}
