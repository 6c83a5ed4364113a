import Memory
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@testable import RelationCalls
@testable import RelationService

/// Lists sorted by names, and searches, through their handlers: their reads of the engine, and
/// their pages while others write.
@Suite struct NamedPageTests {
    private static func user(_ number: Int) -> UserID { UserID("user\(number)")! }

    /// "owner" with `count` friends, who all have a nick; every third has a remark.
    private static func harness(_ count: Int, on store: any Store) throws -> ServiceHarness {
        let world = try World("owner", on: store)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            for number in 0..<count {
                let friend = user(number)
                _ = try Accounts.create(
                    friend, nick: "nick \(number % 50)", faceURL: "", in: ledger)
                var row = FriendImport.Row(owner: "owner", friend: friend)
                if number.isMultiple(of: 3) { row.values.remark = "remark \(number)" }
                _ = try FriendImport.write(row, notify: false, in: ledger)
            }
        }
        return ServiceHarness(world)
    }

    private struct Answer {
        var users: [String] = []
        var sections: [FriendSection] = []
        var total = 0
        var token = ""
    }

    private func list(
        _ harness: ServiceHarness, _ order: FriendOrder, token: String = "", size: Int32 = 100,
        _ edit: (inout ListFriendsRequest) -> Void = { _ in }
    ) throws -> Answer {
        var request = ListFriendsRequest()
        request.userID = "owner"
        request.order = order
        request.pageSize = size
        request.pageToken = token
        edit(&request)
        var answer = Answer()
        try harness.read(
            request,
            {
                FriendHandlers.listJoinedFriends(
                    $0, harness.world.names, harness.world.profiles, $1, &$2)
            }
        ) { response in
            let response = try #require(response)
            answer.users = try users(response.friends)
            answer.sections = response.sections
            answer.total = Int(response.totalSize)
            answer.token = response.nextPageToken
        }
        return answer
    }

    private func search(_ harness: ServiceHarness, _ keyword: String, token: String = "") throws
        -> Answer
    {
        var request = SearchFriendsRequest()
        request.userID = "owner"
        request.keyword = keyword
        request.pageToken = token
        request.pageSize = 10
        var answer = Answer()
        try harness.read(
            request,
            {
                FriendHandlers.searchFriends(
                    $0, harness.world.names, harness.world.profiles, $1, &$2)
            }
        ) { response in
            let response = try #require(response)
            answer.users = try users(response.friends)
            answer.total = Int(response.totalSize)
            answer.token = response.nextPageToken
        }
        return answer
    }

    private func users(_ rows: [Encoded<Friend>]) throws -> [String] {
        try Arena.temporary { (arena) throws(CodecError) in
            var users: [String] = []
            for row in rows { users.append(try row.decoded(arena).userID) }
            return users
        }
    }

    /// A list of 3,000 friends, with the names and the list in memory, reads only the owner's user
    /// record and the rows of the answer.
    @Test func noRowIsReadThatIsNotAnswered() throws {
        let store = CountingStore()
        let harness = try Self.harness(3_000, on: store)
        let (userRecord, profile, friend) = (
            Tables.userRecords.kind, Tables.profiles.kind, Tables.friends.kind
        )
        typealias Counts = CountingStore.Counts
        _ = store.take()

        // Nothing is in memory: the owner's rows are read through once, and each name is read once.
        var page = try list(harness, .displayName)
        #expect(page.users.count == 100 && page.total == 3_000)
        #expect(
            store.take()
                == Counts(keys: [userRecord: 1, profile: 3_000, friend: 100], scannedRows: 3_000))
        page = try list(harness, .displayName, token: page.token)
        #expect(store.take() == Counts(keys: [userRecord: 1, friend: 100]))
        page = try list(harness, .firstName)
        #expect(store.take() == Counts(keys: [userRecord: 1, friend: 100]))
        let found = try search(harness, "NICK 4")
        #expect(found.users.count == 10 && found.total > 400)
        #expect(store.take() == Counts(keys: [userRecord: 1, friend: 10]))
        #expect(try search(harness, "unknown").users.isEmpty)
        #expect(store.take() == Counts(keys: [userRecord: 1]))

        // The name of one user changes: still nothing is read.
        _ = try harness.world.setProfile(of: Self.user(7), [.nick]) { $0.nick = "Aaron" }
        _ = store.take()
        page = try list(harness, .displayName)
        #expect(page.users[0] == "user7")
        #expect(store.take() == Counts(keys: [userRecord: 1, friend: 100]))

        // The list changes: it is read through again, and no name is read.
        _ = try harness.world.update(Self.user(8), of: "owner") { $0.remark = "Aa" }
        _ = store.take()
        page = try list(harness, .displayName)
        #expect(page.users[0] == "user8")
        #expect(store.take() == Counts(keys: [userRecord: 1, friend: 100], scannedRows: 3_000))
    }

    /// The rights to see names are read from the engine once, and not again while nothing changes.
    @Test func whoMaySeeANameIsReadOnce() throws {
        let store = CountingStore()
        let harness = try Self.harness(300, on: store)
        let choices: [Visibility] = [.invisible, .everyone, .friends]
        try harness.world.call(by: nil) { (ledger) throws(StorageError) in
            for number in 0..<300 {
                var values = ProfileRecord()
                values.firstName = "first \(number)"
                _ = try Profiles.update(
                    Self.user(number), values, fields: [.firstName], expectedVersion: nil,
                    in: ledger)
                _ = try Profiles.setVisibility(
                    choices[number % 3], of: Self.user(number), in: ledger)
            }
        }
        let (userRecord, profile, friend) = (
            Tables.userRecords.kind, Tables.profiles.kind, Tables.friends.kind
        )
        typealias Counts = CountingStore.Counts
        _ = store.take()
        var page = try list(harness, .firstName, size: 50)
        // Each of the three hundred has its blacklist read, and a hundred their friend lists.
        let blacklist = Tables.blacklist.kind
        #expect(
            store.take()
                == Counts(
                    keys: [userRecord: 1, profile: 300, blacklist: 300, friend: 50 + 100],
                    scannedRows: 300))
        #expect(page.sections.map(\.count) == [100, 200])
        page = try list(harness, .firstName, token: page.token, size: 50)
        #expect(page.users.count == 50)
        #expect(store.take() == Counts(keys: [userRecord: 1, friend: 50]))

        // One of them adds the owner: its rights are read again.
        var row = FriendImport.Row(owner: Self.user(2), friend: "owner")
        row.values.remark = "boss"
        try harness.world.call(by: nil) { (ledger) throws(StorageError) in
            _ = try FriendImport.write(row, notify: false, in: ledger)
        }
        _ = store.take()
        page = try list(harness, .firstName, size: 50)
        #expect(page.sections.map(\.count) == [101, 199])
        #expect(store.take().keys[profile] == nil)
    }

    @Test(
        arguments: [FriendOrder.firstName, .displayName, .userID, .addTime], [false, true])
    func aRowThatKeepsItsPositionIsAnsweredOnceWhileOthersComeAndGo(
        order: FriendOrder, descending: Bool
    ) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var numbers = SeededNumbers(seed: seed)
        let harness = try Self.harness(120, on: MemoryStore())
        let world = harness.world
        // Users with even numbers stay; odd ones are deleted, added again, renamed.
        var seen: [String: Int] = [:]
        var token = ""
        repeat {
            let page = try list(harness, order, token: token, size: 7) {
                $0.direction = descending ? .descending : .ascending
                $0.displayOrder = .firstName
            }
            for user in page.users { seen[user, default: 0] += 1 }
            token = page.token
            for _ in 0..<6 {
                let user = Self.user(Int.random(in: 0..<60, using: &numbers) * 2 + 1)
                if Bool.random(using: &numbers) {
                    _ = try world.delete(user, from: "owner")
                } else {
                    world.advance(milliseconds: 1)
                    let name = "nick \(Int.random(in: 0..<50, using: &numbers))"
                    _ = try world.setProfile(of: user, [.nick]) { $0.nick = name }
                    _ = try world.importFriend(user, of: "owner")
                }
            }
        } while !token.isEmpty
        for number in stride(from: 0, to: 120, by: 2) {
            #expect(seen["user\(number)"] == 1, "user\(number), seed \(seed)")
        }
    }

    @Test func aSearchIsAnsweredByPagesInOneOrder() throws {
        let harness = try Self.harness(200, on: MemoryStore())
        var all: [String] = []
        var token = ""
        repeat {
            let page = try search(harness, "1", token: token)
            #expect(page.users.count == 10 || page.token.isEmpty)
            all += page.users
            token = page.token
        } while !token.isEmpty
        #expect(Set(all).count == all.count)
        let parts = all.map { user in
            let number = Int(user.dropFirst(4)) ?? 0
            let remark = number.isMultiple(of: 3) ? "remark \(number)" : ""
            let texts = [remark, "nick \(number % 50)", user]
            return texts.firstIndex { $0.contains("1") }
        }
        #expect(parts.compactMap(\.self) == parts.compactMap(\.self).sorted())
        #expect(!parts.contains(nil) && Set(parts) == [0, 1, 2])
        let total = try search(harness, "1").total
        #expect(all.count == total)
    }

    @Test func aTokenIsShortHoweverLongTheNamesAre() throws {
        let harness = try Self.harness(3, on: MemoryStore())
        for number in 0..<3 {
            _ = try harness.world.setProfile(of: Self.user(number), [.nick]) {
                $0.nick = String(repeating: "王", count: 160)
            }
            _ = try harness.world.update(Self.user(number), of: "owner") { $0.remark = "" }
        }
        let page = try list(harness, .displayName, size: 1)
        #expect((350...Limits.pageTokenBytes).contains(page.token.utf8.count))
        #expect(try list(harness, .displayName, token: page.token).users == ["user1", "user2"])
    }
}
