import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationRuntime
import RelationSuite
import Storage
import Testing

@testable import RelationCalls
@testable import RelationService

/// The own fields of one item: a malformed field is that item's 30001 with a reason, before every
/// rule, and the other items go on.
@Suite struct ItemTests {
    private static let long = String(repeating: "x", count: 200)

    /// Every field of the item is wrong, and the test repairs one field after another.
    @Test func anAdditionsFieldsAreLookedAtInOrderAndBeforeItsUser() throws {
        let harness = ServiceHarness(try World("A"))
        var friend = AddFriend()
        friend.userID = "a\u{7F}"
        friend.remark = Self.long
        friend.wording = Self.long
        friend.source = "AddSource_Type_1"
        friend.group = Self.long
        func info() throws -> String {
            var request = AddFriendsRequest()
            request.userID = "A"
            request.items = [friend]
            let response = try harness.write(
                FriendMethods.addFriends, request, FriendHandlers.addFriends
            ).get()
            #expect(response.results[0].code?.rawValue == 30001)
            #expect(response.results[0].userID == friend.userID)
            #expect(!response.results[0].changed && !response.applied)
            #expect(response.results[0].reason.info.description == response.results[0].info)
            return response.results[0].info
        }
        #expect(try info() == "Err_SNS_FriendAdd_UserId_Illegal")
        friend.userID = "A"
        #expect(try info() == "Err_SNS_FriendAdd_Remark_Illegal")
        friend.remark = ""
        #expect(try info() == "Err_SNS_FriendAdd_Wording_Illegal")
        friend.wording = ""
        #expect(try info() == "Err_SNS_FriendAdd_Source_Illegal")
        friend.source = ""
        #expect(try info() == "Err_SNS_FriendAdd_Group_Illegal")
        friend.group = ""
        #expect(try info() == "Err_SNS_FriendAdd_Self")
    }

    @Test(arguments: [
        ("remark", 96), ("wording", 120), ("group", 30),
    ])
    func lengthsCountBytes(_ field: String, _ limit: Int) throws {
        for (text, isLegal) in [
            (String(repeating: "é", count: limit / 2), true),
            (String(repeating: "é", count: limit / 2) + "x", false),
            (String(repeating: "\u{0}", count: limit), true),
            (String(repeating: "\u{0}", count: limit + 1), false),
        ] {
            let harness = ServiceHarness(try World("A", "B"))
            var friend = AddFriend()
            friend.userID = "B"
            switch field {
            case "remark": friend.remark = text
            case "wording": friend.wording = text
            default: friend.group = text
            }
            var request = AddFriendsRequest()
            request.userID = "A"
            request.items = [friend]
            let response = try harness.write(
                FriendMethods.addFriends, request, FriendHandlers.addFriends
            ).get()
            #expect(response.results[0].code == (isLegal ? .success : .invalidParameter))
            guard isLegal else { continue }
            let row = try #require(try harness.world.friend("B", of: "A"))
            let stored = [row.remark, row.wording, row.groups.first ?? ""]
            #expect(stored.contains { $0.utf8.elementsEqual(text.utf8) })
        }
    }

    @Test(arguments: [
        ("", ""), ("Web", "AddSource_Type_Web"), ("AddSource_Type_Web", "AddSource_Type_Web"),
        ("AbCdEfGh", "AddSource_Type_AbCdEfGh"), ("AddSource_Type_", nil), ("AbCdEfGhI", nil),
        ("Web1", nil), ("AddSource_Type_Web ", nil), ("é", nil), ("AddSource_Type_AbCdEfGhI", nil),
        ("addsource_type_Web", nil), ("a\u{0}b", nil),
    ])
    func aSourceIsAKeywordWithOrWithoutItsPrefix(_ text: String, _ stored: String?) {
        #expect(AddSource.stored(text, .letters) == stored)
    }

    @Test(arguments: [
        ("", ""), ("App1", "AddSource_Type_App1"), ("AddSource_Type_a b", "AddSource_Type_a b"),
        ("éééé", "AddSource_Type_éééé"), ("12345678", "AddSource_Type_12345678"),
        ("123456789", nil), ("ééééé", nil), ("AddSource_Type_", nil), ("a\u{0}b", nil),
        ("a\u{7F}", nil), ("a\n", nil), ("a\u{85}", nil), ("a\u{9F}b", nil), ("\u{2028}", nil),
        ("a\u{2029}b", nil), ("a\u{A0}b", "AddSource_Type_a\u{A0}b"),
    ])
    func aSourceOfTIMIsAnyShortText(_ text: String, _ stored: String?) {
        #expect(AddSource.stored(text, .texts) == stored)
    }

    @Test func groupsOfOneItemAreLegalNamesOnceEach() {
        let limits = AppLimits.tim
        let long = String(repeating: "x", count: 30)
        #expect(GroupNames.areLegal([], limits))
        #expect(GroupNames.areLegal([long, "a", "A", "caf\u{E9}", "cafe\u{301}"], limits))
        #expect(!GroupNames.areLegal(["a", "b", "a"], limits))
        #expect(!GroupNames.areLegal(["a", ""], limits))
        #expect(!GroupNames.areLegal([long + "x"], limits))
        // How many there may be is another rule, which AddFriends and UpdateFriends name.
        #expect(GroupNames.areLegal((0..<101).map { "\($0)" }, limits))
    }

    static let updates: [(mask: [String]?, tags: [TagValue], code: Int32, info: String)] = [
        (nil, [], 30001, "UpdateMask_Illegal"), ([], [], 30001, "UpdateMask_Illegal"),
        (["remark"], [tag("Tag_SNS_IM_Remark", .text("x"))], 30001, "UpdateMask_Illegal"),
        (nil, [tag("Tag_SNS_IM_Nick", .text("x"))], 30001, "Tag_Illegal"),
        (nil, [tag("", .text("x"))], 30001, "Tag_Illegal"),
        (
            nil,
            [tag("Tag_SNS_IM_Remark", .text("x")), tag("TIMFriendTypeKey_Remark", .text("x"))],
            30001, "Tag_Illegal"
        ),
        (nil, [tag("Tag_SNS_Custom_X", .text("x"))], 40009, "Custom_Tag_Not_Exist"),
        (nil, [tag("TIMFriendTypeKey_Custom_X", nil)], 40009, "Custom_Tag_Not_Exist"),
        (nil, [tag("Tag_SNS_IM_Remark", nil)], 30001, "Value_Illegal"),
        (nil, [tag("Tag_SNS_IM_Remark", .number(1))], 30001, "Value_Illegal"),
        (nil, [tag("Tag_SNS_IM_Group", .text("x"))], 30001, "Value_Illegal"),
        (nil, [tag("Tag_SNS_IM_Remark", .text(long))], 30001, "Remark_Illegal"),
        (["remark", "groups", "remark"], [], 0, ""),
    ]

    private static func tag(_ name: String, _ value: TagValue.Value?) -> TagValue {
        var tag = TagValue()
        tag.tag = name
        tag.value = value
        return tag
    }

    @Test(arguments: updates)
    func anUpdateSaysWhatIsWrongWithIt(
        _ mask: [String]?, _ tags: [TagValue], _ code: Int32, _ info: String
    ) throws {
        let harness = ServiceHarness(try World("A", "B"))
        #expect(try harness.world.add("B", to: "A") == .success)
        var item = FriendUpdate()
        item.userID = "B"
        item.updateMask = mask.map { FieldMask($0) }
        item.tags = tags
        var good = FriendUpdate()
        good.userID = "ghost"
        good.updateMask = FieldMask(["remark"])
        var request = UpdateFriendsRequest()
        request.userID = "A"
        request.items = [item, good]
        let results = try harness.write(
            FriendMethods.updateFriends, request, FriendHandlers.updateFriends
        ).get().results
        #expect(results[0].code?.rawValue == code)
        #expect(results[0].info == (info.isEmpty ? "" : "Err_SNS_FriendUpdate_\(info)"))
        #expect(results[0].reason.info.description == results[0].info)
        #expect(results[1].code == .accountNotFound, "the other item goes on")
    }

    @Test(arguments: [
        ["nick"], ["remark", ""], ["Remark"], ["custom.X"], ["user_id"], ["tags"],
        Array(repeating: "remark", count: 65),
    ])
    func aPathThatNoUpdateWritesIsInvalid(_ paths: [String]) throws {
        let harness = ServiceHarness(try World("A", "B"))
        #expect(try harness.world.add("B", to: "A") == .success)
        var good = FriendUpdate()
        good.userID = "B"
        good.remark = "dear"
        var bad = good
        bad.updateMask = FieldMask(paths)
        var request = UpdateFriendsRequest()
        request.userID = "A"
        request.items = [good, bad]
        let error = #expect(throws: RPCError.self) {
            _ = try harness.write(
                FriendMethods.updateFriends, request, FriendHandlers.updateFriends
            ).get()
        }
        let details = try #require(try error?.unpacked())
        #expect(error?.code == .invalidArgument && details.reason == "INVALID_FIELD")
        #expect(details.fields.first == "items[1].update_mask")
        #expect(try harness.world.friend("B", of: "A")?.remark == "")
    }

    @Test func aMarkThatIsNegativeIsRefusedAndOthersAreWritten() throws {
        let harness = ServiceHarness(try World("A", "B"))
        #expect(try harness.world.add("B", to: "A") == .success)
        func update(_ edit: (inout FriendUpdate) -> Void) throws -> FriendResult {
            var request = UpdateFriendsRequest()
            request.userID = "A"
            var item = FriendUpdate()
            item.userID = "B"
            edit(&item)
            request.items = [item]
            return try harness.write(
                FriendMethods.updateFriends, request, FriendHandlers.updateFriends
            ).get().results[0]
        }
        let refused: [(inout FriendUpdate) -> Void] = [
            { $0.pinOrder = -1 }, { $0.muteUntilMs = -1 }, { $0.muteUntilMs = .min },
        ]
        for edit in refused {
            let result = try update(edit)
            #expect(result.code == .invalidParameter && !result.changed)
            #expect(result.reason == Reason.FriendUpdate.markIllegal)
        }
        let written = try update {
            ($0.starred, $0.pinOrder, $0.muteUntilMs, $0.ignored) = (true, .max, .max, true)
        }
        #expect(written.code == .success && written.changed)
        // Without a mask, a field that is not set stays.
        #expect(try !update { $0.pinOrder = .max }.changed)
        let row = try #require(try harness.world.friend("B", of: "A"))
        #expect(row.starred && row.pinOrder == .max && row.muteUntilMs == .max && row.ignored)
        let emptied = try update {
            $0.updateMask = FieldMask(["starred", "pin_order", "mute_until_ms", "ignored"])
        }
        #expect(emptied.changed)
        let plain = try #require(try harness.world.friend("B", of: "A"))
        #expect(!plain.starred && plain.pinOrder == 0 && !plain.isMuting)
    }

    @Test func withoutAMaskAllFieldsThatAreSetAreWritten() throws {
        let harness = ServiceHarness(try World("A", "B"))
        harness.world.settings.customFields = [CustomField(.friend, "Met", .string)]
        #expect(try harness.world.add("B", to: "A") == .success)
        func update(_ edit: (inout FriendUpdate) -> Void) throws -> FriendResult {
            var request = UpdateFriendsRequest()
            request.userID = "A"
            var item = FriendUpdate()
            item.userID = "B"
            edit(&item)
            request.items = [item]
            let response = try harness.write(
                FriendMethods.updateFriends, request, FriendHandlers.updateFriends
            ).get()
            #expect(response.applied == response.results[0].changed)
            return response.results[0]
        }
        let met = CustomValue("Met", .data([0x41]))
        for (mask, changed) in [(nil, true), ([], false)] as [([String]?, Bool)] {
            let result = try update {
                $0.remark = "dear"
                $0.groups = ["one"]
                $0.custom = [met]
                $0.updateMask = mask.map { FieldMask($0) }
            }
            #expect(result.code == .success && result.changed == changed)
        }
        // Empty values are not set, so they stay.
        #expect(try update { $0.remark = "dearest" }.changed)
        let row = try #require(try harness.world.friend("B", of: "A"))
        #expect(row.remark == "dearest" && row.groups == ["one"] && row.custom == [met])
        // A mask that names a field empties it.
        #expect(try update { $0.updateMask = FieldMask(["groups", "remark"]) }.changed)
        let emptied = try #require(try harness.world.friend("B", of: "A"))
        #expect(emptied.remark == "" && emptied.groups == [] && emptied.custom == [met])
        // Fields and tags together are refused, whether or not a mask names the fields.
        for mask in [nil, ["remark"]] as [[String]?] {
            let both = try update {
                $0.remark = "dear"
                $0.updateMask = mask.map { FieldMask($0) }
                $0.tags = [Self.tag("Tag_SNS_IM_Remark", .text("x"))]
            }
            #expect(both.code == .invalidParameter && !both.changed)
            #expect(both.reason == Reason.FriendUpdate.maskIllegal)
        }
    }

    @Test func tagsAndMaskDoTheSame() throws {
        for useTags in [false, true] {
            let harness = ServiceHarness(try World("A", "B"))
            #expect(try harness.world.add("B", to: "A") == .success)
            var item = FriendUpdate()
            item.userID = "B"
            if useTags {
                var groups = StringList()
                groups.values = ["one", "two"]
                item.tags = [
                    Self.tag("Tag_SNS_IM_Group", .texts(groups)),
                    Self.tag("TIMFriendTypeKey_Remark", .text("dear")),
                ]
            } else {
                item.updateMask = FieldMask(["groups", "remark"])
                item.groups = ["one", "two"]
                item.remark = "dear"
            }
            var request = UpdateFriendsRequest()
            request.userID = "A"
            request.items = [item]
            let response = try harness.write(
                FriendMethods.updateFriends, request, FriendHandlers.updateFriends
            ).get()
            #expect(response.results.map(\.code) == [.success])
            let row = try #require(try harness.world.friend("B", of: "A"))
            #expect(row.remark == "dear" && row.groups == ["one", "two"])
        }
    }

    static let imports: [(String, @Sendable (inout FriendRow) -> Void)] = [
        ("UserId_Illegal", { $0.userID = "" }), ("FriendId_Illegal", { $0.friendUserID = " B" }),
        ("Self", { $0.friendUserID = "A" }), ("Time_Illegal", { $0.addTimeMs = -1 }),
        ("Time_Illegal", { $0.remarkTimeMs = -1 }), ("Remark_Illegal", { $0.remark = long }),
        (
            "Group_Illegal",
            {
                $0.groups = StringList()
                $0.groups?.values = ["a", "a"]
            }
        ),
        ("Source_Illegal", { $0.source = "1" }), ("Wording_Illegal", { $0.wording = long }),
    ]

    @Test(arguments: imports)
    func aBrokenImportRowSaysWhy(
        _ reason: String, _ breaking: @Sendable (inout FriendRow) -> Void
    ) throws {
        let app = try World().app
        var request = ImportFriendsRequest()
        var row = FriendRow()
        row.userID = "A"
        row.friendUserID = "B"
        request.row = row
        guard case .success = FriendRows.row(request, app)?.value else {
            Issue.record("the whole row is broken")
            return
        }
        breaking(&row)
        request.row = row
        guard case .failure(let refusal) = FriendRows.row(request, app)?.value else {
            Issue.record("\(reason) is taken")
            return
        }
        #expect(refusal.outcome.code.rawValue == 30001)
        #expect(refusal.outcome.reason.info.description == "Err_SNS_FriendImport_\(reason)")
    }

    /// Every value of the row is wrong, and the test repairs one after another.
    @Test func theValuesOfAnImportRowAreLookedAtInOrder() throws {
        let app = try World().app
        var request = ImportFriendsRequest()
        var row = FriendRow()
        row.userID = "A"
        row.friendUserID = "B"
        row.addTimeMs = -1
        row.remark = Self.long
        row.groups = StringList()
        row.groups?.values = Array(repeating: Self.long, count: AppLimits.mostGroups + 1)
        row.source = "1"
        row.wording = Self.long
        row.custom = [CustomValue("X", .number(1))]
        func refusal() throws -> (Int32, String) {
            request.row = row
            guard case .failure(let refusal) = FriendRows.row(request, app)?.value else {
                return (0, "")
            }
            let info = refusal.outcome.reason.info.description
            return (
                refusal.outcome.code.rawValue, info.replacing("Err_SNS_FriendImport_", with: "")
            )
        }
        #expect(try refusal() == (30001, "Time_Illegal"))
        row.addTimeMs = 0
        #expect(try refusal() == (30001, "Remark_Illegal"))
        row.remark = ""
        #expect(try refusal() == (30011, "Group_Num_Exceed_Threshold"))
        row.groups?.values = [Self.long]
        #expect(try refusal() == (30001, "Group_Illegal"))
        row.groups?.values = ["one"]
        #expect(try refusal() == (30001, "Source_Illegal"))
        row.source = "Web"
        #expect(try refusal() == (30001, "Wording_Illegal"))
        row.wording = nil
        #expect(try refusal() == (40009, "Custom_Tag_Not_Exist"))
        row.custom = []
        #expect(try refusal() == (0, ""))
    }

    @Test func whatAnImportRowLeavesOutIsAbsentAndWhatIsEmptyIsSet() throws {
        let app = try World().app
        var request = ImportFriendsRequest()
        request.row = FriendRow()
        request.row?.userID = "A"
        request.row?.friendUserID = "B"
        func values() throws -> FriendImport.Row {
            guard case .success(let row) = FriendRows.row(request, app)?.value else {
                throw RPCError(.internalError, "the row is broken")
            }
            return row
        }
        #expect(try values() == FriendImport.Row(owner: "A", friend: "B"))
        request.row?.remark = ""
        request.row?.source = ""
        request.row?.wording = ""
        request.row?.groups = StringList()
        request.row?.addTimeMs = 0
        var wanted = FriendImport.Row(owner: "A", friend: "B")
        wanted.values.remark = ""
        wanted.values.source = ""
        wanted.values.wording = ""
        wanted.values.groups = []
        wanted.values.addTimeMs = 0
        #expect(try values() == wanted)
    }
}
