import Logging
import Memory
import NIOCore
import NIOPosix
import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import GRPC
@testable import RelationAdmission
@testable import RelationCalls
@testable import RelationRuntime
@testable import RelationService

/// The service without a wire: a request goes through its handler, as a write or as a read.
final class ServiceHarness {
    let world: World
    var isAdmin = true
    /// The source that a history keeps of each write.
    var source: CallSource?

    private let arena = Arena()

    init(_ world: World) {
        self.world = world
    }

    deinit {
        arena.free()
    }

    /// Puts the app with its settings into the registry, so that calls may change it.
    func register() throws {
        let settings = world.settings
        var making = AppRules.Making()
        making.id = world.app.id
        for setting in AppSetting.all where setting.value(in: settings) != setting.value(in: .tim) {
            making.settings.append(setting.record(of: setting.value(in: settings)))
        }
        try world.store.write(touching: []) { (transaction) throws(StorageError) in
            let ledger = Ledger(
                app: .registry, now: world.now, origin: Origin(user: nil),
                transaction: transaction)
            _ = try AppRules.create(making, in: ledger)
            try ledger.close()
        }
    }

    /// The service over a copy of all rows.
    func copy() throws -> ServiceHarness {
        let store = try #require(world.store as? MemoryStore)
        let copy = try World(on: MemoryStore(rowsOf: store), settings: world.settings)
        copy.now = world.now
        let harness = ServiceHarness(copy)
        harness.isAdmin = isAdmin
        return harness
    }

    func write<Request: WriteRequest, Response: WriteResponse>(
        _ method: Protobuf.Method<Request, Response>, _ request: Request,
        _ handler: (Request, Call, inout Violations) -> Work<Response>
    ) throws -> Result<Response, RPCError> {
        var violations = Violations()
        let call = call(Request.actsForUser ? request.userID : nil, &violations)
        var work = handler(request, call, &violations)
        guard violations.isEmpty else { return .failure(violations.error) }
        WriteInvocation<Response>.addKeys(
            call, request.options ?? WriteOptions(), to: &work.keys)
        let bytes = try Arena.temporary { (arena) throws(CodecError) in
            try method.requestCoder.bytes(request, arena)
        }
        let apps = Apps([world.app])
        let invocation = WriteInvocation(
            work, call, request.options ?? WriteOptions(), on: WrittenList(of: method.service),
            apps: apps, digest: Digest.of(bytes), coder: method.responseCoder,
            handle: Self.handle, deadline: nil, source: source)
        let keys = invocation.keys
        var succeeded = false
        defer {
            world.memory.didCommit(succeeded)
        }
        try world.store.write(touching: keys.partitions) { (transaction) throws(StorageError) in
            try transaction.prefetch(keys)
            let watched = WatchedTransaction(transaction)
            try invocation.run(in: watched)
            world.memory.willCommit(watched)
        }
        succeeded = true
        apps.publish()
        if let app = apps[world.app.id] { world.app = app }
        return invocation.answer
    }

    /// The answer of a read, or its error; nil if the acting user has no account.
    func read<Request: ReadRequest, Response>(
        _ request: Request,
        _ handler: (Request, Call, inout Violations) -> Reading<Response>,
        _ body: (Response?) throws -> Void
    ) throws {
        var violations = Violations()
        let reading = handler(
            request,
            call(
                Request.actsForUser && !request.actsForApp ? request.actingUser : nil, &violations),
            &violations)
        guard violations.isEmpty else { throw violations.error }
        var thrown: (any Error)?
        try world.store.read { (transaction) throws(StorageError) in
            let response = try reading(transaction)
            // A page borrows from the transaction, so the test looks at it before the transaction
            // ends.
            do { try body(response) } catch { thrown = error }
        }
        if let thrown { throw thrown }
    }

    /// The answer of GetProfiles, decoded.
    func read(
        _ request: GetProfilesRequest, _ body: (GetProfilesResponse?) throws -> Void
    ) throws {
        try read(request, { ProfileHandlers.get($0, world.profiles, $1, &$2) }) { response in
            guard let response else { return try body(nil) }
            var plain = GetProfilesResponse.with { $0.cacheSeconds = response.cacheSeconds }
            try Arena.temporary { (arena) throws(CodecError) in
                for result in response.results { plain.results.append(try result.decoded(arena)) }
            }
            try body(plain)
        }
    }

    /// The answer of CheckFriends, decoded; the views in it live as long as `body` runs.
    func read(
        _ request: CheckFriendsRequestView, _ body: (CheckFriendsResponseView?) throws -> Void
    ) throws {
        try read(
            request, FriendHandlers.validateCheck, FriendHandlers.cachedCheck,
            FriendHandlers.checkFriends, body)
    }

    /// The answer of CheckBlacklist, as that of CheckFriends.
    func read(
        _ request: CheckBlacklistRequestView, _ body: (CheckBlacklistResponseView?) throws -> Void
    ) throws {
        try read(
            request, BlacklistHandlers.validateCheck, BlacklistHandlers.cachedCheck,
            BlacklistHandlers.check, body)
    }

    /// The answer of CanSend, as that of CheckFriends.
    func read(
        _ request: CanSendRequestView, _ body: (CanSendResponseView?) throws -> Void
    ) throws {
        try read(
            request, BlacklistHandlers.validateCanSend, BlacklistHandlers.cachedCanSend,
            BlacklistHandlers.canSend, body)
    }

    /// The answer of GetRelations, as that of CheckFriends.
    func read(
        _ request: GetRelationsRequestView, _ body: (GetRelationsResponse?) throws -> Void
    ) throws {
        try read(
            request, FriendHandlers.validateRelations,
            FriendHandlers.cachedRelations(world.memory.friends), FriendHandlers.getRelations,
            body)
    }

    /// The answer from rows, which is also that with adjacency lists and that from adjacency lists
    /// alone.
    private func read<Request: SizedReadRequest, Checked, Response: CodedMessage>(
        _ request: Request, _ validate: ReadMethod<Request, Checked, Response>.Validate,
        _ fromCache: ReadMethod<Request, Checked, Response>.FromCache,
        _ fromRows: ReadMethod<Request, Checked, Response>.FromRows,
        _ body: (Response?) throws -> Void
    ) throws {
        var violations = Violations()
        let call = call(request.actingUser, &violations)
        let checked = validate(request, call, &violations)
        guard violations.isEmpty else { throw violations.error }
        let coder = Coder(Response.self)
        func answer(_ asked: CacheLookup?) throws -> [UInt8]? {
            try world.store.read { (transaction) throws(StorageError) in
                try fromRows(request, checked, call, asked, transaction)
            }?.bytes(coder, arena)
        }
        let bytes = try answer(nil)
        let asked = CacheLookup(world.memory, loading: [call.user], call.app)
        #expect(try answer(asked) == bytes)
        if case .answered(let cached) = try fromCache(request, checked, call, world.adjacency) {
            #expect(cached.withBytes { Array($0) } == bytes)
        }
        try body(bytes.map { try coder.message($0, arena) })
    }

    func call(_ user: String?, _ violations: inout Violations) -> Call {
        CallerRights(app: world.app, scopes: isAdmin ? .all : .user, user: nil)
            .call(as: user, at: world.now, arena, &violations)
    }

    /// A ticket of no real call: a write needs a ticket even if no client waits for its answer.
    static let handle: CallHandle = {
        let loop = ServerLoop(
            [], on: MultiThreadedEventLoopGroup.singleton.next(), logger: Logger(label: "harness"))
        // A loop keeps its calls as long as it lives; this loop does not know of the call.
        let call = Unmanaged.passRetained(ServerCall(loop: loop, slot: 0))
        return CallHandle(call.takeUnretainedValue())
    }()
}

extension RPCError {
    /// The `google.rpc` details, unpacked.
    struct Details {
        var reason = ""
        var metadata: [String: String] = [:]
        /// The fields of a bad request, in order.
        var fields: [String] = []
        var retryMilliseconds: Int64?
    }

    func unpacked() throws -> Details {
        var found = Details()
        let arena = Arena()
        defer { arena.free() }
        let status = try Coder(StatusMessage.self).message(details, arena)
        for detail in status.details {
            switch detail.typeURL {
            case "type.googleapis.com/google.rpc.ErrorInfo":
                let info = try Coder(ErrorInfo.self).message(detail.value, arena)
                found.reason = info.reason
                found.metadata = info.metadata
            case "type.googleapis.com/google.rpc.BadRequest":
                let bad = try Coder(BadRequest.self).message(detail.value, arena)
                found.fields = bad.fieldViolations.map(\.field)
            case "type.googleapis.com/google.rpc.RetryInfo":
                let retry = try Coder(RetryInfo.self).message(detail.value, arena)
                found.retryMilliseconds = retry.retryDelay.map {
                    $0.seconds * 1_000 + Int64($0.nanos) / 1_000_000
                }
            default: Issue.record("an unknown detail: \(detail.typeURL)")
            }
        }
        return found
    }
}
