import Protobuf
import RelationAPI
import RelationClientTesting
import RelationModel
import Synchronization

@testable import RelationClient

/// A server of friend lists and blacklists in memory, whose log and streams a test decides.
final class ChainServer: Sendable {
    private struct User {
        var friends: [String: Friend] = [:]
        var blacklist: [String: BlacklistEntry] = [:]
        var log: [ChangeEvent] = []
        var sequence: Int64 = 0
        /// The log has the events after this sequence.
        var floor: Int64 = 0
    }

    private typealias Session = (
        stream: AsyncThrowingStream<WatchResponse, any Error>,
        continuation: AsyncThrowingStream<WatchResponse, any Error>.Continuation
    )

    /// The most rows and events of a page.
    private static let pageRows = 2

    let double = RelationDouble()
    let clock = FakeClock(skipsSleeps: true, upTo: .seconds(1))
    /// The place that answers of ListChanges pass on their way back.
    let changesGate = AsyncGate()
    /// The place that answers of ListFriends pass on their way back.
    let friendsGate = AsyncGate()
    private let users = Mutex<[String: User]>([:])
    private let session: Mutex<Session>

    init() {
        session = Mutex(AsyncThrowingStream<WatchResponse, any Error>.makeStream())
        answerReads()
        answerWrites()
        double.serve(ChangeMethods.watch) { [self] stream in
            _ = try await stream.next()
            let messages = session.withLock { $0.stream }
            for try await message in messages { try stream.send(message) }
        }
    }

    /// A client of this server on its clock, which makes no call again.
    func client(_ change: (inout ChainCacheOptions) -> Void = { _ in }) throws -> Client {
        var options = ClientOptions()
        options.retries = nil
        change(&options.chainCache)
        return Client(
            options, try options.configuration(), ClientClock(clock), .system, double: double)
    }

    // MARK: Changes

    /// Changes a user's lists by an event, which gets the next sequence.
    @discardableResult
    func change(_ user: String, _ event: ChangeEvent) -> ChangeEvent {
        users.withLock { users in
            var event = event
            var state = users[user] ?? User()
            state.sequence += 1
            event.userID = user
            event.sequence = state.sequence
            for index in event.items.indices {
                let other = event.items[index].userID
                switch event.kind {
                case .addFriend, .friendChange:
                    event.items[index].friendEntry?.sequence = state.sequence
                    state.friends[other] = event.items[index].friendEntry
                case .deleteFriend: state.friends[other] = nil
                case .addBlacklist: state.blacklist[other] = event.items[index].blacklistEntry
                case .deleteBlacklist: state.blacklist[other] = nil
                default: break
                }
            }
            state.log.append(event)
            users[user] = state
            return event
        }
    }

    @discardableResult
    func add(_ friend: String, to user: String, remark: String = "") -> ChangeEvent {
        change(
            user,
            .with {
                $0.kind = .addFriend
                $0.items = [
                    .with {
                        $0.userID = friend
                        $0.friendEntry = .with {
                            $0.userID = friend
                            $0.remark = remark
                        }
                    }
                ]
            })
    }

    @discardableResult
    func remove(_ friend: String, from user: String) -> ChangeEvent {
        change(
            user,
            .with {
                $0.kind = .deleteFriend
                $0.items = [.with { $0.userID = friend }]
            })
    }

    @discardableResult
    func block(_ other: String, by user: String, at time: Int64 = 1) -> ChangeEvent {
        change(
            user,
            .with {
                $0.kind = .addBlacklist
                $0.items = [
                    .with {
                        $0.userID = other
                        $0.blacklistEntry = .with {
                            $0.userID = other
                            $0.addTimeMs = time
                        }
                    }
                ]
            })
    }

    /// An event that changes no list.
    @discardableResult
    func rename(_ user: String) -> ChangeEvent {
        change(user, .with { $0.kind = .profileChange })
    }

    /// Cuts the log: ListChanges cannot tell what was before.
    func trim(_ user: String) {
        users.withLock { users in
            let sequence = users[user]?.sequence ?? 0
            users[user]?.floor = sequence
        }
    }

    /// Changes a user's lists in bulk, which the event does not name.
    func importFriends(_ friends: String..., of user: String) {
        change(user, .with { $0.kind = .listChanged })
        users.withLock { users in
            for friend in friends { users[user]?.friends[friend] = .with { $0.userID = friend } }
        }
    }

    /// Takes the place of another store, in which nothing has happened.
    func beginAnew() {
        users.withLock { $0 = [:] }
    }

    // MARK: Streams

    /// Sends an event on the open stream, or on the next one.
    func notify(_ event: ChangeEvent?, token: String = "token") {
        session.withLock {
            _ = $0.continuation.yield(
                .with {
                    $0.resumeToken = token
                    $0.event = event
                })
        }
    }

    /// Ends the stream; what is sent later comes on the next one.
    func cut(_ error: CallError = CallError(code: .unavailable, message: "cut")) {
        let ended = session.withLock { session in
            defer { session = AsyncThrowingStream<WatchResponse, any Error>.makeStream() }
            return session.continuation
        }
        ended.finish(throwing: error)
    }

    // MARK: Requests

    /// The sequences that ListChanges was asked for so far.
    var asked: [Int64] {
        double.requests(of: ChangeMethods.listChanges).filter(\.pageToken.isEmpty)
            .map(\.sinceSequence)
    }

    /// How often all rows were read.
    var loads: Int { double.requests(of: ChangeMethods.getSequence).count }

    private func user(_ user: String) -> User { users.withLock { $0[user] ?? User() } }

    private func answerReads() {
        double.answer(ChangeMethods.getSequence) { [self] request in
            let user = user(request.userID)
            if request.options?.minSequence?.sequence ?? 0 > user.sequence { throw Self.notIssued }
            return .with { $0.sequence = user.sequence }
        }
        double.answer(FriendMethods.listFriends) { [self] request in
            let page = Self.page(user(request.userID).friends, request.pageToken)
            try await friendsGate.pass()
            return .with {
                $0.friends = page.rows
                $0.nextPageToken = page.next
            }
        }
        double.answer(BlacklistMethods.listBlacklist) { [self] request in
            let page = Self.page(user(request.userID).blacklist, request.pageToken)
            return .with {
                $0.entries = page.rows
                $0.nextPageToken = page.next
            }
        }
        double.answer(ChangeMethods.listChanges) { [self] request in
            let user = user(request.userID)
            let since = request.sinceSequence
            if request.options?.minSequence?.sequence ?? 0 > user.sequence { throw Self.notIssued }
            let isLost = since < user.floor || since > user.sequence
            let start = Int64(request.pageToken) ?? since
            let rest = user.log.filter {
                $0.sequence > start && request.kinds.contains($0.kind)
            }
            let events = Array(rest.prefix(Self.pageRows))
            try await changesGate.pass()
            return .with {
                $0.events = isLost ? [] : events
                if !isLost, rest.count > events.count, let last = events.last {
                    $0.nextPageToken = "\(last.sequence)"
                }
                $0.sequence = user.sequence
                $0.resync = isLost
            }
        }
    }

    private static let notIssued = CallError(
        code: .invalidArgument, message: "never issued", reason: "SEQUENCE_NOT_ISSUED")

    /// A page of rows in the order of their ids; its token is the last id.
    private static func page<Row>(
        _ rows: [String: Row], _ token: String
    ) -> (rows: [Row], next: String) {
        let rest = rows.filter { $0.key > token }.sorted { $0.key < $1.key }
        let page = rest.prefix(pageRows)
        return (page.map(\.value), rest.count > page.count ? page.last?.key ?? "" : "")
    }

    /// The writes make one event each for the acting user.
    private func answerWrites() {
        double.answer(FriendMethods.addFriends) { [self] request in
            let friend = request.items.first?.userID ?? ""
            let event = add(friend, to: request.userID, remark: request.items.first?.remark ?? "")
            if request.addType == .both { add(request.userID, to: friend) }
            return .with {
                $0.sequence = event.sequence
                $0.applied = true
                $0.results = [.with { $0.changed = true }]
            }
        }
        double.answer(FriendMethods.deleteFriends) { [self] request in
            let friend = request.userIDs.first ?? ""
            let event = remove(friend, from: request.userID)
            return .with {
                $0.sequence = event.sequence
                $0.applied = true
                $0.results = [
                    .with {
                        $0.userID = friend
                        $0.changed = true
                    }
                ]
            }
        }
        double.answer(BlacklistMethods.removeFromBlacklist) { [self] request in
            let other = request.userIDs.first ?? ""
            let event = change(
                request.userID,
                .with {
                    $0.kind = .deleteBlacklist
                    $0.items = [.with { $0.userID = other }]
                })
            return .with {
                $0.sequence = event.sequence
                $0.applied = true
                $0.results = [
                    .with {
                        $0.userID = other
                        $0.changed = true
                    }
                ]
            }
        }
    }
}

extension Client {
    /// Adds a friend by a write of this client.
    func add(_ friend: String, to user: String, _ type: AddType = .single) async throws {
        _ = try await call(
            FriendMethods.addFriends,
            .with {
                $0.userID = user
                $0.items = [.with { $0.userID = friend }]
                $0.addType = type
            })
    }

    /// Deletes a friend by a write of this client.
    func remove(_ friend: String, from user: String) async throws {
        _ = try await call(
            FriendMethods.deleteFriends,
            .with {
                $0.userID = user
                $0.userIDs = [friend]
            })
    }

    /// The ids of a user's friends by the cache.
    func friendIDs(_ user: String) async throws -> [String] {
        try await chainCache.friends(of: user).map(\.userID)
    }
}
