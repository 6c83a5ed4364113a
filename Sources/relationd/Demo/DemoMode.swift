import AdminEndpoints
import GRPC
import Protobuf
import RelationAdmission
import RelationCalls
import RelationService
import Storage
import Synchronization

/// The parts of a demo that a server in production lacks: a clock that is set, faults on demand,
/// and the contents with which it begins.
///
/// A server in production has no object of this type. So nothing of it is asked for in a call.
final class DemoMode: Sendable {
    let clock = DemoClock()
    let faults = RequestedFaults()
    private let fixture: DemoFixture
    private let file: FixtureFile?
    private let names: [String]
    private let isKept: Bool
    private let state = Mutex(State())

    private struct State {
        /// The operator's key; nil if the server asks for none.
        var key: String?
        var server: RelationServer?
        var apps: [(String, UInt32)] = []
    }

    /// - Parameter file: The file of the fixture, whose lines errors name.
    init(_ fixture: DemoFixture, from file: FixtureFile?, apps names: [String], isKept: Bool) {
        self.fixture = fixture
        self.file = file
        self.names = names
        self.isKept = isKept
    }

    /// Makes the key, if the server asks for one: the keys of an earlier time end.
    func begin(in store: any Store, _ settings: Configuration) throws {
        guard !settings.isOpen else { return }
        do throws(StorageError) {
            let answer = try OwnerRequest(.replace).answer(in: store, at: clock.service.now())
            guard answer.refusal.isEmpty else { throw StorageError(.failed, answer.refusal) }
            state.withLock { $0.key = answer.key }
        } catch {
            throw FatalError("the demo has no key: \(error.message)")
        }
    }

    /// Fills the store, before any client knows where the server is.
    func fill(_ server: RelationServer, at address: ListeningAddress) async throws {
        let key = state.withLock { $0.key }
        let filler = DemoFiller(address: address, key: key)
        let apps: [(String, UInt32)]
        do {
            apps = try await filler.fill(fixture, apps: names)
        } catch let error as FatalError {
            throw file?.located(error) ?? error
        }
        state.withLock { state in
            state.apps = apps
            state.server = server
        }
    }

    // MARK: - What it prints

    /// Prints the lines that follow the addresses.
    func announce(_ address: ListeningAddress, _ pages: String?, hasConsole: Bool) {
        let (key, apps) = state.withLock { ($0.key, $0.apps) }
        if let pages {
            if hasConsole { print("console on \(pages)/") }
            print("clock on \(pages)\(Self.clockPath)")
        }
        if let key { print("key \(key)") }
        for (name, number) in apps { print("app \(JSONQuote.plain(name)) is \(number)") }
        let header = key.map { " -H 'authorization: Bearer \($0)' -H 'x-app-id: 1'" } ?? ""
        // An empty demo has no user whose friends could be asked for.
        let (call, request) =
            fixture.users.first.map {
                ("FriendService/ListFriends", #"{"userId":"\#($0.userID)"}"#)
            } ?? ("AppService/GetLimits", "{}")
        print(
            """
            try: curl -s http://\(address)/relation.v1.\(call)\(header) \
            -H 'content-type: application/json' -d '\(request)'
            \(isKept ? "the data stays" : "nothing is kept")
            ready
            """)
    }

    // MARK: - The clock

    static let clockPath = "/demo/clock"

    /// The admin endpoints of a demo.
    var endpoints: [AdminEndpoint] {
        [AdminEndpoint.posted(Self.clockPath) { [self] in answer($0) }]
    }

    private func answer(_ post: AdminPost?) -> AdminAnswer {
        guard let post else { return AdminAnswer(.json, clock.json) }
        let (key, server) = state.withLock { ($0.key, $0.server) }
        guard let server else { return AdminAnswer(status: 503, "the demo is being filled\n") }
        guard key == nil || post.authorization == key.map({ "Bearer \($0)" }) else {
            return AdminAnswer(status: 401, "authorization: Bearer KEY is missing\n")
        }
        guard let text = String(validating: post.body, as: UTF8.self) else {
            return AdminAnswer(status: 400, "the body is not UTF-8\n")
        }
        do throws(DemoClock.Refusal) {
            try clock.apply(text)
        } catch {
            return AdminAnswer(status: 400, error.words + "\n")
        }
        server.timeHasMoved()
        return AdminAnswer(.json, clock.json)
    }
}
