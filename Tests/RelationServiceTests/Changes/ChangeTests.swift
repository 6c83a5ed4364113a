import Memory
import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import GRPC
@testable import RelationCalls
@testable import RelationService

/// ListChanges and GetSequence: the log of one user by pages, and the parts that a caller sees.
@Suite struct ChangeTests {
    private typealias Event = RelationAPI.ChangeEvent

    /// A page of `user`'s log, decoded.
    private struct Answer {
        var events: [Event] = []
        var token = ""
        var sequence: Int64 = 0
        var resync = false

        var sequences: [Int64] { events.map(\.sequence) }
    }

    private func list(
        _ harness: ServiceHarness, _ user: String = "A",
        _ edit: (inout ListChangesRequest) -> Void = { _ in }
    ) throws -> Answer {
        var request = ListChangesRequest()
        request.userID = user
        edit(&request)
        var answer = Answer()
        try harness.read(request, ChangeHandlers.list) { response in
            let response = try #require(response)
            answer.events = try Arena.temporary { (arena) throws(CodecError) in
                try response.events.map { (event) throws(CodecError) in try event.decoded(arena) }
            }
            answer.token = response.nextPageToken
            answer.sequence = response.sequence
            answer.resync = response.resync
        }
        return answer
    }

    private func sequence(_ harness: ServiceHarness, _ user: String = "A") throws
        -> GetSequenceResponse
    {
        var request = GetSequenceRequest()
        request.userID = user
        var answer: GetSequenceResponse?
        try harness.read(request, ChangeHandlers.getSequence) { answer = $0 }
        return try #require(answer)
    }

    /// A user with a log of `count` events: each third event at the beginning is about a group.
    private func harness(_ count: Int = 9) throws -> ServiceHarness {
        let world = try World("A", "B")
        #expect(try world.add("B", to: "A") == .success)
        for number in 1..<count {
            if number % 3 == 0, number < 30 {
                #expect(try world.createGroup("group \(number)", of: "A") == .success)
            } else {
                let remark = "remark \(number)"
                #expect(try world.update("B", of: "A") { $0.remark = remark } == .success)
            }
        }
        return ServiceHarness(world)
    }

    // MARK: Pages

    @Test func eventsComeOldestFirstAndCompleteWhateverThePageSize() throws {
        let harness = try harness()
        for size in [1, 2, 4, 8, 9, 10, 0] as [Int32] {
            var found: [Int64] = []
            var token = ""
            var pages = 0
            repeat {
                let page = try list(harness) { [token] in
                    $0.pageSize = size
                    $0.pageToken = token
                }
                #expect(page.sequence == 9 && !page.resync)
                #expect(page.events.allSatisfy { $0.userID == "A" })
                found += page.sequences
                token = page.token
                pages += 1
            } while !token.isEmpty && pages < 20
            #expect(found == Array(1...9), "pages of \(size)")
        }
        #expect(try list(harness, "B").sequences == [1])
    }

    @Test func aClientGoesOnFromWhereItIs() throws {
        let harness = try harness()
        for since in 0...9 as ClosedRange<Int64> {
            let page = try list(harness) { $0.sinceSequence = since }
            #expect(page.sequences == Array(since + 1..<10) && page.token.isEmpty)
        }
    }

    @Test func onlyTheKindsThatAreAskedForCome() throws {
        let harness = try harness()
        let groups = try list(harness) { $0.kinds = [.groupCreated] }
        #expect(groups.events.map(\.kind) == [.groupCreated, .groupCreated])
        #expect(groups.sequences == [4, 7] && groups.token.isEmpty)
        let first = try list(harness) {
            $0.kinds = [.groupCreated, .addFriend]
            $0.pageSize = 2
        }
        #expect(first.sequences == [1, 4])
        let second = try list(harness) {
            $0.kinds = [.addFriend, .groupCreated, .addFriend]
            $0.pageSize = 2
            $0.pageToken = first.token
        }
        #expect(second.sequences == [7] && second.token.isEmpty)
        #expect(try list(harness) { $0.kinds = [.consentChanged] }.sequences == [])
    }

    @Test func aPageLooksAtABoundedNumberOfEvents() throws {
        let harness = try harness(Limits.changesLookedAt + 3)
        let first = try list(harness) { $0.kinds = [.consentChanged] }
        #expect(first.events.isEmpty && !first.token.isEmpty, "there is more to look at")
        let second = try list(harness) {
            $0.kinds = [.consentChanged]
            $0.pageToken = first.token
        }
        #expect(second.events.isEmpty && second.token.isEmpty)
    }

    @Test func aPageEndsByItsBytesAndIsNeverEmpty() throws {
        let world = try World("A", "B")
        #expect(try world.add("B", to: "A") == .success)
        let remark = String(repeating: "x", count: Limits.pageBytes / 2)
        for number in 0..<4 {
            let text = number == 1 ? remark + remark : remark + "\(number)"
            #expect(try world.update("B", of: "A") { $0.remark = text } == .success)
        }
        let harness = ServiceHarness(world)
        var pages: [[Int64]] = []
        var token = ""
        repeat {
            let page = try list(harness) { [token] in $0.pageToken = token }
            pages.append(page.sequences)
            token = page.token
        } while !token.isEmpty
        #expect(pages == [[1, 2], [3], [4], [5]])
    }

    @Test func aLogThatDoesNotReachBackSaysSo() throws {
        let harness = try harness()
        let above = try list(harness) { $0.sinceSequence = 10 }
        #expect(above.resync && above.events.isEmpty && above.sequence == 9)
        try harness.world.call(by: nil) { (ledger) throws(StorageError) in
            try ledger.changeUserRecord(of: "A") { $0.logFloor = 4 }
        }
        for since in 0...3 as ClosedRange<Int64> {
            let page = try list(harness) { $0.sinceSequence = since }
            #expect(page.resync && page.events.isEmpty && page.token.isEmpty)
            #expect(page.sequence == 9)
        }
        #expect(try list(harness) { $0.sinceSequence = 4 }.sequences == Array(5...9))
    }

    @Test func aPageWhoseEventsWentMeanwhileSaysSo() throws {
        let harness = try harness()
        let first = try list(harness) { $0.pageSize = 2 }
        try harness.world.call(by: nil) { (ledger) throws(StorageError) in
            try ledger.changeUserRecord(of: "A") { $0.logFloor = 4 }
        }
        let second = try list(harness) {
            $0.pageSize = 2
            $0.pageToken = first.token
        }
        #expect(second.resync && second.events.isEmpty && second.token.isEmpty)
    }

    // MARK: Bad requests

    @Test func aRequestWithBadFieldsNamesThem() throws {
        let harness = try harness()
        let cases: [((inout ListChangesRequest) -> Void, String)] = [
            ({ $0.sinceSequence = -1 }, "since_sequence"),
            ({ $0.pageSize = -1 }, "page_size"),
            ({ $0.pageSize = .min }, "page_size"),
            ({ $0.pageToken = "00" }, "page_token"),
            ({ $0.kinds = [.addFriend, .unspecified] }, "kinds[1]"),
            ({ $0.kinds = [ChangeKind(rawValue: 9)] }, "kinds[0]"),
            (
                { $0.kinds = Array(repeating: .addFriend, count: Limits.changeKinds + 1) },
                "kinds"
            ),
        ]
        for (edit, field) in cases {
            let error = #expect(throws: RPCError.self) { try list(harness, "A", edit) }
            let details = try #require(try error?.unpacked())
            #expect(details.fields == [field])
        }
        let most = Array(repeating: ChangeKind.addFriend, count: Limits.changeKinds)
        #expect(try list(harness) { $0.kinds = most }.sequences == [1])
        #expect(try list(harness) { $0.pageSize = Int32(Limits.maxChanges) }.events.count == 9)
    }

    @Test func aTokenBelongsToItsUserItsSequenceAndItsKinds() throws {
        let harness = try harness()
        let token = try list(harness) { $0.pageSize = 2 }.token
        let edits: [(inout ListChangesRequest) -> Void] = [
            { $0.userID = "B" }, { $0.sinceSequence = 1 }, { $0.kinds = [.addFriend] },
            { $0.pageToken.removeLast(2) },
        ]
        for edit in edits {
            let error = #expect(throws: RPCError.self) {
                try list(harness) {
                    $0.pageToken = token
                    edit(&$0)
                }
            }
            #expect(try error?.unpacked().reason == "INVALID_PAGE_TOKEN")
        }
    }

    // MARK: The visible part

    private static func settings() -> AppSettings {
        var settings = AppSettings.tim
        for owner in [CustomFieldOwner.friend, .profile] {
            var secret = CustomField(owner, "Secret", .string)
            secret.isReadable = false
            var old = CustomField(owner, "Old", .string)
            old.isRetired = true
            settings.customFields += [CustomField(owner, "Open", .string), secret, old]
        }
        return settings
    }

    @Test(arguments: [false, true])
    func hiddenCustomValuesAreTakenOutOfEvents(_ isAdmin: Bool) throws {
        let world = try World("A", "B", settings: Self.settings())
        let values = ["Old", "Open", "Secret"].map { CustomValue($0, .data([97])) }
        #expect(try world.add("B", to: "A") { $0.custom = values } == .success)
        var profile = ProfileRecord()
        profile.nick = "Ann"
        profile.custom = values
        let updates: [([ProfileField], [String])] = [
            ([.nick], ["Open", "Secret", "Old"]), ([], ["Secret"]),
        ]
        for (fields, keys) in updates {
            _ = try world.call(by: nil) { (ledger) throws(StorageError) in
                try Profiles.update(
                    "A", profile, fields: fields, customKeys: keys, expectedVersion: nil,
                    in: ledger)
            }
            profile.custom[2] = CustomValue("Secret", .data([98]))
        }
        _ = try world.call(by: "A") { (ledger) throws(StorageError) in
            try Profiles.setVisibility(.friends, of: "A", in: ledger)
        }
        let harness = ServiceHarness(world)
        harness.isAdmin = isAdmin
        let events = try list(harness).events
        #expect(
            events.map(\.sequence) == [1, 2, 3, 4], "an event with no visible part is there too")
        let seen = isAdmin ? ["Open", "Secret"] : ["Open"]
        #expect(events[0].items.first?.friendEntry?.custom.map(\.key) == seen)
        #expect(events[1].items.first?.profile?.custom.map(\.key) == seen)
        #expect(events[1].items.first?.profile?.nick == "Ann")
        #expect(events[1].items.first?.fields == ["nick"] + seen.map { "custom.\($0)" })
        #expect(events[2].items.first?.fields == (isAdmin ? ["custom.Secret"] : []))
        #expect(events[2].items.first?.profile?.version == 2, "its version is still sent")
        #expect(events[3].items.first?.profile?.custom.map(\.key) == seen)
        #expect(events[3].items.first?.visibility == .friends)
    }

    @Test func eventsOfAnAppWithoutHiddenFieldsGoOutAsTheyAreStored() {
        var settings = AppSettings.tim
        settings.customFields = [CustomField(.friend, "Open", .string)]
        let kinds = ChangeKind.schema.values.map { ChangeKind(rawValue: $0.number) }
        #expect(kinds.allSatisfy { ChangeView(isAdmin: false, settings).passes($0) })
        let view = ChangeView(isAdmin: false, Self.settings())
        let looked = kinds.filter { !view.passes($0) }
        #expect(
            looked == [
                .addFriend, .friendChange, .profileChange, .visibilityChanged, .reviewAsked,
                .reviewDecided,
            ])
    }

    // MARK: GetSequence

    @Test func sequencesTellTheLastChangeOfEachList() throws {
        let world = try World("A", "B", "C")
        let harness = ServiceHarness(world)
        var wanted = GetSequenceResponse()
        wanted.firstSequence = 1
        #expect(try sequence(harness) == wanted)
        #expect(try world.add("B", to: "A") == .success)
        #expect(try world.createGroup("work", of: "A") == .success)
        try world.allow(.needConfirm, for: "A")
        #expect(try world.add("A", to: "C").code == .pending)
        (wanted.sequence, wanted.friendsSequence, wanted.groupsSequence) = (4, 1, 2)
        wanted.pendenciesSequence = 4
        #expect(try sequence(harness) == wanted)
        #expect(try world.block("C", by: "A") == .success)
        (wanted.sequence, wanted.pendenciesSequence, wanted.blacklistSequence) = (6, 5, 6)
        #expect(try sequence(harness) == wanted)
        #expect(try world.subscribe("A", to: "B") == .success)
        (wanted.sequence, wanted.subscriptionsSequence) = (7, 7)
        #expect(try sequence(harness) == wanted)
        try world.call(by: "A") { (ledger) throws(StorageError) in
            try ledger.notify("A", .consentChanged, ChangeItemRecord())
        }
        (wanted.sequence, wanted.consentsSequence) = (8, 8)
        #expect(try sequence(harness) == wanted)
        #expect(try world.follow("A", "B") == .success)
        (wanted.sequence, wanted.followingSequence) = (9, 9)
        #expect(try sequence(harness) == wanted)
        #expect(try world.follow("B", "A") == .success)
        (wanted.sequence, wanted.followersSequence) = (10, 10)
        #expect(try sequence(harness) == wanted)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            try ledger.changeUserRecord(of: "A") { $0.logFloor = 6 }
        }
        wanted.firstSequence = 7
        #expect(try sequence(harness) == wanted)
    }
}
