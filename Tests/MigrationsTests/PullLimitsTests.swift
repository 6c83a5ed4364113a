import Protobuf
import RelationAPI
import RelationModel
import Synchronization
import Testing

@testable import Migrations

/// The bounds of a pull from a system that answers whatever it is asked.
@Suite struct PullLimitsTests {
    private static let fields = CustomFields([])

    private func lists(_ fake: FakeAnswers) -> TIMLists {
        TIMLists(
            calls: fake.tim, fields: Self.fields, readsFollows: true, readsWordings: true,
            isStrict: false)
    }

    private func user(_ id: String = "ann") -> MigratedUser {
        MigratedUser(id, createTimeMs: 1)
    }

    // MARK: Attempts

    @Test func `A call is made so often, with pauses that grow to a bound`() async {
        let fake = FakeAnswers { _, _ in #"{"ErrorCode": 30006}"# }
        await #expect(throws: MigrationError.self) { try await fake.tim.answer("sns/x", "{}") }
        #expect(fake.calls.count == MigrationLimits.attempts)
        let most = MigrationLimits.longestWaitSeconds
        let wanted = (0..<MigrationLimits.attempts - 1).map { min(1 << $0, most) }
        #expect(fake.pauses == wanted.map { .seconds($0) } && wanted.last == most)
    }

    @Test func `An item that may succeed is asked for so often`() async throws {
        let fake = FakeAnswers { _, _ in
            #"{"ErrorCode": 0, "Items": [{"ResultCode": 30007}]}"#
        }
        _ = try await fake.tim.answer("sns/x", "{}", items: "Items")
        #expect(fake.calls.count == MigrationLimits.itemAttempts)
        #expect(fake.pauses == [.seconds(1), .seconds(2)])
    }

    @Test func `A refusal shows so much of the other system's words`() async {
        let words = String(repeating: "w", count: MigrationLimits.shownBytes + 50)
        let fakes = [
            FakeAnswers { _, _ in #"{"ErrorCode": 60010, "ErrorInfo": "\#(words)"}"# },
            FakeAnswers { _, _ in #"{"code": 1004, "errorMessage": "\#(words)"}"# },
        ]
        for (index, fake) in fakes.enumerated() {
            do {
                _ =
                    index == 0
                    ? try await fake.tim.answer("x", "{}")
                    : try await fake.rongCloud.answer("x", [])
                Issue.record("the call is refused")
            } catch {
                let shown = "\(error)".filter { $0 == "w" }.count
                #expect(shown == MigrationLimits.shownBytes)
            }
        }
    }

    // MARK: Lists of TIM

    /// Answers in which each list goes on for ever, each page with a longer index or another
    /// cursor.
    private static func endless(_ number: Int, _ call: FakeAnswers.Call) -> String {
        switch true {
        case call.target.contains("friend_get?"):
            #"{"ErrorCode": 0, "CompleteFlag": 0, "NextStartIndex": \#(number)}"#
        case call.target.contains("black_list_get"):
            #"{"ErrorCode": 0, "BlackListItem": [], "StartIndex": \#(number)}"#
        case call.target.contains("follow_get"):
            #"{"ErrorCode": 0, "FollowItem": [], "NextCursor": "\#(number)"}"#
        default: #"{"ErrorCode": 0}"#
        }
    }

    @Test func `A list without an end is left after so many pages`() async throws {
        let fake = FakeAnswers(Self.endless)
        var user = user()
        try await lists(fake).read(&user)
        let pages = MigrationLimits.pages
        for path in ["friend_get?", "black_list_get", "follow_get"] {
            #expect(fake.bodies(to: path).count == pages, "\(path)")
        }
        #expect(user.losses.map(\.kind) == ["friend", "blacklist", "follow"])
        #expect(user.losses.allSatisfy { $0.rule == "has no end after \(pages) pages" })
        // Each call asks for a page of its kind's length.
        let blacklist = "\"MaxLimited\":\(MigrationLimits.blacklistedAtOnce),"
        let follows = "\"WantNum\":\(MigrationLimits.followsAtOnce),"
        #expect(fake.bodies(to: "black_list_get")[0].contains(blacklist))
        #expect(fake.bodies(to: "follow_get")[0].contains(follows))
    }

    @Test func `A list that changes is read so often`() async throws {
        let fake = FakeAnswers { number, call in
            guard call.target.contains("friend_get?") else {
                return #"{"ErrorCode": 0, "CompleteFlag": 1, "StartIndex": 0, "NextCursor": ""}"#
            }
            // The second page of each try has another sequence.
            return #"{"ErrorCode": 0, "UserDataItem": [], "CompleteFlag": 0, "NextStartIndex": 1, "#
                + #""StandardSequence": \#(number)}"#
        }
        var user = user()
        try await lists(fake).read(&user)
        #expect(fake.bodies(to: "friend_get?").count == 2 * MigrationLimits.listAttempts)
        #expect(user.losses.map(\.rule) == ["changed while it was read"])
    }

    @Test func `Fields of so many friends are asked for at once`() async throws {
        let count = MigrationLimits.friendsAtOnce + 1
        let rows = (0..<count).map { #"{"To_Account": "u\#($0)", "ValueItem": []}"# }
        let list =
            #"{"ErrorCode": 0, "CompleteFlag": 1, "FriendNum": \#(count), "UserDataItem": ["#
            + rows.joined(separator: ",") + "]}"
        let fake = FakeAnswers { _, call in
            call.target.contains("friend_get?") ? list : #"{"ErrorCode": 0}"#
        }
        var user = user()
        try await lists(fake).read(&user)
        let asked = fake.bodies(to: "friend_get_list").map { $0.split(separator: "\"u").count - 1 }
        #expect(asked == [MigrationLimits.friendsAtOnce, 1])
        #expect(user.friends.count == count)
    }

    @Test func `A user of TIM has so many bytes`() async throws {
        let longest = String(repeating: "u", count: MigrationLimits.timUserIDBytes)
        let fake = FakeAnswers { _, call in
            call.target.contains("account_check")
                ? #"{"ErrorCode": 0, "ResultItem": [{"UserID": "\#(longest)", "#
                    + #""AccountStatus": "Imported"}]}"#
                : #"{"ErrorCode": 0, "CompleteFlag": 1}"#
        }
        let reader = TIMReader(
            fake.tim, Self.fields, readsFollows: false, readsWordings: false, isStrict: false,
            among: nil, timeMs: 1)
        let read = try await reader.read([longest, longest + "u"])
        let lost = read.losses.filter { $0.kind == "account" }.map(\.user)
        #expect(lost == [longest + "u"])
        #expect(fake.bodies(to: "account_check").allSatisfy { !$0.contains(longest + "u") })
    }

    @Test func `So many users are read at one time`() async throws {
        let state = Mutex((open: 0, most: 0))
        let users = (0..<3 * MigrationLimits.callsAtOnce).map { user("u\($0)") }
        var read = MigratedUsers()
        try await read.add(users) { _ in
            state.withLock { $0 = ($0.open + 1, max($0.most, $0.open + 1)) }
            for _ in 0..<10 { await Task.yield() }
            state.withLock { $0.open -= 1 }
        }
        #expect(state.withLock { $0.most } <= MigrationLimits.callsAtOnce)
        #expect(state.withLock { $0.most } > 0 && read.rows.count >= users.count)
    }

    @Test func `A signature of a pull is good for so long`() throws {
        let text = try TIMSignature.text(app: 1, user: "a", secret: "k", at: 1_700_000_000)
        let other = try TIMSignature.text(app: 1, user: "a", secret: "k", at: 1_700_000_001)
        #expect(MigrationLimits.signatureSeconds == 30 * 86_400 && text != other)
    }

    // MARK: Lists of RongCloud

    private func rongCloudLists(_ fake: FakeAnswers) -> RongCloudLists {
        RongCloudLists(
            calls: fake.rongCloud, fields: Self.fields, readsFriends: true, timeMs: 1)
    }

    @Test func `A list of RongCloud without an end is left after so many pages`() async throws {
        let fake = FakeAnswers { number, call in
            call.target.contains("friend/get")
                ? #"{"code": 10000, "friendList": [], "pageToken": "\#(number)"}"#
                : #"{"code": 200, "users": [], "next": "\#(number)"}"#
        }
        var user = user()
        try await rongCloudLists(fake).read(&user)
        let pages = MigrationLimits.pages
        for path in ["friend/get", "user/blacklist/query"] {
            let bodies = fake.bodies(to: path)
            #expect(bodies.count == pages, "\(path)")
            #expect(bodies[0].contains("size=\(MigrationLimits.rongCloudPage)"), "\(path)")
        }
        #expect(user.losses.map(\.kind) == ["friend", "blacklist"])
        #expect(user.losses.allSatisfy { $0.rule == "has no end after \(pages) pages" })
    }

    @Test func `A list of RongCloud that changes is read so often`() async throws {
        let fake = FakeAnswers { number, call in
            call.target.contains("friend/get")
                ? #"{"code": 10000, "friendList": [], "totalCount": \#(number), "#
                    + #""pageToken": "\#(number)"}"#
                : #"{"code": 200}"#
        }
        var user = user()
        try await rongCloudLists(fake).read(&user)
        #expect(fake.bodies(to: "friend/get").count == 2 * MigrationLimits.listAttempts)
        #expect(user.losses.map(\.rule) == ["changed while it was read"])
    }

    @Test func `Codes from a number on are about a user`() async throws {
        let codes = MigrationLimits.rongCloudUserCodes
        let fakes = [codes, codes - 1].map { code in
            FakeAnswers { _, _ in #"{"code": \#(code)}"# }
        }
        let answer = try await fakes[0].rongCloud.answer("x", [], isOfUser: true)
        #expect(answer.number("code") == codes)
        await #expect(throws: MigrationError.self) {
            try await fakes[1].rongCloud.answer("x", [], isOfUser: true)
        }
    }

    // MARK: Users

    @Test func `A list of all users has so many pages`() async throws {
        let size = MigrationLimits.rongCloudUsersAtOnce
        func listing(_ pages: Int) -> FakeAnswers {
            FakeAnswers { number, _ in
                let users = (0..<(number > pages ? 0 : size)).map {
                    #"{"userId": "u\#(number)-\#($0)"}"#
                }
                return #"{"code": 200, "total": \#(pages * size), "#
                    + #""users": [\#(users.joined(separator: ","))]}"#
            }
        }
        let fake = listing(3)
        var count = 0
        try await RongCloudListing(fake.rongCloud, atMost: 3 * size).read { users, _ in
            count += users.count
        }
        #expect(count == 3 * size)
        #expect(fake.calls.allSatisfy { $0.body.contains("pageSize=\(size)") })
        await #expect(throws: MigrationError.self) {
            try await RongCloudListing(listing(4).rongCloud, atMost: 3 * size).read { _, _ in }
        }
    }

    @Test func `A migration takes so many users`() throws {
        var count = AccountCount(atMost: 2)
        try count.add(in: "users.txt")
        try count.add(in: "users.txt")
        #expect {
            try count.add(in: "users.txt")
        } throws: {
            "\($0)" == "users.txt has more than 2 users"
        }
    }
}
