import GRPC
import Logging
import Protobuf
import RelationAPI
import RelationAccess
import RelationCore
import RelationModel
import RelationService
import Storage
import Testing

@testable import RelationAdmission
@testable import RelationClient

/// A real server with profiles, and a back end that is not an administrator, so that views differ.
final class ProfileService: Sendable {
    private static let key = "1.key.secret"

    let client: Client
    private let options: ClientOptions
    private let server: RelationServer

    /// Runs a server while `body` lasts.
    ///
    /// - Parameter change: Changes the settings of the app.
    static func run(
        _ change: (inout AppSettings) -> Void = { _ in },
        _ body: (ProfileService) async throws -> Void
    ) async throws {
        var settings = AppSettings.tim
        change(&settings)
        let service = try await ProfileService(settings)
        do {
            try await body(service)
        } catch {
            await service.stop()
            throw error
        }
        await service.stop()
    }

    private init(_ settings: AppSettings) async throws {
        var record = CredentialRecord()
        record.scopes = [.read, .write, .watch]
        record.digest = APIKey.digest(of: Self.key.utf8)
        let apps = Apps(
            [App(id: 1, settings: settings)],
            [AppCredentials(app: 1, secrets: [], credentials: [(CredentialID("key"), record)])])
        var rates = CallRates()
        (rates.app, rates.key, rates.user) = (nil, nil, nil)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        server = try RelationServer(
            store: MemoryStore(), authenticator: .guarded(apps, loops: 1, limits: rates),
            configuration: ServerConfiguration(), descriptors: [], logger: logger)
        let port = try await server.start().port
        var options = ClientOptions.patient(port: port)
        options.credential = .apiKey(Self.key)
        self.options = options
        client = try Client(options)
    }

    /// Another client, on a clock that the test advances.
    func client(
        _ clock: FakeClock, _ change: (inout ClientOptions) -> Void = { _ in }
    ) throws -> Client {
        var options = options
        change(&options)
        return try Client(options, clock: clock, chance: { .random(in: 0 ... .max) })
    }

    private func stop() async {
        await client.close()
        await server.stop()
    }

    // MARK: Writes

    /// Sets fields of a user's profile, and makes the account if there is none.
    ///
    /// - Returns: The user's sequence.
    @discardableResult
    func set(_ user: String, _ change: (inout Profile) -> Void) async throws -> Int64 {
        var profile = Profile()
        change(&profile)
        let answer = try await client.call(
            ProfileMethods.updateProfile,
            UpdateProfileRequest.with {
                $0.userID = user
                $0.profile = profile
            })
        #expect(answer.code == .success)
        return answer.sequence
    }

    /// Makes accounts, each with its id as the nick.
    func make(_ users: String...) async throws {
        try await make(users)
    }

    func make(_ users: [String]) async throws {
        for user in users { try await set(user) { $0.nick = user } }
    }

    @discardableResult
    func show(_ user: String, to visibility: Visibility) async throws -> Int64 {
        try await client.call(
            ProfileMethods.setVisibility,
            SetVisibilityRequest.with {
                $0.userID = user
                $0.visibility = visibility
            }
        ).sequence
    }

    @discardableResult
    func add(_ friend: String, to user: String, _ type: AddType = .single) async throws -> Int64 {
        try await client.call(
            FriendMethods.addFriends,
            AddFriendsRequest.with {
                $0.userID = user
                $0.items = [.with { $0.userID = friend }]
                $0.addType = type
            }
        ).sequence
    }

    @discardableResult
    func remove(
        _ friend: String, from user: String, _ type: DeleteType = .single
    ) async throws -> Int64 {
        try await client.call(
            FriendMethods.deleteFriends,
            DeleteFriendsRequest.with {
                $0.userID = user
                $0.userIDs = [friend]
                $0.deleteType = type
            }
        ).sequence
    }

    @discardableResult
    func block(_ other: String, by user: String) async throws -> Int64 {
        try await client.call(
            BlacklistMethods.addToBlacklist,
            AddToBlacklistRequest.with {
                $0.userID = user
                $0.userIDs = [other]
            }
        ).sequence
    }

    @discardableResult
    func unblock(_ other: String, by user: String) async throws -> Int64 {
        try await client.call(
            BlacklistMethods.removeFromBlacklist,
            RemoveFromBlacklistRequest.with {
                $0.userID = user
                $0.userIDs = [other]
            }
        ).sequence
    }

    // MARK: Reads

    /// The profiles as the server answers them now.
    func seen(_ users: [String], by viewer: String) async throws -> [GetProfileResult] {
        try await client.profiles(
            GetProfilesRequest.with {
                $0.userID = viewer
                $0.userIDs = users
            }
        ).results
    }
}
