import RelationClient

/// The part of a chat back end that knows who is whose friend.
///
/// All tasks of the back end share one value, and so one client.
struct Relations: Sendable {
    private let client: Client

    init(server: ServerAddress) throws {
        var options = ClientOptions(servers: [server])
        // A server without --insecure wants a credential, and one on another machine wants TLS:
        // options.credential = .apiKey(key)
        // options.security = .tls()

        // The server may be started again under the back end. Calls then wait for it, and those
        // whose answers were lost are made again. Nothing is done twice.
        options.waitsForReady = true
        options.timeout = .seconds(30)
        client = try Client(options)
    }

    func close() async {
        await client.close()
    }

    // MARK: Users

    /// Makes an account, whose friends must ask first; an account that is there gets the name.
    func join(_ user: String, as name: String) async throws -> String {
        if let refusal = try await makeAccount(user) { return "\(user) cannot join: \(refusal)" }
        let request = UpdateProfileRequest.with {
            $0.userID = user
            $0.profile = .with {
                $0.nick = name
                $0.allowType = .needConfirm
            }
        }
        let answer = try await client.call(ProfileMethods.updateProfile, request)
        return answer.code == .success ? "\(user) is \(name)" : "no such name: \(answer.reason)"
    }

    /// Imports one account, and returns the reason if it was refused.
    ///
    /// An import is a stream, which the client does not make again by itself when it breaks. An
    /// import may be repeated, so this back end does that.
    private func makeAccount(_ user: String) async throws -> Reason? {
        while true {
            do {
                let stream = client.stream(
                    AccountMethods.importAccounts, options: CallOptions(timeout: .seconds(30)))
                try await stream.send(
                    ImportAccountsRequest.with { $0.row = .with { $0.userID = user } })
                stream.finishSending()
                for try await message in stream {
                    if case .row(let row) = message.answer, row.reason != .existed {
                        return row.reason
                    }
                }
                return nil
            } catch let error as CallError where error.code == .unavailable {
                // The next stream waits for the server.
            }
        }
    }

    /// The names of users as `viewer` may see them.
    ///
    /// The client keeps profiles for as long as the server allows, which is a day by default. The
    /// changes that `follow` reads end them earlier.
    func names(of users: [String], as viewer: String) async throws -> [String] {
        try await client.profiles(of: users, as: viewer).map { $0.profile?.nick ?? "no such user" }
    }

    // MARK: Friends

    /// Asks `other` to be a friend of `user`.
    ///
    /// A call succeeds although items of it are refused: each result has a code and a reason.
    func add(_ other: String, for user: String, wording: String) async throws -> String {
        let item = AddFriend.with {
            $0.userID = other
            $0.wording = wording
            $0.source = "Chat"
        }
        let request = AddFriendsRequest.with {
            $0.userID = user
            $0.items = [item]
        }
        let answer = try await client.call(FriendMethods.addFriends, request)
        guard let result = answer.results.first else { return "no answer" }
        return switch (result.code, result.reason) {
        case (.success, _): "\(user) and \(other) are friends"
        case (.pending, _): "\(user) has asked \(other)"
        case (_, Reason.FriendAdd.friendExist): "\(other) is a friend already"
        default: "\(other) cannot be asked: \(result.reason)"
        }
    }

    /// Accepts the application of `applicant`.
    func accept(_ applicant: String, for user: String) async throws -> String {
        let item = FriendResponse.with {
            $0.userID = applicant
            $0.responseType = .agreeAndAdd
        }
        let request = RespondToApplicationsRequest.with {
            $0.userID = user
            $0.items = [item]
        }
        let answer = try await client.call(ApplicationMethods.respondToApplications, request)
        let result = answer.results.first
        return result?.code == .success
            ? "\(user) and \(applicant) are friends" : "\(applicant) has not asked \(user)"
    }

    /// The users that wait for an answer of `user`, each with its words.
    func applications(to user: String) async throws -> [String] {
        var found: [String] = []
        for try await application in client.pendencies(of: user, type: .comeIn) {
            found.append("\(application.userID) \"\(application.wording)\"")
        }
        return found
    }

    /// The ids of all friends, which come from the server page by page.
    func friends(of user: String) async throws -> [String] {
        var found: [String] = []
        for try await friend in client.friends(of: user, pageSize: 50) {
            found.append(friend.userID)
        }
        return found
    }

    // MARK: Changes

    /// Tells `say` of the changes of all users, until the task is cancelled.
    ///
    /// A stream that is lost is begun anew where it was, and no change is missed. A back end that
    /// keeps a copy also keeps `message.resumeToken` with it, and begins there the next time.
    func follow(_ say: @escaping @Sendable (String) -> Void) async throws {
        let request = WatchRequest.with {
            $0.scope = .app(true)
            $0.kinds = [.addFriendRequest, .addFriend, .deleteFriend, .profileChange]
        }
        var options = ChangesOptions()
        options.onReconnect = { say("(lost the changes, which go on: \($0.error.code))") }
        var isLive = false
        for try await message in client.changes(request, options: options) {
            // Before the first token comes the present state, which this back end does not keep.
            if !isLive, !message.resumeToken.isEmpty {
                isLive = true
                say("(following the changes)")
            }
            guard let event = message.event else { continue }
            for item in event.items {
                if let words = Self.words(for: event, item) { say("[\(event.userID)] \(words)") }
            }
        }
    }

    /// The sentence for the user to which an event belongs.
    private static func words(for event: ChangeEvent, _ item: ChangeItem) -> String? {
        switch event.kind {
        case .addFriendRequest where item.application?.pendencyType == .comeIn:
            "\(item.userID) wants to be your friend"
        case .addFriend: "\(item.userID) is your friend now"
        case .deleteFriend: "\(item.userID) is not your friend any more"
        case .profileChange: "you are \(item.profile?.nick ?? "?") now"
        // The present state, and events that this back end does not tell its users.
        default: nil
        }
    }
}
