import Memory
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationRuntime
import RelationSuite
import Storage
import Testing

@testable import RelationCalls
@testable import RelationService

/// Custom values of friends: which caller may write them, and which part a caller sees.
@Suite struct CustomValueTests {
    private static func settings() -> AppSettings {
        var settings = AppSettings.tim
        var secret = CustomField(.friend, "Secret", .string)
        secret.isReadable = false
        var fixed = CustomField(.friend, "Fixed", .string)
        fixed.isWritable = false
        var old = CustomField(.friend, "Old", .string)
        old.isRetired = true
        settings.customFields = [
            CustomField(.friend, "Name", .string), CustomField(.friend, "Blob", .bytes),
            CustomField(.friend, "Size", .uint64), CustomField(.profile, "Blood", .string),
            secret, fixed, old,
        ]
        settings.forbiddenWords = ["bad"]
        return settings
    }

    /// A world in which A has B as a friend.
    private func harness(isAdmin: Bool = false) throws -> ServiceHarness {
        let harness = ServiceHarness(try World("A", "B", "C", settings: Self.settings()))
        harness.isAdmin = isAdmin
        #expect(try harness.world.add("B", to: "A") == .success)
        return harness
    }

    private func update(
        _ harness: ServiceHarness, _ edit: (inout FriendUpdate) -> Void
    ) throws -> FriendResult {
        var item = FriendUpdate()
        item.userID = "B"
        edit(&item)
        var request = UpdateFriendsRequest()
        request.userID = "A"
        request.items = [item]
        return try harness.write(
            FriendMethods.updateFriends, request, FriendHandlers.updateFriends
        ).get().results[0]
    }

    private func set(_ harness: ServiceHarness, _ values: CustomValue...) throws -> FriendResult {
        try update(harness) {
            $0.updateMask = FieldMask()
            $0.updateMask?.paths = ["custom"]
            $0.custom = values
        }
    }

    private func stored(_ harness: ServiceHarness) throws -> [CustomValue] {
        try #require(try harness.world.friend("B", of: "A")).custom
    }

    // MARK: Writing

    @Test func valuesAreKeptInTheOrderOfTheirKeysAndOthersStay() throws {
        let harness = try harness()
        let size = CustomValue("Size", .number(0))
        #expect(try set(harness, size, CustomValue("Name", .data([0x78]))).code == .success)
        #expect(try set(harness, CustomValue("Blob", .data([0xFF, 0]))).code == .success)
        let all = [
            CustomValue("Blob", .data([0xFF, 0])), CustomValue("Name", .data([0x78])), size,
        ]
        #expect(try stored(harness) == all)
        // An empty value takes its key away, whatever the type.
        let answer = try set(
            harness, CustomValue("Name", .data([])), CustomValue("Size", .data([])))
        #expect(answer.code == .success)
        #expect(try stored(harness) == [all[0]])
        #expect(try Audit(harness.world, ["A", "B", "C"]).findings == [])
    }

    @Test func aTextIsStoredAsItsBytesAndAnEmptyOneTakesAnyValueAway() throws {
        let harness = try harness()
        let name = CustomValue("Name", .data(Array("é".utf8)))
        #expect(try set(harness, CustomValue("Name", .text("é"))).changed)
        #expect(try stored(harness) == [name])
        let again = try set(harness, name)
        #expect(!again.changed, "the same text, as bytes")
        #expect(try set(harness, CustomValue("Blob", .data([1]))).changed)
        #expect(try set(harness, CustomValue("Size", .number(1))).changed)
        let empty = ["Name", "Blob", "Size"].map { CustomValue($0, .text("")) }
        #expect(try set(harness, empty[0], empty[1], empty[2]).changed)
        #expect(try stored(harness) == [])
    }

    /// Lists, searches, single reads, cards and events show the text, with a read mask or without.
    @Test func aTextIsShownAsText() throws {
        let harness = try harness()
        let values = [
            CustomValue("Blob", .data([0x41])), CustomValue("Name", .data(Array("é王".utf8))),
            CustomValue("Size", .number(7)),
        ]
        #expect(try set(harness, values[0], values[1], values[2]).code == .success)
        let shown = [values[0], CustomValue("Name", .text("é王")), values[2]]
        let world = harness.world
        let arena = Arena()
        defer { arena.free() }
        for mask in [nil, FieldMask(["custom"])] {
            let list = ListFriendsRequest.with { ($0.userID, $0.readMask) = ("A", mask) }
            try harness.read(list, FriendHandlers.listFriends) { response in
                let friend = try #require(response).friends[0].decoded(arena)
                #expect(friend.custom == shown)
            }
            let get = GetFriendsRequest.with {
                ($0.userID, $0.userIDs, $0.readMask) = ("A", ["B"], mask)
            }
            try harness.read(get, { FriendHandlers.getFriends($0, world.profiles, $1, &$2) }) {
                #expect($0?.results[0].friendEntry?.custom == shown)
            }
            let named = ListFriendsRequest.with {
                ($0.userID, $0.readMask, $0.order) = ("A", mask, .displayName)
            }
            try harness.read(
                named,
                { FriendHandlers.listJoinedFriends($0, world.names, world.profiles, $1, &$2) }
            ) { response in
                let friend = try #require(response).friends[0].decoded(arena)
                #expect(friend.custom == shown)
            }
        }
        let sync = SyncFriendsRequest.with { $0.userID = "A" }
        try harness.read(sync, FriendHandlers.syncFriends) { response in
            let friend = try #require(response).friends[0].decoded(arena)
            #expect(friend.custom == shown)
        }
        for isAdmin in [false, true] {
            let view = ChangeView(isAdmin: isAdmin, world.settings)
            let event = try #require(try world.events(of: "A").last)
            #expect(view.masked(event).items.first?.friendEntry?.custom == shown)
            let bytes = try Coder(ChangeRecord.self).bytes(event, arena)
            let shownEvent = try bytes.withUnsafeBytes {
                try view.event($0, of: "A", at: 1, arena).decoded(arena)
            }
            #expect(shownEvent.items.first?.friendEntry?.custom == shown)
        }
    }

    /// A key of a retired field may have bytes that are not text; they stay what they are.
    @Test func bytesThatAreNoTextAreShownAsBytes() throws {
        let harness = try harness()
        #expect(try set(harness, CustomValue("Blob", .data([0xFF, 0]))).code == .success)
        harness.world.settings.customFields[1] = CustomField(.friend, "Blob", .string)
        let get = GetFriendsRequest.with { ($0.userID, $0.userIDs) = ("A", ["B"]) }
        let profiles = harness.world.profiles
        try harness.read(get, { FriendHandlers.getFriends($0, profiles, $1, &$2) }) {
            #expect($0?.results[0].friendEntry?.custom == [CustomValue("Blob", .data([0xFF, 0]))])
        }
        let arena = Arena()
        defer { arena.free() }
        let list = ListFriendsRequest.with { $0.userID = "A" }
        try harness.read(list, FriendHandlers.listFriends) { response in
            let friend = try #require(response).friends[0].decoded(arena)
            #expect(friend.custom == [CustomValue("Blob", .data([0xFF, 0]))])
        }
    }

    @Test(arguments: ["Tag_SNS_Custom_", "TIMFriendTypeKey_Custom_"])
    func tagsSetCustomValuesByTheSourcesNames(_ prefix: String) throws {
        let harness = try harness()
        let answer = try update(harness) { item in
            for (key, value) in [
                ("Name", TagValue.Value.text("é")), ("Blob", .data([1])), ("Size", .number(7)),
            ] {
                var tag = TagValue()
                tag.tag = prefix + key
                tag.value = value
                item.tags.append(tag)
            }
        }
        #expect(answer.code == .success)
        let values = [
            CustomValue("Blob", .data([1])), CustomValue("Name", .data([0xC3, 0xA9])),
            CustomValue("Size", .number(7)),
        ]
        #expect(try stored(harness) == values)
        let event = try #require(try harness.world.events(of: "A").last)
        #expect(event.kind == .friendChange)
        #expect(event.items.first?.friendEntry?.custom == values)
        #expect(try harness.world.events(of: "B").map(\.kind) == [.addFriend])
    }

    /// The refused values, each with its code and the end of its reason.
    static let refusals: [(CustomValue, Int32, String)] = [
        (CustomValue("Other", .data([1])), 40009, "Custom_Tag_Not_Exist"),
        (CustomValue("Blood", .data([1])), 40009, "Custom_Tag_Not_Exist"),
        (CustomValue("Old", .data([1])), 40009, "Custom_Tag_Not_Exist"),
        (CustomValue("", .data([1])), 40009, "Custom_Tag_Not_Exist"),
        (CustomValue("name", .data([1])), 40009, "Custom_Tag_Not_Exist"),
        (CustomValue("Fixed", .data([1])), 40008, "Custom_Write_Permission"),
        (CustomValue("Name", .number(1)), 30001, "Custom_Illegal"),
        (CustomValue("Blob", .text("b")), 30001, "Custom_Illegal"),
        (CustomValue("Size", .text("1")), 30001, "Custom_Illegal"),
        (CustomValue("Name", .text(String(repeating: "a", count: 501))), 30001, "Custom_Illegal"),
        (CustomValue("Name", .text("a BAD one")), 30005, "Sensitive_Text"),
        (CustomValue("Other", .text("a")), 40009, "Custom_Tag_Not_Exist"),
        (CustomValue("Name", .data([0xFF])), 30001, "Custom_Illegal"),
        (CustomValue("Name", .data([UInt8](repeating: 97, count: 501))), 30001, "Custom_Illegal"),
        (CustomValue("Blob", .data([UInt8](repeating: 0, count: 501))), 30001, "Custom_Illegal"),
        (CustomValue("Size", .data([1])), 30001, "Custom_Illegal"),
        (CustomValue("Name", .data(Array("a BAD one".utf8))), 30005, "Sensitive_Text"),
        // A newer client may have sent a value that this server does not know: it is not an empty
        // one.
        (valueless("Name"), 30001, "Custom_Illegal"), (valueless("Size"), 30001, "Custom_Illegal"),
        (valueless("Other"), 40009, "Custom_Tag_Not_Exist"),
    ]

    private static func valueless(_ key: String) -> CustomValue {
        var value = CustomValue()
        value.key = key
        return value
    }

    @Test func anImportedValueWithoutAValueIsRefusedToo() throws {
        let harness = try harness()
        var request = ImportFriendsRequest()
        var row = FriendRow()
        (row.userID, row.friendUserID) = ("A", "B")
        for (custom, isTaken) in [
            (CustomValue("Name", .data([])), true), (Self.valueless("Name"), false),
        ] {
            row.custom = [custom]
            request.row = row
            switch FriendRows.row(request, harness.world.app)?.value {
            case .success: #expect(isTaken)
            case .failure(let refusal):
                #expect(!isTaken && refusal.outcome.reason == Reason.FriendImport.customIllegal)
            case nil: Issue.record("there is no row")
            }
        }
    }

    @Test(arguments: refusals)
    func aValueThatTheFieldCannotHaveIsRefused(
        _ value: CustomValue, _ code: Int32, _ reason: String
    ) throws {
        let harness = try harness()
        let before = try harness.world.snapshot(of: ["A", "B"])
        let answer = try set(harness, value)
        #expect(answer.code?.rawValue == code)
        #expect(answer.info == "Err_SNS_FriendUpdate_\(reason)")
        #expect(answer.reason.info.description == answer.info && !answer.changed)

        var friend = AddFriend()
        friend.userID = "C"
        friend.custom = [value]
        var request = AddFriendsRequest()
        request.userID = "A"
        request.items = [friend]
        let added = try harness.write(
            FriendMethods.addFriends, request, FriendHandlers.addFriends
        ).get().results[0]
        #expect(added.code?.rawValue == code)
        #expect(added.info == "Err_SNS_FriendAdd_\(reason)")
        #expect(try harness.world.snapshot(of: ["A", "B"]) == before)
    }

    /// The values of one item, and the code of the first case of the contract that applies.
    static let several: [([CustomValue], Int32, String)] = [
        (
            [CustomValue("Other", .data([1])), CustomValue("Name", .number(1))], 30001,
            "Custom_Illegal"
        ),
        ([CustomValue("Fixed", .number(1))], 30001, "Custom_Illegal"),
        (
            [CustomValue("Name", .data([1])), CustomValue("Name", .data([1]))], 30001,
            "Custom_Illegal"
        ),
        (
            [CustomValue("Fixed", .data([1])), CustomValue("Other", .data([1]))], 40009,
            "Custom_Tag_Not_Exist"
        ),
        (
            [CustomValue("Name", .data([1])), CustomValue("Fixed", .data([1]))], 40008,
            "Custom_Write_Permission"
        ),
    ]

    @Test(arguments: several)
    func aMalformedValueComesBeforeAnUnknownFieldAndThatBeforeAMissingRight(
        _ values: [CustomValue], _ code: Int32, _ reason: String
    ) throws {
        let harness = try harness()
        let updated = try update(harness) {
            $0.updateMask = FieldMask(["custom"])
            $0.custom = values
        }
        #expect(updated.code?.rawValue == code)
        #expect(updated.info == "Err_SNS_FriendUpdate_\(reason)")
        let long = try update(harness) {
            $0.updateMask = FieldMask(["custom", "remark"])
            $0.custom = values
            $0.remark = String(repeating: "x", count: 97)
        }
        #expect(long.code == .invalidParameter)

        var friend = AddFriend()
        friend.userID = "C"
        friend.custom = values
        var request = AddFriendsRequest()
        request.userID = "A"
        request.items = [friend]
        let added = try harness.write(
            FriendMethods.addFriends, request, FriendHandlers.addFriends
        ).get().results[0]
        #expect(added.code?.rawValue == code && added.info == "Err_SNS_FriendAdd_\(reason)")
    }

    @Test func theLongestValueIsTaken() throws {
        let harness = try harness()
        let bytes = [UInt8](repeating: 97, count: 500)
        let answer = try set(
            harness, CustomValue("Name", .data(bytes)), CustomValue("Blob", .data(bytes)))
        #expect(answer.code == .success)
        harness.world.settings.limits.customValue = .characters(2)
        #expect(try set(harness, CustomValue("Name", .data(Array("éé".utf8)))).code == .success)
        #expect(
            try set(harness, CustomValue("Name", .data(Array("abc".utf8)))).code
                == .invalidParameter)
    }

    @Test func aKeyThatIsGivenTwiceIsRefused() throws {
        let harness = try harness()
        let answer = try set(
            harness, CustomValue("Name", .data([97])), CustomValue("Name", .data([98])))
        #expect(answer.info == "Err_SNS_FriendUpdate_Custom_Illegal")
        var unset = CustomValue()
        unset.key = "Name"
        #expect(try set(harness, unset).info == "Err_SNS_FriendUpdate_Custom_Illegal")
        #expect(try stored(harness) == [])
    }

    @Test func anAdministratorWritesEveryField() throws {
        let harness = try harness(isAdmin: true)
        #expect(try set(harness, CustomValue("Fixed", .data([97]))).code == .success)
        #expect(try stored(harness) == [CustomValue("Fixed", .data([97]))])
    }

    @Test func valuesWaitWithAnApplicationAndAreReadByNoOtherUser() throws {
        let world = try World("A", "B", settings: Self.settings())
        try world.allow(.needConfirm, for: "B")
        let values = [CustomValue("Name", .data([97]))]
        let answer = try world.add("B", to: "A") { $0.custom = values }
        #expect(answer.code == .pending)
        for user in ["A", "B"] as [UserID] {
            let event = try #require(try world.events(of: user).last)
            #expect(event.kind == .addFriendRequest)
            // An application in an event has no field for them.
            #expect(
                event.items.map(\.application?.pendencyType) == [user == "A" ? .sendOut : .comeIn])
        }
        #expect(try world.respond(to: "A", of: "B", .agreeAndAdd) == .success)
        #expect(try world.friend("B", of: "A")?.custom == values)
        #expect(try world.friend("A", of: "B")?.custom == [])
    }

    @Test func anImportMergesValuesIntoTheOwnersRowOnly() throws {
        let world = try World("A", "B", settings: Self.settings())
        let first = try world.importFriend("B", of: "A", bothWays: true) {
            $0.custom = [CustomValue("Name", .data([97])), CustomValue("Size", .number(1))]
        }
        #expect(first == .success)
        #expect(try world.friend("A", of: "B")?.custom == [])
        var gone = CustomValue()
        gone.key = "Name"
        let second = try world.importFriend("B", of: "A") {
            $0.custom = [gone, CustomValue("Blob", .data([1]))]
        }
        #expect(second == .success)
        #expect(
            try world.friend("B", of: "A")?.custom
                == [CustomValue("Blob", .data([1])), CustomValue("Size", .number(1))])
    }

    // MARK: Reading

    /// The keys that a caller sees in each call that answers with rows.
    private func seen(_ harness: ServiceHarness, _ paths: [String] = []) throws -> [[String]] {
        var mask: FieldMask?
        if !paths.isEmpty {
            mask = FieldMask()
            mask?.paths = paths
        }
        var keys: [[String]] = []
        let arena = Arena()
        defer { arena.free() }
        var list = ListFriendsRequest()
        list.userID = "A"
        list.readMask = mask
        try harness.read(list, FriendHandlers.listFriends) { response in
            keys.append(try #require(response).friends[0].decoded(arena).custom.map(\.key))
        }
        var get = GetFriendsRequest()
        get.userID = "A"
        get.userIDs = ["B"]
        get.readMask = mask
        let profiles = harness.world.profiles
        try harness.read(get, { FriendHandlers.getFriends($0, profiles, $1, &$2) }) { response in
            keys.append(try #require(response?.results[0].friendEntry).custom.map(\.key))
        }
        guard mask == nil else { return keys }
        var sync = SyncFriendsRequest()
        sync.userID = "A"
        try harness.read(sync, FriendHandlers.syncFriends) { response in
            keys.append(try #require(response).friends[0].decoded(arena).custom.map(\.key))
        }
        return keys
    }

    @Test func aFieldThatOnlyAdministratorsReadLeavesNoPage() throws {
        let harness = try harness(isAdmin: true)
        let answer = try set(
            harness, CustomValue("Secret", .data([97])), CustomValue("Name", .data([98])))
        #expect(answer.code == .success)
        #expect(
            try seen(harness) == [["Name", "Secret"], ["Name", "Secret"], ["Name", "Secret"]])
        #expect(try seen(harness, ["custom"]) == [["Name", "Secret"], ["Name", "Secret"]])
        harness.isAdmin = false
        #expect(try seen(harness) == [["Name"], ["Name"], ["Name"]])
        #expect(try seen(harness, ["custom"]) == [["Name"], ["Name"]])
        #expect(try seen(harness, ["remark"]) == [[], []])
    }

    @Test func aRetiredFieldIsUnseenByEverybodyAndStaysStored() throws {
        let harness = try harness(isAdmin: true)
        #expect(try set(harness, CustomValue("Name", .data([98]))).code == .success)
        harness.world.settings.customFields[0].isRetired = true
        #expect(try seen(harness) == [[], [], []])
        #expect(try set(harness, CustomValue("Size", .number(3))).code == .success)
        #expect(try seen(harness) == [["Size"], ["Size"], ["Size"]])
        #expect(try stored(harness).map(\.key) == ["Name", "Size"])
    }
}
