package import GRPC
import Glibc
package import Protobuf
package import RPC
package import RelationAPI
package import RelationAdmission
package import RelationCalls
package import RelationChanges
import RelationCore
package import RelationHooks
import RelationModel
package import RelationRuntime
package import Storage
package import Support

/// The calls of the contract, each with everything that is needed to answer it.
///
/// Registration closes over the types of a call once, and leaves one function from bytes to an
/// answer for each path. Decoding, the checks of the request's own fields, and encoding run on the
/// call's loop. Reads run there too, against a snapshot. Writes go through the committer.
package final class Router: Dispatcher, @unchecked Sendable {
    /// Written by registration, before the server starts, and never afterwards.
    ///
    /// So the class is safe to share.
    package private(set) var methods: [ServedMethod] = []
    package let store: any Store
    package let committer: Committer
    package let readers: ReaderPools
    /// The hub of the streams of changes.
    package let changes: ChangeHub
    /// The background work, which a call wakes if it leaves work for it.
    package let maintenance: Maintenance
    /// The source of the secrets that calls make.
    let randomness: Randomness
    /// The snapshots that exports read.
    package let exports: ExportPoints
    /// The presence of users.
    package let presence: PresenceBoard
    /// The URLs that hooks may have.
    let hooks: HookPolicy
    /// Asks the hooks of apps before calls.
    let asker: HookAsker
    /// The other stores of the fleet; nil if there is none.
    let others: FleetStores?
    let authenticator: Authenticator
    let clock: ServiceClock
    /// The reads that standbys may answer; nil if the store has none.
    private let standbys: StandbyReads?

    /// The apps of this process.
    var apps: Apps { authenticator.apps }

    /// - Parameters:
    ///   - upkeep: The thread of the background work.
    ///   - wait: Lets the upkeep wait for the committer; see ``Maintenance``.
    ///   - sleeper: How a read waits for a standby: the nanoseconds of a clock that only rises, and
    ///     a wait of so many milliseconds; nil for those of the machine.
    package init(
        store: any Store, committer: Committer, readers: ReaderPools, changes: ChangeHub? = nil,
        authenticator: Authenticator, clock: ServiceClock, randomness: Randomness = .system,
        presence: PresenceBoard = PresenceBoard(), hooks: HookPolicy = .none,
        asker: HookAsker? = nil, others: FleetStores? = nil,
        upkeep: WorkThread = WorkThread("maintenance"),
        wait: @escaping @Sendable (SteadySemaphore) -> Void = ThreadSource.system.wait,
        sleeper: (clock: @Sendable () -> UInt64, sleep: @Sendable (Int) -> Void)? = nil
    ) {
        self.store = store
        standbys = store.standbys.map { standbys in
            guard let sleeper else { return StandbyReads(standbys) }
            return StandbyReads(standbys, clock: sleeper.clock, sleep: sleeper.sleep)
        }
        self.hooks = hooks
        self.others = others
        self.asker = asker ?? HookAsker(apps: authenticator.apps, clock: clock, transport: nil)
        self.changes =
            changes
            ?? ChangeHub(
                store: store, apps: authenticator.apps, clock: clock,
                readers: WatchReaders(readers.scans),
                presence: presence)
        self.committer = committer
        self.readers = readers
        self.presence = presence
        exports = ExportPoints(of: store)
        maintenance = Maintenance(
            committer: committer, apps: authenticator.apps, exports: exports, observer: presence,
            clock: clock, thread: upkeep, wait: wait)
        self.authenticator = authenticator
        self.clock = clock
        self.randomness = randomness
    }

    // MARK: Reads

    private var readEnvironment: ReadEnvironment {
        ReadEnvironment(
            store: store, memory: committer.memory, readers: readers, authenticator: authenticator,
            clock: clock, standbys: standbys)
    }

    package typealias ReadHandler<Request: SizedReadRequest, Response: CodedMessage> =
        ReadMethod<Request, Reading<Response>, Response>.Validate

    /// Registers a call that reads rows.
    ///
    /// A call that scans is answered by the scanners. Any other call is answered on its loop, if
    /// its request is short and names no more than a loop reads. If it is longer, or a row is not
    /// in memory, the readers answer it.
    ///
    /// - Parameter missing: The error of a call that finds nothing; nil if it means that the acting
    ///   user has no account.
    package func read<Request: SizedReadRequest, Response: CodedMessage>(
        _ method: Method<Request, Response>, missing: RPCError? = nil,
        _ handler: @escaping ReadHandler<Request, Response>
    ) {
        let read = ReadMethod<Request, Reading<Response>, Response>(
            method, in: readEnvironment, missing: missing, validating: handler,
            elsewhere: { $0.other }
        ) { (_, reading, _, _, transaction) throws(StorageError) in
            try reading(transaction).map { .message($0) }
        }
        add(method.path, needing: method.scope, read.served)
    }

    /// Registers a call that reads, and that is made so often that the cache may answer it and its
    /// loop keeps the memory of its request; see ``ReadMethod``.
    package func read<Request: SizedReadRequest, Checked, Response: CodedMessage>(
        _ method: Method<Request, Response>,
        validating validate: @escaping ReadMethod<Request, Checked, Response>.Validate,
        fromCache: @escaping ReadMethod<Request, Checked, Response>.FromCache,
        fromRows: @escaping ReadMethod<Request, Checked, Response>.FromRows
    ) {
        let read = ReadMethod(
            method, in: readEnvironment, validating: validate, fromCache: fromCache,
            fromRows: fromRows)
        add(method.path, needing: method.scope, read.reusing)
    }

    // MARK: Writes

    package typealias WriteHandler<Request: WriteRequest, Response: WriteResponse> =
        WriteMethod<Request, Response>.Handler

    /// Registers a call that writes.
    ///
    /// A short request is understood on its loop, a longer one by the readers. Then it queues for
    /// the committer.
    package func write<Request: WriteRequest, Response: WriteResponse>(
        _ method: Method<Request, Response>, _ handler: @escaping WriteHandler<Request, Response>
    ) {
        add(WriteMethod(method, handler, writePath), method, asking: nil)
    }

    /// Registers a call that writes, before which a hook of the app may be asked.
    ///
    /// - Parameter subject: The part of the request to ask about.
    func write<Request: WriteRequest, Response: WriteResponse>(
        _ method: Method<Request, Response>, asking question: HookQuestion,
        subject: @escaping HookAsking<Request, Response>.Subject,
        _ handler: @escaping HookAsking<Request, Response>.Handler
    ) {
        let asking = HookAsking(
            question, asker, clock, isKnown: isKnown, subject: subject, handler: handler)
        let write = WriteMethod(
            method,
            { request, call, violations in handler(request, call, .none, &violations) },
            writePath)
        add(write, method, asking: write.asking(asking))
    }

    /// Whether the acting user's request of that id has an answer.
    @Sendable private func isKnown(
        _ id: RequestID, _ call: Call
    ) throws(StorageError) -> Bool {
        try store.read { (transaction) throws(StorageError) in
            try Answers.isKnown(
                id, of: call.user, app: call.app, at: call.now, in: transaction)
        }
    }

    private var writePath: WritePath {
        WritePath(authenticator: authenticator, committer: committer, pool: readers.long)
    }

    private func add<Request: WriteRequest, Response: WriteResponse>(
        _ write: WriteMethod<Request, Response>, _ method: Method<Request, Response>,
        asking: ServedWrite.Asking?
    ) {
        let served = ServedWrite(
            path: write.path, scope: method.scope,
            isForServices: method.audience == .services || method.audience == .watchers,
            queue: write.queue, asking: asking, clock: clock)
        add(method.path, needing: method.scope, served.serve)
    }

    // MARK: Answers of many messages

    /// Registers a call that answers in many messages; the scanners make them.
    func batches<Request: ReadRequest, Response: CodedMessage>(
        _ method: Method<Request, Response>,
        _ handler: @escaping BatchStream<Request, Response>.Handler
    ) {
        add(method) { caller in
            BatchStream(method, caller, self.authenticator, self.clock, self.readers.scans, handler)
        }
    }

    // MARK: Changes

    /// Registers the call that follows changes.
    func watch(_ method: Method<WatchRequest, WatchResponseView>) {
        add(method) { WatchStream(self.changes, $0, self.authenticator) }
    }

    // MARK: Imports

    /// Registers a stream of rows, each a write of its own.
    package func rows<Rows: ImportRows>(
        _ method: Method<Rows.Request, Rows.Response>, _ rows: Rows.Type
    ) {
        let coders = (method.requestCoder, method.responseCoder)
        let maintenance = maintenance
        add(method) { caller in
            ImportStream<Rows>(
                caller, self.authenticator, committer: self.committer, clock: self.clock,
                wake: { maintenance.wake() }, requests: coders.0, responses: coders.1)
        }
    }

    // MARK: The parts that all calls share

    /// Adds a call of many messages; `make` begins it for a caller that has been admitted.
    private func add<Request: CodedMessage, Response: CodedMessage>(
        _ method: Method<Request, Response>,
        _ make: @escaping @Sendable (Caller) -> any StreamHandler
    ) {
        let scope = method.scope
        methods.append(
            .streaming(method.path, shape: method.shape) { served in
                do throws(RPCError) {
                    let caller = try self.authenticator.admit(served, needing: scope)
                    try self.authenticator.enter(served, of: caller)
                    return make(caller)
                } catch {
                    self.authenticator.noteRefusal(error, of: served)
                    return RefusedStream(error, served)
                }
            })
    }

    func add(
        _ path: String, needing scope: Scope,
        _ body: @escaping @Sendable (UnsafeRawBufferPointer, ServerCall) throws(RPCError) -> Void
    ) {
        methods.append(
            .unary(path, admission: admission(needing: scope)) { [authenticator] bytes, served in
                do throws(RPCError) {
                    try body(bytes, served)
                } catch {
                    authenticator.noteRefusal(error, of: served)
                    served.fail(error)
                }
            })
    }

    /// Adds a read as it is, because a function made of it would pass several others.
    private func add(_ path: String, needing scope: Scope, _ read: ServedRead) {
        methods.append(
            .unary(path, admission: admission(needing: scope)) { [authenticator] bytes, served in
                do throws(RPCError) {
                    try read.serve(bytes, served)
                } catch {
                    authenticator.noteRefusal(error, of: served)
                    served.fail(error)
                }
            })
    }

    private func admission(needing scope: Scope) -> ServedMethod.Admission {
        { [authenticator] served throws(RPCError) in
            do throws(RPCError) {
                _ = try authenticator.admit(served, needing: scope)
            } catch {
                authenticator.noteRefusal(error, of: served)
                throw error
            }
        }
    }

    /// Lets the calls that are registered be made in JSON too.
    func speakJSON() {
        let calls = Dictionary(ServiceTable.all.map { ($0.path, $0) }) { first, _ in first }
        methods = methods.map { method in
            guard let call = calls[method.path] else { return method }
            let forms = MessageForms(request: call.request, answer: call.response)
            return method.inJSON(forms, isSafe: call.access != .write)
        }
    }
}
