import Protobuf
import RelationAPI
import RelationClient
import RelationModel
import StorageSuite

/// One client that makes random calls of all kinds.
struct BusyCaller {
    /// Codes that only an error of the server explains.
    private static let errors: Set = [
        StatusCode.internalError, .unknown, .dataLoss, .unimplemented,
    ]

    private static let methods = Dictionary(
        uniqueKeysWithValues: ServiceTable.all.map { ($0.name, $0) })

    private let service: BusyService
    private var numbers: SeededNumbers
    private let number: Int
    private var found: [String] = []
    private var keys: [String] = []

    init(_ service: BusyService, _ numbers: SeededNumbers, _ number: Int) {
        self.service = service
        self.numbers = numbers
        self.number = number
    }

    /// - Returns: The answers that it should not have got.
    mutating func run(rounds: Int) async -> [String] {
        do {
            var client = try service.client()
            for _ in 0..<rounds {
                do {
                    try await step(client)
                } catch let error as CallError {
                    if Self.errors.contains(error.code) { found.append("\(error)") }
                    if error.code == .unavailable { break }
                }
                if chance(20) {
                    await client.close()
                    client = try service.client(chance(2) ? keys.last : nil)
                }
            }
            await client.close()
        } catch {
            found.append("\(error)")
        }
        return found
    }

    private mutating func step(_ client: Client) async throws {
        switch Int.random(in: 0..<31, using: &numbers) {
        case 0..<8: try await write(client)
        case 8..<16: try await read(client)
        case 16..<22: try await watch(client)
        case 22..<25: try await presence(client)
        case 25: try await settings(client)
        case 26: try await credentials(client)
        case 27: try await stream(client, "ExportApp")
        case 28: try await stream(client, "CheckIntegrity")
        case 29: try await call(client, "ListPermissionDefinitions", "{\"page_size\": 2}")
        default: try await call(client, "GetStats", "{}")
        }
    }

    private mutating func write(_ client: Client) async throws {
        let (one, other) = (user(), user())
        let mine = "\"user_id\": \"\(one)\""
        let choices = [
            ("AddFriends", "{\(mine), \"items\": [{\"user_id\": \"\(other)\"}]}"),
            (
                "AddFriends",
                "{\(mine), \"items\": [{\"user_id\": \"\(other)\"}], \"force\": true}"
            ),
            ("DeleteFriends", "{\(mine), \"user_ids\": [\"\(other)\"], \"delete_type\": 2}"),
            ("AddToBlacklist", "{\(mine), \"user_ids\": [\"\(other)\"]}"),
            ("RemoveFromBlacklist", "{\(mine), \"user_ids\": [\"\(other)\"]}"),
            (
                "UpdateProfile",
                "{\(mine), \"profile\": {\"nick\": \"n\(number)\"}, \"update_mask\": \"nick\"}"
            ),
            (
                "Subscribe",
                """
                {\(mine), "user_ids": ["\(other)"], "subscribe_type": 1, "expiry_seconds": 60}
                """
            ),
            ("CreateFriendGroups", "{\(mine), \"names\": [\"g\(number)\"]}"),
        ]
        let (name, json) = choices[Int.random(in: choices.indices, using: &numbers)]
        try await call(client, name, json)
    }

    private mutating func read(_ client: Client) async throws {
        let (one, other) = (user(), user())
        let mine = "\"user_id\": \"\(one)\""
        let choices = [
            ("ListFriends", "{\(mine)}"), ("SearchFriends", "{\(mine), \"keyword\": \"n\"}"),
            ("CheckFriends", "{\(mine), \"user_ids\": [\"\(other)\"]}"),
            ("GetProfiles", "{\(mine), \"user_ids\": [\"\(other)\"]}"),
            ("GetPresence", "{\(mine), \"user_ids\": [\"\(other)\"]}"),
            ("ListChanges", "{\(mine)}"), ("SuggestFriends", "{\(mine)}"),
            ("GetFriendGroups", "{\(mine)}"), ("GetLimits", "{}"),
        ]
        let (name, json) = choices[Int.random(in: choices.indices, using: &numbers)]
        try await call(client, name, json)
    }

    /// Follows a user or the app for some messages, and leaves.
    private mutating func watch(_ client: Client) async throws {
        var request = WatchRequest()
        if chance(4) { request.scope = .app(true) } else { request.scope = .userID(user()) }
        let stream = client.stream(ChangeMethods.watch)
        try await stream.send(request)
        stream.finishSending()
        for _ in 0..<Int.random(in: 0..<6, using: &numbers) {
            guard let answer = try await stream.next() else { break }
            // After the present state, it is possible that nothing comes.
            if answer.event?.kind == .syncCompleted { break }
        }
        stream.cancel()
    }

    private mutating func presence(_ client: Client) async throws {
        try await call(
            client, "ReportPresence",
            """
            {"items": [{"user_id": "\(user())", "device_id": "d\(number)",
             "online": \(chance(2)), "lease_seconds": 30}]}
            """)
    }

    private mutating func settings(_ client: Client) async throws {
        let limit = Int.random(in: 5...50, using: &numbers)
        try await call(
            client, "UpdateApp",
            """
            {"settings": {"limits": {"friends": \(limit)}}, "update_mask": "limits.friends"}
            """)
    }

    private mutating func credentials(_ client: Client) async throws {
        var request = CreateCredentialRequest()
        request.name = "k\(number)"
        request.scopes = [.read, .write, .watch]
        let answer = try await client.call(AppMethods.createCredential, request)
        keys.append(answer.key)
        if keys.count > 2, let id = answer.credential?.credentialID {
            try await call(client, "RevokeCredential", "{\"credential_id\": \"\(id)\"}")
        }
        let made = try await client.call(
            AppMethods.createOperatorKey,
            CreateOperatorKeyRequest.with {
                $0.name = "o\(number)"
                $0.expireTimeMs = .max
            })
        _ = try await client.call(AppMethods.listOperatorKeys, ListOperatorKeysRequest())
        if let id = made.operatorKey?.credentialID {
            try await call(client, "RevokeOperatorKey", "{\"credential_id\": \"\(id)\"}")
        }
    }

    private func stream(_ client: Client, _ name: String) async throws {
        guard let method = Self.methods[name] else { return }
        try await client.exchange(method, [[]]) { _ in }
    }

    private mutating func call(_ client: Client, _ name: String, _ json: String) async throws {
        guard let method = Self.methods[name] else {
            found.append("there is no call \(name)")
            return
        }
        let request: [UInt8]
        do {
            request = try method.encodeRequest(json)
        } catch {
            found.append("\(name): \(error)")
            return
        }
        _ = try await client.call(method, request)
    }

    private mutating func user() -> String {
        BusyService.users.randomElement(using: &numbers) ?? ""
    }

    private mutating func chance(_ one: Int) -> Bool {
        Int.random(in: 0..<one, using: &numbers) == 0
    }
}
