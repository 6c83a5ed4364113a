import GRPC
import Memory
import Protobuf
import RPC
import RelationAPI
import RelationChanges
import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@testable import RelationCalls
@testable import RelationService

/// Every list is read by pages in one way.
@Suite struct ListPageTests {
    /// One list of the contract, with rows as texts that tell them apart.
    private struct List {
        let name: String
        /// The number of rows that the test's world has.
        let count: Int
        let read: (ServiceHarness, _ size: Int32, _ token: String) throws -> Page
    }

    private struct Page {
        var rows: [String]
        var token: String
        var total: Int32
    }

    /// A world in which each list of A has several rows, and B has some too.
    private func harness() throws -> ServiceHarness {
        let world = try World("A", "B", "C", "D", "E", "F", "G", "H", "I", "J")
        for user: UserID in ["C", "D", "E", "F"] {
            world.advance(milliseconds: 1)
            for owner: UserID in ["A", "B"] {
                try #require(
                    try world.importFriend(user, of: owner, bothWays: true).isAcceptable)
            }
            // Two of these are friends of a friend only.
            for other: UserID in ["G", "H"] {
                try #require(try world.importFriend(other, of: user).isAcceptable)
            }
            for type in SubscribeType.stored {
                try #require(try world.subscribe("A", to: user, type, seconds: 600) == .success)
            }
            for owner: UserID in ["A", "B"] {
                try #require(try world.follow(owner, user) == .success)
                try #require(try world.follow(user, owner) == .success)
                try #require(try world.dismiss(user, for: owner) == .success)
            }
        }
        for user: UserID in ["H", "I", "J"] { try #require(try world.block(user, by: "B").changed) }
        let harness = ServiceHarness(world)
        try harness.register()
        try define(harness)
        return harness
    }

    /// Defines what the lists of an app have: five client apps, fields and permissions, and three
    /// credentials.
    private func define(_ harness: ServiceHarness) throws {
        for number in [3, 1, 5, 2, 4] {
            var client = RegisterClientAppRequest()
            (client.clientAppID, client.name) = ("client\(number)", "client")
            _ = try harness.write(
                AppMethods.registerClientApp, client, ClientAppHandlers.registerClientApp
            ).get()
            var fields = DefineCustomFieldsRequest()
            fields.items = [CustomFieldOwner.friend, .profile].map { owner in
                var field = CustomFieldMessage()
                (field.owner, field.valueType) = (owner, .string)
                field.key = String(repeating: "k", count: number)
                return field
            }
            _ = try harness.write(
                AppMethods.defineCustomFields, fields, CustomFieldHandlers.define
            ).get()
            var permission = PermissionDefinition()
            (permission.name, permission.kind) = ("see_\(number)", .extended)
            var permissions = DefinePermissionsRequest()
            permissions.items = [permission]
            _ = try harness.write(
                AppMethods.definePermissions, permissions, ClientAppHandlers.define
            ).get()
            var credential = CreateCredentialRequest()
            credential.scopes = [.read]
            var consumer = AcquireConsumerRequest()
            consumer.consumer = "consumer\(number)"
            _ = try harness.write(
                ChangeMethods.acquireConsumer, consumer, ConsumerHandlers.acquire
            ).get()
            let randomness = Randomness { [UInt8](repeating: UInt8(number * 40), count: $0) }
            _ = try harness.write(AppMethods.createCredential, credential) {
                CredentialHandlers.create($0, $1, &$2, randomness)
            }.get()
        }
        // The first grant brings the permission for the public profile.
        for user in ["A", "C", "E", "F"] {
            var grant = GrantPermissionsRequest()
            (grant.userID, grant.clientAppID) = (user, "client3")
            grant.names = ["user_friends"] + (user == "A" ? ["see_4", "see_1", "see_5"] : [])
            _ = try harness.write(
                ConsentMethods.grantPermissions, grant, ConsentHandlers.grant
            ).get()
        }
        var retire = RetireCustomFieldRequest()
        (retire.owner, retire.key) = (.friend, "kk")
        _ = try harness.write(
            AppMethods.retireCustomField, retire, CustomFieldHandlers.retire
        ).get()
    }

    // MARK: The lists

    /// Makes a list of a request with `page_size` and `page_token`.
    private static func list<Request: ReadRequest, Response: Message>(
        _ name: String, _ count: Int, _ request: Request,
        _ handler: @escaping (Request, Call, inout Violations) -> Reading<Response>,
        _ set: @escaping (inout Request, Int32, String) -> Void,
        _ page: @escaping (Response) throws -> Page
    ) -> List {
        List(name: name, count: count) { harness, size, token in
            var request = request
            set(&request, size, token)
            var found = Page(rows: [], token: "", total: 0)
            try harness.read(request, handler) { found = try page(try #require($0)) }
            return found
        }
    }

    private static func ids<Row: Message>(
        _ rows: [Encoded<Row>], _ id: (Row) -> String
    ) throws -> [String] {
        let arena = Arena()
        defer { arena.free() }
        return try rows.map { id(try $0.decoded(arena)) }
    }

    private static func lists(of user: String = "A", client: String = "client3") -> [List] {
        appLists() + userLists(of: user) + followLists(of: user) + adjacencyLists(of: user)
            + consentLists(of: user, client: client)
    }

    private static func appLists() -> [List] {
        [
            list(
                "ListCredentials", 5, ListCredentialsRequest(),
                { CredentialHandlers.list($0, $1, &$2) { _ in [:] } },
                { ($0.pageSize, $0.pageToken) = ($1, $2) },
                {
                    Page(
                        rows: $0.credentials.map(\.credentialID), token: $0.nextPageToken,
                        total: $0.totalSize)
                }),
            list(
                "ListOperatorKeys", 5, ListOperatorKeysRequest(),
                { OperatorKeyHandlers.list($0, $1, &$2) { _ in [:] } },
                { ($0.pageSize, $0.pageToken) = ($1, $2) },
                {
                    Page(
                        rows: $0.operatorKeys.map(\.credentialID), token: $0.nextPageToken,
                        total: $0.totalSize)
                }),
            fields("ListCustomFields", 9),
            fields("ListCustomFields, retired too", 10) { $0.withRetired = true },
            fields("ListCustomFields of friends", 4) { $0.owner = .friend },
            list(
                "ListClientApps", 5, ListClientAppsRequest(), ClientAppHandlers.list,
                { ($0.pageSize, $0.pageToken) = ($1, $2) },
                {
                    Page(
                        rows: $0.clientApps.map(\.clientAppID), token: $0.nextPageToken,
                        total: $0.totalSize)
                }),
            list(
                "ListConsumers", 5, ListConsumersRequest(), ConsumerHandlers.list,
                { ($0.pageSize, $0.pageToken) = ($1, $2) },
                {
                    Page(
                        rows: $0.consumers.map(\.consumer), token: $0.nextPageToken,
                        total: $0.totalSize)
                }),
            list(
                "ListPermissionDefinitions", 10, ListPermissionDefinitionsRequest(),
                ClientAppHandlers.listPermissionDefinitions,
                { ($0.pageSize, $0.pageToken) = ($1, $2) },
                {
                    Page(
                        rows: $0.permissions.map(\.name), token: $0.nextPageToken,
                        total: $0.totalSize)
                }),
            list(
                "ListAccounts", 10, ListAccountsRequest(), AccountHandlers.list,
                { ($0.pageSize, $0.pageToken) = ($1, $2) },
                {
                    Page(
                        rows: $0.accounts.map(\.userID), token: $0.nextPageToken,
                        total: $0.totalSize)
                }),
        ]
    }

    private static func fields(
        _ name: String, _ count: Int, _ edit: (inout ListCustomFieldsRequest) -> Void = { _ in }
    ) -> List {
        var request = ListCustomFieldsRequest()
        edit(&request)
        return list(
            name, count, request, CustomFieldHandlers.list,
            { ($0.pageSize, $0.pageToken) = ($1, $2) },
            {
                Page(
                    rows: $0.fields.map { "\($0.owner.rawValue) \($0.key)" },
                    token: $0.nextPageToken, total: $0.totalSize)
            })
    }

    private static func friends(
        _ name: String, _ request: ListFriendsRequest,
        _ edit: (inout ListFriendsRequest) -> Void = { _ in }
    ) -> List {
        var request = request
        edit(&request)
        return list(
            name, 4, request, FriendHandlers.listFriends,
            { ($0.pageSize, $0.pageToken) = ($1, $2) },
            {
                Page(
                    rows: try ids($0.friends, \.userID), token: $0.nextPageToken,
                    total: $0.totalSize)
            })
    }

    private static func userLists(of user: String) -> [List] {
        var friends = ListFriendsRequest()
        friends.userID = user
        var sync = SyncFriendsRequest()
        sync.userID = user
        var subscriptions = ListSubscriptionsRequest()
        subscriptions.userID = user
        var blacklist = ListBlacklistRequest()
        blacklist.userID = user == "A" ? "B" : "A"
        return [
            Self.friends("ListFriends", friends),
            Self.friends("ListFriends, pinned first", friends) { $0.order = .pin },
            Self.friends("ListFriends of both ways", friends) { $0.relation = .bothWay },
            list(
                "SyncFriends", 4, sync, FriendHandlers.syncFriends,
                { ($0.pageSize, $0.pageToken) = ($1, $2) },
                {
                    Page(
                        rows: try ids($0.friends, \.userID), token: $0.nextPageToken,
                        total: $0.totalSize)
                }),
            list(
                "ListSubscriptions", 8, subscriptions,
                { SubscriptionHandlers.list($0, StoredProfiles(), PresenceBoard(), $1, &$2) },
                { ($0.pageSize, $0.pageToken) = ($1, $2) },
                {
                    Page(
                        rows: $0.subscriptions.map { "\($0.userID) \($0.subscribeType.rawValue)" },
                        token: $0.nextPageToken, total: $0.totalSize)
                }),
            list(
                "ListBlacklist", 3, blacklist,
                { BlacklistHandlers.list($0, StoredProfiles(), $1, &$2) },
                { ($0.pageSize, $0.pageToken) = ($1, $2) },
                {
                    Page(
                        rows: try ids($0.entries, \.userID), token: $0.nextPageToken,
                        total: $0.totalSize)
                }),
        ]
    }

    private static func followLists(of user: String) -> [List] {
        [
            follows(.following, "ListFollowing", ListFollowingRequest.with { $0.userID = user }),
            follows(.followers, "ListFollowers", ListFollowersRequest.with { $0.userID = user }),
            follows(
                .mutual, "ListMutualFollows", ListMutualFollowsRequest.with { $0.userID = user }),
        ]
    }

    private static func follows<Names: FollowListNames>(
        _ follows: FollowList, _ name: String, _ request: FollowListRequest<Names>
    ) -> List {
        list(
            name, 4, request,
            { FollowHandlers.list(follows, name, $0, StoredProfiles(), $1, &$2) },
            { ($0.pageSize, $0.pageToken) = ($1, $2) },
            {
                Page(
                    rows: $0.entries.map(\.userID), token: $0.nextPageToken, total: $0.totalSize)
            })
    }

    private static func adjacencyLists(of user: String) -> [List] {
        var mutual = ListMutualFriendsRequest()
        (mutual.userID, mutual.otherUserID) = (user, user == "A" ? "B" : "A")
        var suggest = SuggestFriendsRequest()
        suggest.userID = user
        var reverse = ListReverseFriendsRequest()
        reverse.userID = user == "A" ? "G" : "H"
        var dismissed = ListDismissedSuggestionsRequest()
        dismissed.userID = user
        return [
            list(
                "ListMutualFriends", 4, mutual,
                { FriendHandlers.listMutualFriends($0, StoredProfiles(), $1, &$2) },
                { ($0.pageSize, $0.pageToken) = ($1, $2) },
                { Page(rows: $0.userIDs, token: $0.nextPageToken, total: $0.totalSize) }),
            list(
                "SuggestFriends", 3, suggest,
                { FriendHandlers.suggestFriends($0, StoredProfiles(), $1, &$2) },
                { ($0.pageSize, $0.pageToken) = ($1, $2) },
                {
                    Page(
                        rows: $0.suggestions.map(\.userID), token: $0.nextPageToken,
                        total: $0.totalSize)
                }),
            list(
                "ListReverseFriends", 4, reverse,
                { FriendHandlers.listReverseFriends($0, StoredProfiles(), $1, &$2) },
                { ($0.pageSize, $0.pageToken) = ($1, $2) },
                {
                    Page(
                        rows: $0.users.map(\.userID), token: $0.nextPageToken, total: $0.totalSize)
                }),
            list(
                "ListDismissedSuggestions", 4, dismissed,
                { FriendHandlers.listDismissedSuggestions($0, StoredProfiles(), $1, &$2) },
                { ($0.pageSize, $0.pageToken) = ($1, $2) },
                {
                    Page(
                        rows: $0.users.map(\.userID), token: $0.nextPageToken, total: $0.totalSize)
                }),
        ]
    }

    private static func consentLists(of user: String, client: String) -> [List] {
        var permissions = ListPermissionsRequest()
        (permissions.userID, permissions.clientAppID) = (user, client)
        var friends = ListAppFriendsRequest()
        (friends.userID, friends.clientAppID) = (user, client)
        return [
            list(
                "ListPermissions", 5, permissions, ConsentHandlers.list,
                { ($0.pageSize, $0.pageToken) = ($1, $2) },
                {
                    Page(
                        rows: $0.permissions.map(\.name), token: $0.nextPageToken,
                        total: $0.totalSize)
                }),
            list(
                "ListAppFriends", 3, friends, ConsentHandlers.listAppFriends,
                { ($0.pageSize, $0.pageToken) = ($1, $2) },
                {
                    Page(
                        rows: try ids($0.friends, \.userID), token: $0.nextPageToken,
                        total: $0.visibleSize)
                }),
        ]
    }

    // MARK: The pages

    @Test func pagesOfAnySizeHaveAllRowsOnceAndInOrder() throws {
        let harness = try harness()
        for list in Self.lists() {
            let whole = try list.read(harness, 0, "")
            #expect(whole.rows.count == list.count && whole.token.isEmpty, "\(list.name)")
            #expect(Set(whole.rows).count == list.count, "\(list.name)")
            #expect(whole.total == Int32(list.count), "\(list.name)")
            for size in 1...Int32(list.count) {
                var rows: [String] = []
                var token = ""
                var pages = 0
                repeat {
                    let page = try list.read(harness, size, token)
                    #expect(page.total == whole.total, "\(list.name)")
                    #expect(page.rows.count <= Int(size), "\(list.name)")
                    rows += page.rows
                    token = page.token
                    pages += 1
                } while !token.isEmpty && pages <= list.count
                #expect(rows == whole.rows, "\(list.name) by \(size)")
                // The last page says that it is the last one.
                #expect(pages == (list.count + Int(size) - 1) / Int(size), "\(list.name)")
            }
        }
    }

    @Test func aSizeAboveTheLimitMeansTheLimit() throws {
        let harness = try harness()
        for list in Self.lists() {
            for size in [Int32(Limits.maxPageRows) + 1, .max] {
                let page = try list.read(harness, size, "")
                #expect(page.rows.count == list.count && page.token.isEmpty, "\(list.name)")
            }
        }
    }

    @Test func aNegativeSizeIsInvalidAndSoIsATokenOfAnotherList() throws {
        let harness = try harness()
        for size in [-1, Int32.min] {
            for list in Self.lists() {
                let error = #expect(throws: RPCError.self) { try list.read(harness, size, "") }
                #expect(error?.code == .invalidArgument)
                #expect(try error?.unpacked().fields == ["page_size"], "\(list.name)")
            }
        }
        let lists = Self.lists()
        let tokens = try lists.map { try $0.read(harness, 1, "").token }
        for (index, list) in lists.enumerated() {
            for (other, token) in tokens.enumerated() where other != index {
                let error = #expect(throws: RPCError.self) { try list.read(harness, 1, token) }
                let details = try error?.unpacked()
                #expect(error?.code == .invalidArgument && details?.fields == ["page_token"])
                #expect(details?.reason == "INVALID_PAGE_TOKEN", "\(list.name)")
            }
            #expect(try list.read(harness, 1, tokens[index]).rows.count == 1)
        }
    }

    @Test func aTokenOfAnotherUserOrClientAppIsInvalid() throws {
        let harness = try harness()
        let others =
            Array(zip(Self.userLists(of: "A"), Self.userLists(of: "B")))
            + Array(zip(Self.followLists(of: "A"), Self.followLists(of: "B")))
            + Array(zip(Self.adjacencyLists(of: "A"), Self.adjacencyLists(of: "B")))
            + Array(
                zip(
                    Self.consentLists(of: "A", client: "client3"),
                    Self.consentLists(of: "A", client: "client1")))
            + Array(
                zip(
                    Self.consentLists(of: "A", client: "client3"),
                    Self.consentLists(of: "C", client: "client3")))
        for (list, other) in others {
            let token = try list.read(harness, 1, "").token
            #expect(!token.isEmpty, "\(list.name)")
            let error = #expect(throws: RPCError.self) { try other.read(harness, 1, token) }
            #expect(try error?.unpacked().reason == "INVALID_PAGE_TOKEN", "\(list.name)")
        }
    }

    /// In an app that was restored, a list may have other rows behind the same place.
    @Test func aTokenOfAnotherHistoryIsInvalid() throws {
        let harness = try harness()
        let lists = Self.lists()
        let tokens = try lists.map { try $0.read(harness, 1, "").token }
        let world = harness.world
        world.settings.history = world.settings.history.renewed(at: world.now)
        for (list, token) in zip(lists, tokens) {
            let error = #expect(throws: RPCError.self, "\(list.name)") {
                try list.read(harness, 1, token)
            }
            #expect(try error?.unpacked().reason == "INVALID_PAGE_TOKEN", "\(list.name)")
        }
    }

    /// A row that comes or goes between two pages moves no other row.
    @Test func pagesGoOnBehindARowThatIsGone() throws {
        let harness = try harness()
        let list = Self.appLists()[0]
        let first = try list.read(harness, 2, "")
        var revoke = RevokeCredentialRequest()
        revoke.credentialID = first.rows[1]
        _ = try harness.write(AppMethods.revokeCredential, revoke, CredentialHandlers.revoke).get()
        let whole = try list.read(harness, 0, "")
        let rest = try list.read(harness, 5, first.token)
        #expect(rest.rows == Array(whole.rows.dropFirst()) && rest.total == 4)
    }

    // MARK: The calls with limits of their own

    @Test func longListsHaveTheirOwnLimits() throws {
        let world = try World("A", "B")
        let many = (0..<(Limits.sharedFriendPageRows + 30)).map {
            UserID(stored: "u\(1000 + $0)".utf8)
        }
        try world.create(many)
        for user in many {
            for owner: UserID in ["A", "B"] {
                try #require(try world.importFriend(user, of: owner).isAcceptable)
            }
            try #require(try world.subscribe("A", to: user, seconds: 600) == .success)
        }
        let harness = ServiceHarness(world)
        let lists = (Self.adjacencyLists(of: "A") + Self.userLists(of: "A")).filter {
            ["ListMutualFriends", "ListSubscriptions"].contains($0.name)
        }
        for list in lists {
            for (size, rows) in [(0, 100), (200, 200), (201, 200), (Int32.max, 200)] {
                let page = try list.read(harness, size, "")
                #expect(page.rows.count == rows && page.total == 230, "\(list.name)")
                let rest = try list.read(harness, 1_000, page.token)
                #expect(rest.rows.count == min(200, 230 - rows), "\(list.name)")
            }
        }
    }

    /// No more than 200 suggestions are made, on however many pages.
    @Test func suggestionsEndAtTheirNumber() throws {
        let world = try World("A", "B", "C")
        let many = (0..<(Limits.suggestions + 30)).map { UserID(stored: "u\(1000 + $0)".utf8) }
        try world.create(many)
        for friend: UserID in ["B", "C"] {
            try #require(try world.importFriend(friend, of: "A").isAcceptable)
        }
        for (index, user) in many.enumerated() {
            try #require(try world.importFriend(user, of: "B").isAcceptable)
            // Of these every third has two friends in common with A, and so comes first.
            guard index % 3 == 0 else { continue }
            try #require(try world.importFriend(user, of: "C").isAcceptable)
        }
        let harness = ServiceHarness(world)
        let list = Self.adjacencyLists(of: "A")[1]
        var rows: [String] = []
        var token = ""
        repeat {
            let page = try list.read(harness, 70, token)
            #expect(page.total == Int32(Limits.suggestions))
            rows += page.rows
            token = page.token
        } while !token.isEmpty
        let inOrder = many.enumerated().sorted {
            ($0.offset % 3 == 0 ? 0 : 1, $0.offset) < ($1.offset % 3 == 0 ? 0 : 1, $1.offset)
        }
        #expect(rows == inOrder.prefix(Limits.suggestions).map(\.element.text))
    }

    @Test func membersOfAGroupComeByPagesToo() throws {
        let world = try World("A", "C", "D", "E")
        for user: UserID in ["C", "D", "E"] {
            try #require(try world.importFriend(user, of: "A").isAcceptable)
        }
        try #require(try world.createGroup("one", with: ["C", "D", "E"], of: "A").isAcceptable)
        let harness = ServiceHarness(world)
        func members(_ size: Int32, _ token: String = "") throws -> GetFriendGroupResult {
            var request = GetFriendGroupsRequest()
            (request.userID, request.names, request.withMembers) = ("A", ["one"], true)
            (request.pageSize, request.pageToken) = (size, token)
            var result = GetFriendGroupResult()
            try harness.read(request, { GroupHandlers.get($0, world.profiles, $1, &$2) }) {
                result = try #require($0?.results.first)
            }
            return result
        }
        let first = try members(2)
        #expect(first.code == .success && first.userIDs == ["C", "D"])
        #expect(try members(2, first.nextPageToken).userIDs == ["E"])
        for size in [0, 3, 1_001, Int32.max] {
            let all = try members(size)
            #expect(all.userIDs == ["C", "D", "E"] && all.nextPageToken.isEmpty)
        }
        let error = #expect(throws: RPCError.self) { _ = try members(-1) }
        #expect(try error?.unpacked().fields == ["page_size"])
    }
}
