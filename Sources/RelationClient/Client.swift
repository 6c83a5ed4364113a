internal import GRPCClient
internal import Memory
public import Protobuf
internal import RPC
internal import RelationAPI

/// A client of the relation-chain service.
///
/// ```swift
/// let client = Client(host: "127.0.0.1", port: 7450)
/// let request = AddFriendsRequest.with {
///     $0.userID = "alice"
///     $0.items = [.with { $0.userID = "bob" }, .with { $0.userID = "carol" }]
/// }
/// let answer = try await client.call(FriendMethods.addFriends, request)
/// for result in answer.results { print(result) }
/// // FriendResult(userID: "bob", code: .success, changed: true)
/// ```
///
/// Requests and answers are plain values: an answer may be kept for any time.
/// It connects when the first call is made, and again when the connection is lost. A call that
/// fails for a transient reason is repeated, as ``RetryPolicy`` says. All tasks of a process may
/// share one client.
public final class Client: Sendable, CustomReflectable {
    let clock: ClientClock
    let chance: ClientChance
    /// The profiles that ``profiles(of:as:forceUpdate:options:)`` keeps.
    let profileStore: ProfileStore
    /// The chains that ``chain(of:forceUpdate:options:)`` keeps.
    let chainStore: ChainStore
    /// The sequences that reads must see; nil unless ``ClientOptions/readsOwnWrites`` is set.
    let ownWrites: OwnWrites?
    /// All caches of profiles that ask this client.
    let caches = ProfileCaches()
    private let channel: Channel
    /// The substitute of the servers in a test; nil otherwise.
    private let double: (any ClientDouble)?
    private let metadata: Metadata
    private let timeout: Duration
    private let retries: RetryPolicy?
    private let tokens: RetryTokens
    private let interceptors: [any ClientInterceptor]
    /// The function that provides credentials; nil if they do not change.
    private let provider: (@Sendable () async throws -> ClientCredential)?
    let lifetime = ClientLifetime()
    /// Why no call can be made; nil if all options are good.
    let refusal: CallError?

    /// A client of a server that encrypts nothing and asks for no credentials.
    ///
    /// Every call of a client whose host or port cannot be used fails with INVALID_ARGUMENT, and
    /// the error says which of them and why. ``init(_:)`` throws such an error at once.
    ///
    /// - Parameters:
    ///   - host: The name or the address of the server.
    ///   - port: The port of the server.
    ///   - appID: The app to act in; nil means the server's default.
    public convenience init(host: String, port: Int, appID: UInt32? = nil) {
        var options = ClientOptions(host: host, port: port)
        options.appID = appID
        switch options.made {
        case .success(let configuration): self.init(options, configuration)
        case .failure(let error):
            self.init(options, ClientConfiguration(servers: []), refusal: CallError(error))
        }
    }

    /// A client of any server.
    ///
    /// - Throws: ``OptionsError`` if an option, or a file of ``ClientOptions/security``, cannot be
    ///   used.
    public convenience init(_ options: ClientOptions) throws(OptionsError) {
        self.init(options, try options.configuration())
    }

    /// A client whose waits and randomness a test decides.
    package convenience init(
        _ options: ClientOptions, clock: some Clock<Duration>,
        chance: @escaping @Sendable () -> UInt64
    ) throws(OptionsError) {
        self.init(
            options, try options.configuration(), ClientClock(clock), ClientChance(chance))
    }

    init(
        _ options: ClientOptions, _ configuration: ClientConfiguration,
        _ clock: ClientClock = .system, _ chance: ClientChance = .system,
        refusal: CallError? = nil, double: (any ClientDouble)? = nil
    ) {
        profileStore = ProfileStore(options.profileCache, clock: clock.base, tasks: clock.tasks)
        chainStore = ChainStore(options.chainCache, clock)
        ownWrites = options.readsOwnWrites ? OwnWrites(clock) : nil
        var configuration = configuration
        configuration.userAgent = options.userAgent
        channel = Channel(configuration)
        self.double = double
        metadata = options.metadata
        timeout = options.timeout
        retries = options.retries
        tokens = RetryTokens(options.retries?.budget)
        interceptors = options.interceptors
        if case .provided(let provider)? = options.credential {
            self.provider = provider
        } else {
            provider = nil
        }
        self.clock = clock
        self.chance = chance
        self.refusal = refusal
        caches.add(profileStore)
    }

    /// Whether a credential that was refused may be followed by another one.
    var providesCredential: Bool { provider != nil }

    /// Whether ``close()`` was called.
    var isClosed: Bool { lifetime.isOver }

    /// Ends all calls and the connections.
    ///
    /// They and all later calls fail with the code CANCELLED: ``CallError/isClientClosed``. A
    /// ``run()`` returns.
    public func close() async {
        lifetime.end()
        await channel.close()
    }

    /// A mirror without parts, since some of them are secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    // MARK: - Calls of one message each way

    /// Makes a call of one message each way.
    ///
    /// - Returns: The answer. It owns everything that it has.
    /// - Throws: ``CallError`` if the call failed as a whole; `CancellationError` if the task was
    ///   cancelled; errors of interceptors, and of a function that provides credentials. The
    ///   outcome of each item is in the answer.
    public func call<Request, Response>(
        _ method: Method<Request, Response>, _ request: Request,
        options: CallOptions = CallOptions()
    ) async throws -> Response {
        guard !interceptors.isEmpty else { return try await make(method, request, options) }
        let context = CallContext(
            service: method.service, method: method.name, path: method.path,
            isStream: false, request: request, options: options)
        return try await intercept(context) {
            try await self.make(method, request, $0.options)
        }
    }

    /// Makes a call of one message each way that may take this time, with all its attempts.
    public func call<Request, Response>(
        _ method: Method<Request, Response>, _ request: Request, timeout: Duration
    ) async throws -> Response {
        try await call(method, request, options: CallOptions(timeout: timeout))
    }

    /// Makes a call of one message each way, both as bytes.
    package func call(
        _ method: AnyMethod, _ request: [UInt8], options: CallOptions = CallOptions()
    ) async throws -> [UInt8] {
        let context = CallContext(
            service: method.service, method: method.name, path: method.path,
            isStream: false, options: options)
        return try await intercept(context) {
            try await self.send(
                request, method.path, isWrite: Self.isWrite(method.access, method.name),
                $0.options)
        }
    }

    private func make<Request, Response>(
        _ method: Method<Request, Response>, _ request: Request, _ options: CallOptions
    ) async throws -> Response {
        let bytes = try Self.bytes(of: request, method.requestCoder)
        let isWrite = Self.isWrite(method.access, method.name)
        var answer: Response?
        defer {
            if isWrite {
                caches.end(after: request)
                chainStore.apply(request, answer as? any WriteAnswer)
            }
        }
        let sent: [UInt8]
        if let ownWrites, !isWrite, let token = ownWrites.token(for: request, options) {
            sent = try await send(bytes, method.path, seeing: token, ownWrites, options)
        } else {
            sent = try await send(bytes, method.path, isWrite: isWrite, options)
        }
        let response = try Self.message(sent, method.responseCoder)
        answer = response
        if let ownWrites, let answer = response as? any WriteAnswer {
            ownWrites.note(answer, of: request, options)
        }
        return response
    }

    /// Sends a read that must see what the client knows of.
    ///
    /// A server that was restored since may not have issued that sequence. Then the read sees what
    /// is there.
    private func send(
        _ request: [UInt8], _ path: String, seeing token: OwnWrites.Token, _ own: OwnWrites,
        _ options: CallOptions
    ) async throws -> [UInt8] {
        var marked = request
        token.append(to: &marked)
        do {
            return try await send(marked, path, isWrite: false, options)
        } catch let error as CallError where error.reason == "SEQUENCE_NOT_ISSUED" {
            own.forget()
            return try await send(request, path, isWrite: false, options)
        }
    }

    /// Ends what the caches keep, after rows of an import: it may have thousands at any time.
    func endKept() {
        caches.endAll()
        chainStore.withEntries { $0.markAllStale() }
    }

    private func intercept<Answer: Sendable>(
        _ context: CallContext, from index: Int = 0,
        _ last: @Sendable (CallContext) async throws -> Answer
    ) async throws -> Answer {
        guard index < interceptors.count else { return try await last(context) }
        return try await interceptors[index].intercept(context) {
            try await self.intercept($0, from: index + 1, last)
        }
    }

    // MARK: - Streams

    /// Begins a call in which both sides send as many messages as they like.
    ///
    /// The stream is not made again when it breaks. It has no timeout unless `options` has one.
    public func stream<Request, Response>(
        _ method: Method<Request, Response>, options: CallOptions = CallOptions()
    ) -> CallStream<Request, Response> {
        guard !interceptors.isEmpty || provider != nil || refusal != nil else {
            return CallStream(begin(method.path, metadata(of: options), options), method, self)
        }
        let context = CallContext(
            service: method.service, method: method.name, path: method.path,
            isStream: true, options: options)
        return CallStream(method, self) { try await self.begin(context) }
    }

    private func begin(_ context: CallContext) async throws -> any StreamWay {
        try checkUsable()
        return try await intercept(context) {
            let metadata = try await self.attemptMetadata($0.options)
            return self.begin($0.path, metadata, $0.options)
        }
    }

    private func begin(
        _ path: String, _ metadata: Metadata, _ options: CallOptions
    ) -> any StreamWay {
        if let double { return DoubleWay(double, path, CallMetadata(metadata)) }
        return channel.bidirectional(
            path, metadata: metadata, deadline: options.timeout.map { clock.deadline(after: $0) },
            waitsForReady: options.waitsForReady)
    }

    /// Sends `requests` on a call of any shape, all as bytes, and hands each answer to `body`.
    ///
    /// - Parameter head: Gets the metadata before the first answer, as a function of its names.
    package func exchange(
        _ method: AnyMethod, _ requests: [[UInt8]], options: CallOptions = CallOptions(),
        head: ((_ value: (String) -> String?) -> Void)? = nil, _ body: ([UInt8]) throws -> Void
    ) async throws {
        let stream = try await begin(
            CallContext(
                service: method.service, method: method.name, path: method.path,
                isStream: true, options: options))
        do throws(RPCError) {
            for request in requests { try await stream.send(request) }
            stream.finishSending()
            if let head {
                let metadata = try await stream.initialMetadata()
                head { metadata.text($0) }
            }
        } catch {
            throw Self.ending(error)
        }
        while let answer = try await Self.next(stream) { try body(answer) }
    }

    private static func next(_ stream: any StreamWay) async throws -> [UInt8]? {
        do throws(RPCError) {
            return try await stream.next()
        } catch {
            throw ending(error)
        }
    }

    /// The error of a stream as its caller sees it.
    private static func ending(_ error: RPCError) -> any Error {
        Task.isCancelled ? CancellationError() : CallError(error)
    }
}

// MARK: - Attempts

extension Client {
    /// Whether the server must not get a call twice without a request id.
    ///
    /// A report of presence that comes twice changes nothing but the time until which it holds, as
    /// the contract says. An id would only make the server keep its answer.
    private static func isWrite(_ access: Access, _ name: String) -> Bool {
        access == .write && name != "ReportPresence"
    }

    /// - Throws: The error of every call, if an option is wrong or the client was closed.
    private func checkUsable() throws(CallError) {
        if let refusal { throw refusal }
        if isClosed { throw .clientClosed() }
    }

    private func metadata(of options: CallOptions) -> Metadata {
        let sent = options.sentMetadata
        return sent.isEmpty ? metadata : joined(metadata, sent)
    }

    /// The metadata of one attempt: a credential that changes is asked for each time.
    private func attemptMetadata(_ options: CallOptions) async throws -> Metadata {
        guard let provider else { return metadata(of: options) }
        let credential = try await provider()
        guard let value = credential.authorization else {
            throw OptionsError("credential: a function that provides one may not return another")
        }
        if let problem = credential.problem { throw OptionsError("credential: \(problem)") }
        var metadata = metadata
        metadata.append("authorization", value)
        let sent = options.sentMetadata
        return sent.isEmpty ? metadata : joined(metadata, sent)
    }

    /// The client's metadata, with the call's instead of the names that both have.
    private func joined(_ own: Metadata, _ call: CallMetadata) -> Metadata {
        var joined = Metadata()
        for (name, value) in own.entries where call[name] == nil {
            if case .text(let text) = value { joined.append(name, text) }
        }
        for entry in call.entries { joined.append(entry.name, entry.value) }
        return joined
    }

    /// Sends an encoded request, again after transient errors, and returns the encoded answer.
    private func send(
        _ request: [UInt8], _ path: String, isWrite: Bool, _ options: CallOptions
    ) async throws -> [UInt8] {
        try checkUsable()
        let time = options.timeout ?? timeout
        let deadline = clock.deadline(after: time)
        let end = clock.isSystem ? .zero : clock.now + time
        var request = request
        var isSafe = true
        let policy = options.retries ? retries : nil
        if isWrite, policy != nil {
            isSafe = RequestIDField.isOnce(request)
            if !isSafe {
                RequestIDField.append(to: &request, chance)
                isSafe = true
            }
        }
        let metadata = provider == nil ? metadata(of: options) : try await attemptMetadata(options)
        do throws(RPCError) {
            let answer: [UInt8]
            if let double {
                answer = try await double.attempt(path, request, metadata, until: deadline)
            } else {
                answer = try await channel.unary(
                    path, request, metadata: metadata, deadline: deadline,
                    waitsForReady: options.waitsForReady)
            }
            tokens.addForSuccess()
            return answer
        } catch {
            let call = LostCall(
                path: path, request: request, options: options, deadline: deadline, end: end)
            let repetition = policy.map { Repetition($0, isSafe: isSafe) }
            return try await sendAgain(call, after: error, repetition)
        }
    }

    /// A call whose first attempt has failed.
    private struct LostCall: Sendable {
        let path: String
        let request: [UInt8]
        let options: CallOptions
        let deadline: Deadline
        /// The deadline on the clock of a test.
        let end: Duration
    }

    private func timeLeft(_ call: LostCall) -> Duration {
        guard clock.isSystem else { return call.end - clock.now }
        let (now, end) = (Deadline.clock, call.deadline.nanoseconds)
        return end > now ? .nanoseconds(Int64(clamping: end - now)) : .zero
    }

    private func sendAgain(
        _ call: LostCall, after error: RPCError, _ repetition: Repetition?
    ) async throws -> [UInt8] {
        var error = error
        var failure = CallError(error)
        var repetition = repetition
        var hasAskedAgain = false
        while true {
            guard !Task.isCancelled else { throw CancellationError() }
            guard !isClosed else {
                throw CallError.clientClosed(attempts: failure.attempts)
            }
            if error.code == .unauthenticated, provider != nil, !hasAskedAgain {
                hasAskedAgain = true
            } else {
                guard
                    let wait = repetition?.wait(after: error, failure, tokens, chance),
                    wait < timeLeft(call)
                else { throw failure }
                if wait > .zero { try await clock.sleep(for: wait) }
            }
            let metadata = try await attemptMetadata(call.options)
            let deadline = clock.isSystem ? call.deadline : clock.deadline(after: timeLeft(call))
            do throws(RPCError) {
                let answer: [UInt8]
                if let double {
                    answer = try await double.attempt(
                        call.path, call.request, metadata, until: deadline)
                } else {
                    answer = try await channel.unary(
                        call.path, call.request, metadata: metadata, deadline: deadline,
                        waitsForReady: call.options.waitsForReady)
                }
                tokens.addForSuccess()
                return answer
            } catch let next {
                error = next
                failure = CallError(next, attempts: failure.attempts + 1, after: failure)
            }
        }
    }
}

// MARK: - Messages

extension Client {
    static func bytes<M: Message>(of message: M, _ coder: Coder<M>) throws(CallError) -> [UInt8] {
        do throws(CodecError) {
            return try Arena.temporary { (arena) throws(CodecError) in
                try coder.bytes(message, arena)
            }
        } catch {
            throw CallError(error, of: "the request")
        }
    }

    /// The message, which has no view into memory that ends here.
    ///
    /// The methods that clients name have messages of strings and whole rows; a test looks for
    /// views in all that is public.
    static func message<M: Message>(_ bytes: [UInt8], _ coder: Coder<M>) throws(CallError) -> M {
        do throws(CodecError) {
            return try Arena.temporary { (arena) throws(CodecError) in
                try coder.message(bytes, arena)
            }
        } catch {
            throw CallError(error, of: "the answer", attempts: 1)
        }
    }
}
