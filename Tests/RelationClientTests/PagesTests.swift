import GRPC
import Logging
import Memory
import PeerSupport
import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationService
import Storage
import Synchronization
import Testing

@testable import RelationAdmission
@testable import RelationClient
@testable import RelationRuntime

/// Lists that are read page by page: the calls that have pages, and the real service.
@Suite(.endsWhenHung)
struct PagesTests {
    // MARK: The contract

    /// The calls with a page token that cannot be walked as one list.
    ///
    /// Each group of GetFriendGroups has a token of its own, and `members(ofGroup:of:)` reads one
    /// group.
    private static let exceptions: Set = ["GetFriendGroups"]

    /// The calls that are paged by another field.
    private static let others: Set = ["ListPendencies"]

    @Test func everyCallWithPagesCanBeWalked() {
        var paged: Set<String> = []
        var walked: Set<String> = []
        for method in ServiceTable.all {
            let token = method.request.fields.first { $0.name == "page_token" }
            if token != nil { paged.insert(method.name) }
            let (request, answer) = types(method.typed)
            #expect(request == answer, "\(method.name)")
            if request { walked.insert(method.name) }
        }
        #expect(paged.count > 15)
        #expect(walked == paged.subtracting(Self.exceptions).union(Self.others))
    }

    private func types(_ method: some TypedMethod) -> (request: Bool, answer: Bool) {
        func types<M: TypedMethod>(_ method: M) -> (request: Bool, answer: Bool) {
            (M.Request.self is any PagedRequest.Type, M.Response.self is any PagedAnswer.Type)
        }
        return types(method)
    }

    // MARK: A service that answers what the test says

    /// A service of one list, whose pages a test gives.
    private final class ListService: Dispatcher {
        private let state = Mutex<
            (pages: [Result<ListFriendsResponse, RPCError>], asked: [String])
        >(
            ([], []))

        /// The page tokens that were asked for.
        var asked: [String] { state.withLock { $0.asked } }

        func answer(_ pages: [Result<ListFriendsResponse, RPCError>]) {
            state.withLock { $0.pages = pages }
        }

        fileprivate func next(
            _ request: ListFriendsRequest
        ) -> Result<ListFriendsResponse, RPCError> {
            state.withLock { state in
                state.asked.append(request.pageToken)
                return state.pages.isEmpty
                    ? .failure(RPCError(.internalError, "no page is left"))
                    : state.pages.removeFirst()
            }
        }

        var methods: [ServedMethod] {
            let method = FriendMethods.listFriends
            return [
                .unary(method.path) { [self] bytes, call in
                    do {
                        let request = try Client.message(Array(bytes), method.requestCoder)
                        let page = try next(request).get()
                        let answer = try Client.bytes(of: page, method.responseCoder)
                        call.respond { $0.append(answer) }
                    } catch let error as RPCError {
                        call.fail(error)
                    } catch {
                        call.fail(RPCError(.internalError, "\(error)"))
                    }
                }
            ]
        }
    }

    private static var logger: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }

    private func start(_ service: ListService) async throws -> (server: Server, client: Client) {
        let server = Server(
            configuration: ServerConfiguration(), dispatchers: [service], logger: Self.logger)
        let port = try await server.start().port
        var options = ClientOptions.patient(port: port)
        options.retries = nil
        return (server, try Client(options))
    }

    private func page(_ friends: [String], next: String) -> Result<ListFriendsResponse, RPCError> {
        .success(
            ListFriendsResponse.with {
                $0.friends = friends.map { user in Friend.with { $0.userID = user } }
                $0.nextPageToken = next
            })
    }

    @Test func onlyAMissingTokenEndsAList() async throws {
        let service = ListService()
        let (server, client) = try await start(service)
        service.answer([
            page([], next: "1"), page(["a", "b"], next: "2"), page([], next: "3"),
            page(["c"], next: ""),
        ])
        let friends = try await client.friends(of: "x").all()
        #expect(friends.map(\.userID) == ["a", "b", "c"])
        #expect(service.asked == ["", "1", "2", "3"])
        service.answer([page([], next: "")])
        #expect(try await client.friends(of: "x").all() == [])
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func aListBeginsAtTheTokenOfItsRequest() async throws {
        let service = ListService()
        let (server, client) = try await start(service)
        service.answer([page(["a"], next: "8"), page(["b"], next: "")])
        let request = ListFriendsRequest.with {
            $0.userID = "x"
            $0.pageToken = "7"
        }
        var pages: [[String]] = []
        for try await page in client.pages(FriendMethods.listFriends, request) {
            pages.append(page.friends.map(\.userID))
        }
        #expect(pages == [["a"], ["b"]])
        #expect(service.asked == ["7", "8"])
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func aLoopThatIsLeftAsksForNoMore() async throws {
        let service = ListService()
        let (server, client) = try await start(service)
        service.answer([page(["a", "b"], next: "1"), page(["c"], next: "")])
        for try await friend in client.friends(of: "x") where friend.userID == "b" { break }
        #expect(service.asked == [""])
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func anErrorReachesTheReaderThatMayAskForThePageAgain() async throws {
        let service = ListService()
        let (server, client) = try await start(service)
        service.answer([
            page(["a"], next: "1"), .failure(RPCError(.aborted, "lost")), page(["b"], next: ""),
        ])
        var reader = client.friends(of: "x").makeAsyncIterator()
        #expect(try await reader.next()?.userID == "a")
        let error = await #expect(throws: CallError.self) { try await reader.next() }
        #expect(error?.code == .aborted)
        #expect(try await reader.next()?.userID == "b")
        #expect(try await reader.next() == nil)
        #expect(try await reader.next() == nil)
        #expect(service.asked == ["", "1", "1"])
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func aReaderThatIsCancelledGetsCancellationError() async throws {
        let service = ListService()
        let (server, client) = try await start(service)
        service.answer([page(["a"], next: "1")])
        let (gate, open) = AsyncStream<Void>.makeStream()
        let reader = Task {
            var read: [String] = []
            for try await friend in client.friends(of: "x") {
                read.append(friend.userID)
                for await _ in gate {}
            }
            return read
        }
        while service.asked.isEmpty { await Task.yield() }
        reader.cancel()
        open.finish()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(service.asked == [""])
        await client.close()
        await server.shutDownGracefully()
    }

    // MARK: The real service

    private static let people = (1...7).map { "p\($0)" }

    private func startService() async throws -> (server: RelationServer, client: Client) {
        var settings = AppSettings.tim
        settings.makesAccountsImplicitly = true
        let server = try RelationServer(
            store: MemoryStore(), authenticator: .open(to: Apps([App(id: 1, settings: settings)])),
            configuration: ServerConfiguration(), descriptors: Contract.descriptors,
            logger: Self.logger)
        let port = try await server.start().port
        return (server, try Client(ClientOptions.patient(port: port)))
    }

    @Test func theFriendListsOfTheServiceAreReadToTheirEnds() async throws {
        let (server, client) = try await startService()
        for user in ["ann", "ben"] {
            let items = Self.people.map { person in
                AddFriend.with {
                    $0.userID = person
                    $0.remark = "friend \(person)"
                }
            }
            _ = try await client.call(
                FriendMethods.addFriends,
                AddFriendsRequest.with {
                    $0.userID = user
                    $0.items = items
                })
        }
        for size in [0, 1, 2, 3, 1_000] as [Int32] {
            let friends = try await client.friends(
                of: "ann", order: .userID, direction: .descending, fields: ["remark"],
                pageSize: size
            ).all()
            #expect(friends.map(\.userID) == Self.people.reversed())
            #expect(friends.last?.remark == "friend p1")
            let found = try await client.friends(of: "ann", matching: "friend", pageSize: size)
                .all()
            #expect(found.map(\.userID) == Self.people)
            let mutual = try await client.mutualFriends(of: "ann", and: "ben", pageSize: size).all()
            #expect(mutual == Self.people)
            let suggested = try await client.suggestedFriends(for: "p1", pageSize: size).all()
            #expect(Set(suggested.map(\.userID)) == Set(Self.people).subtracting(["p1"]))
            var copy: [String] = []
            var sequence: Int64 = 0
            for try await page in client.friendChanges(of: "ann", since: 0, pageSize: size) {
                copy += page.friends.map(\.userID)
                sequence = page.sequence
            }
            #expect(copy.sorted() == Self.people && sequence == 1)
        }
        await #expect(throws: ListRefusal.self) {
            try await client.mutualFriends(of: "ann", and: "").all()
        }
        let error = await #expect(throws: CallError.self) {
            try await client.items(
                of: FriendMethods.listFriends,
                ListFriendsRequest.with {
                    $0.userID = "ann"
                    $0.pageToken = "not a token"
                }
            ).all()
        }
        #expect(error?.code == .invalidArgument)
        await client.close()
        await server.stop()
    }

    /// The users that have accepted Ann's application.
    private static let friends = Array(people.prefix(3))

    /// Makes rows for each of the lists of a user.
    private func fillLists(_ client: Client) async throws {
        for user in Self.people {
            _ = try await client.call(
                ProfileMethods.updateProfile,
                UpdateProfileRequest.with {
                    $0.userID = user
                    $0.profile = .with { $0.allowType = .needConfirm }
                })
        }
        _ = try await client.call(
            FriendMethods.addFriends,
            AddFriendsRequest.with {
                $0.userID = "ann"
                $0.items = Self.people.map { person in AddFriend.with { $0.userID = person } }
            })
        let answers = Self.friends.map { user in
            RespondToApplicationsRequest.with {
                $0.userID = user
                $0.items = [
                    .with {
                        $0.userID = "ann"
                        $0.responseType = .agreeAndAdd
                    }
                ]
            }
        }
        for answer in answers {
            _ = try await client.call(ApplicationMethods.respondToApplications, answer)
        }
        _ = try await client.call(
            GroupMethods.createFriendGroups,
            CreateFriendGroupsRequest.with {
                $0.userID = "ann"
                $0.names = ["near", "far"]
                $0.userIDs = Self.friends
            })
        _ = try await client.call(
            BlacklistMethods.addToBlacklist,
            AddToBlacklistRequest.with {
                $0.userID = "ben"
                $0.userIDs = Self.people
            })
        for type in [SubscribeType.onlineStatus, .userProfile] {
            _ = try await client.call(
                SubscriptionMethods.subscribe,
                SubscribeRequest.with {
                    $0.userID = "ann"
                    $0.subscribeType = type
                    $0.userIDs = Self.people
                    $0.expirySeconds = 3_600
                })
        }
    }

    @Test func theOtherListsOfAUserAreReadToTheirEnds() async throws {
        let (server, client) = try await startService()
        try await fillLists(client)
        let (people, friends) = (Self.people, Self.friends)
        for size in [0, 1, 2, 100] as [Int32] {
            let all = try await client.applications(of: "ann", pageSize: size).all()
            #expect(all.count == 7)
            let waiting = try await client.applications(
                of: "ann", type: .sendOut, statuses: [.unhandled], pageSize: size
            ).all()
            #expect(Set(waiting.map(\.userID)) == Set(people).subtracting(friends))
            let pendencies = try await client.pendencies(
                of: "ann", type: .both, pageSize: size
            ).all()
            #expect(Set(pendencies.map(\.userID)) == Set(people).subtracting(friends))
            #expect(pendencies.count == 4)
            let members = try await client.members(
                ofGroup: "far", of: "ann", pageSize: size
            ).all()
            #expect(members == friends)
            let blocked = try await client.blacklist(of: "ben", pageSize: size).all()
            #expect(blocked.map(\.userID).sorted() == people)
            let followed = try await client.subscriptions(of: "ann", pageSize: size).all()
            #expect(followed.count == 14)
            // The first page begins behind some rows, and the pages after it at their tokens.
            let rest = try await client.items(
                of: SubscriptionMethods.listSubscriptions,
                ListSubscriptionsRequest.with {
                    $0.userID = "ann"
                    $0.pageSize = size
                    $0.startIndex = 5
                }
            ).all()
            #expect(rest == Array(followed.dropFirst(5)))
            var sequences: [Int64] = []
            var last: Int64 = 0
            for try await page in client.loggedChanges(of: "ann", since: 1, pageSize: size) {
                sequences += page.events.map(\.sequence)
                last = page.sequence
            }
            #expect(sequences == Array(2...last))
            let accounts = try await client.accounts(pageSize: size).all()
            #expect(Set(accounts.map(\.userID)) == Set(people + ["ann", "ben"]))
        }
        let groups = try await client.friendGroups(of: "ann").all()
        #expect(groups.map(\.name) == ["near", "far"])
        #expect(try await client.friendGroups(of: "ben").all() == [])
        await #expect(throws: ListRefusal.self) {
            try await client.members(ofGroup: "nowhere", of: "ann").all()
        }
        await client.close()
        await server.stop()
    }

    @Test func theListsOfAnAppAreReadToTheirEnds() async throws {
        let (server, client) = try await startService()
        // The calls of an app's administrator need the app's own row.
        _ = try await client.call(
            AppMethods.createApp,
            CreateAppRequest.with {
                $0.appID = 1
                $0.name = "one"
                $0.settings = .with { $0.makesAccountsImplicitly = true }
            })
        let fields = ["KeyA", "KeyB", "KeyC"].map { key in
            CustomFieldMessage.with {
                $0.owner = .profile
                $0.key = key
                $0.valueType = .string
            }
        }
        _ = try await client.call(
            AppMethods.defineCustomFields, DefineCustomFieldsRequest.with { $0.items = fields })
        _ = try await client.call(
            AppMethods.registerClientApp,
            RegisterClientAppRequest.with {
                $0.clientAppID = "game"
                $0.name = "Game"
            })
        for user in ["ann", "p1", "p2", "p3"] {
            _ = try await client.call(
                ConsentMethods.grantPermissions,
                GrantPermissionsRequest.with {
                    $0.userID = user
                    $0.clientAppID = "game"
                    $0.names = ["public_profile", "user_friends", "email"]
                })
        }
        _ = try await client.call(
            FriendMethods.addFriends,
            AddFriendsRequest.with {
                $0.userID = "ann"
                $0.items = ["p1", "p2", "p3", "p4"].map { person in
                    AddFriend.with { $0.userID = person }
                }
            })
        for size in [0, 1, 2] as [Int32] {
            let keys = try await client.customFields(of: .profile, pageSize: size).all()
            #expect(keys.map(\.key) == ["KeyA", "KeyB", "KeyC"])
            let granted = try await client.permissions(
                of: "ann", clientAppID: "game", pageSize: size
            ).all()
            #expect(granted.count == 3)
            let friends = try await client.appFriends(
                of: "ann", clientAppID: "game", pageSize: size
            ).all()
            #expect(friends.map(\.userID) == ["p1", "p2", "p3"])
        }
        await client.close()
        await server.stop()
    }
}
