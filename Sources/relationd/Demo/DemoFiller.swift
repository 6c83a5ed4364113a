import GRPC
import RelationAPI
import RelationClient
import RelationModel
import RelationService

/// Fills a demo by calls, so that what it begins with has passed the rules like all that follows.
struct DemoFiller {
    /// Where the server listens.
    let address: ListeningAddress
    /// The operator's key; nil for a server that asks for none.
    let key: String?

    private func client(of app: UInt32?) throws -> Client {
        // A server that listens on all addresses is reached by each of them.
        let host = ["0.0.0.0", "::"].contains(address.host) ? "127.0.0.1" : address.host
        var options = ClientOptions(host: host, port: address.port)
        options.credential = key.map { .apiKey($0) }
        options.appID = app
        options.timeout = .seconds(Limits.demoFillSeconds)
        return try Client(options)
    }

    /// Makes the apps of these names, and those of the fixture with all that they have.
    ///
    /// - Returns: The apps that were made, with their numbers.
    /// - Throws: ``FatalError``, which names the field of the fixture that the server refused.
    func fill(_ fixture: DemoFixture, apps names: [String]) async throws -> [(String, UInt32)] {
        do {
            try await fill(fixture.users, of: 1, at: "users")
            var made: [(String, UInt32)] = []
            for (index, app) in fixture.apps.enumerated() {
                let id = try await make(app, at: "apps[\(index)]")
                made.append((app.name, id))
                try await fill(app.users, of: id, at: "apps[\(index)].users")
            }
            for name in names where !made.contains(where: { $0.0 == name }) {
                var app = DemoApp()
                app.name = name
                made.append((name, try await make(app, at: "--app \(name)")))
            }
            return made
        } catch let error as CallError {
            throw FatalError("the demo cannot be filled: \(error.description)")
        }
    }

    private func make(_ app: DemoApp, at path: String) async throws -> UInt32 {
        let client = try client(of: nil)
        var request = CreateAppRequest()
        request.name = app.name
        request.preset = app.preset
        request.settings = app.settings
        do {
            let answer = try await client.call(AppMethods.createApp, request)
            await client.close()
            return answer.app?.appID ?? 0
        } catch let error as CallError {
            throw FatalError("\(path): \(error.description)")
        }
    }

    private func fill(_ users: [DemoUser], of app: UInt32, at path: String) async throws {
        guard !users.isEmpty else { return }
        let client = try client(of: app)
        try await importAccounts(users, at: path, client)
        for (index, user) in users.enumerated() {
            try await update(user, at: "\(path)[\(index)]", client)
        }
        try await importFriends(users, at: path, client)
        for (index, user) in users.enumerated() {
            try await add(user, at: "\(path)[\(index)]", client)
        }
        await client.close()
    }

    private func importAccounts(
        _ users: [DemoUser], at path: String, _ client: Client
    ) async throws {
        let requests = users.map { user in
            var request = ImportAccountsRequest()
            request.row = AccountRow()
            request.row?.userID = user.userID
            return request
        }
        let stream = client.stream(AccountMethods.importAccounts)
        try await send(requests, stream) { answer in
            guard case .row(let row)? = answer.answer else { return }
            let index = Int(row.rowNumber) - 1
            try Self.check(row.code, row.info, at: "\(path)[\(index)].user_id")
        }
    }

    private func importFriends(
        _ users: [DemoUser], at path: String, _ client: Client
    ) async throws {
        var requests: [ImportFriendsRequest] = []
        var paths: [String] = []
        for (index, user) in users.enumerated() {
            for (number, friend) in user.friends.enumerated() {
                var request = ImportFriendsRequest()
                request.row = friend.row(of: user.userID)
                requests.append(request)
                paths.append("\(path)[\(index)].friends[\(number)]")
            }
        }
        guard !requests.isEmpty else { return }
        let stream = client.stream(MaintenanceMethods.importFriends)
        try await send(requests, stream) { answer in
            guard case .row(let row)? = answer.answer else { return }
            let index = Int(row.rowNumber) - 1
            try Self.check(
                row.code, row.info, at: paths.indices.contains(index) ? paths[index] : path)
        }
    }

    /// Sends all rows while it reads the answers, as the stream's windows demand.
    private func send<Request: Message, Response: Message>(
        _ requests: [Request], _ stream: CallStream<Request, Response>,
        _ body: (Response) throws -> Void
    ) async throws {
        let sender = Task {
            try await stream.send(contentsOf: requests)
            stream.finishSending()
        }
        do {
            while let answer = try await stream.next() { try body(answer) }
        } catch {
            sender.cancel()
            stream.cancel()
            throw error
        }
        try await sender.value
    }

    private func update(_ user: DemoUser, at path: String, _ client: Client) async throws {
        guard let profile = user.profile else { return }
        var request = UpdateProfileRequest()
        request.userID = user.userID
        request.profile = profile
        let answer = try await checked("\(path).profile") {
            try await client.call(ProfileMethods.updateProfile, request)
        }
        guard answer.code != .success else { return }
        let words = answer.violations.map { violation in
            let code = violation.code.map { $0.name ?? "\($0.rawValue)" }
            return [violation.key, code ?? "", violation.info].filter { !$0.isEmpty }
                .joined(separator: " ")
        }.joined(separator: "; ")
        throw FatalError("\(path).profile: \(answer.info.isEmpty ? words : answer.info)")
    }

    private func add(_ user: DemoUser, at path: String, _ client: Client) async throws {
        // Groups that friends name are there already.
        let groups = user.groups.filter { name in
            !user.friends.contains { $0.groups.contains(name) }
        }
        if !groups.isEmpty {
            var request = CreateFriendGroupsRequest()
            request.userID = user.userID
            request.names = groups
            let answer = try await checked("\(path).groups") {
                try await client.call(GroupMethods.createFriendGroups, request)
            }
            for result in answer.results {
                try Self.check(result.code, result.info, at: "\(path).groups \(result.name)")
            }
        }
        guard !user.blacklist.isEmpty else { return }
        var request = AddToBlacklistRequest()
        request.userID = user.userID
        request.userIDs = user.blacklist
        let answer = try await checked("\(path).blacklist") {
            try await client.call(BlacklistMethods.addToBlacklist, request)
        }
        for result in answer.results {
            try Self.check(result.code, result.info, at: "\(path).blacklist \(result.userID)")
        }
    }

    /// The answer of a call about a field of the fixture.
    private func checked<Answer: Sendable>(
        _ path: String, _ body: () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await body()
        } catch let error as CallError {
            throw FatalError("\(path): \(error.description)")
        }
    }

    private static func check(
        _ code: FriendStatus?, _ info: String, at path: String
    ) throws(FatalError) {
        guard let code, code != .success else { return }
        throw FatalError("\(path): \(code.name ?? "\(code.rawValue)") \(info)")
    }
}
