internal import GRPC
public import Protobuf

/// A client of the relation-chain service.
///
/// ```swift
/// let client = Client(host: "127.0.0.1", port: 7450)
/// let answer = try await client.call(
///     FriendMethods.addFriends,
///     AddFriendsRequest(userID: "alice", items: [AddFriend(userID: "bob", remark: "met at sea")]))
/// for result in answer.results { print(result) }
/// // FriendResult(userID: "bob", code: .success, changed: true)
/// ```
///
/// Requests and answers are plain values: an answer may be kept as long as it is of use.
/// It connects when the first call is made, and again when the connection is lost.
public final class Client: Sendable {
    /// How long a call may take if it does not say.
    public static let defaultTimeout = Duration.seconds(30)

    /// How long a server with open calls may be silent before it is asked for a sign of life, in
    /// seconds.
    private static let keepaliveSeconds: Int64 = 120

    private let channel: Channel
    private let metadata: Metadata
    private let goesOnOverRestarts: Bool

    /// A client of a server that encrypts nothing and asks for no credentials.
    ///
    /// - Parameter appID: The app to act in; nil means the server's default.
    public init(host: String, port: Int, appID: UInt32? = nil) {
        channel = Channel(ClientConfiguration(host: host, port: port))
        var metadata = Metadata()
        if let appID { metadata.append("x-app-id", "\(appID)") }
        self.metadata = metadata
        goesOnOverRestarts = false
    }

    /// A client of any server.
    ///
    /// - Throws: An error in words if a file of ``ClientOptions/security`` cannot be used.
    public init(_ options: ClientOptions) throws {
        var configuration = ClientConfiguration(host: options.host, port: options.port)
        configuration.socketPath = options.socketPath
        configuration.tls = try options.security.tls()
        configuration.maxReceivedMessageBytes = options.maxReceivedMessageBytes
        configuration.maxSentMessageBytes = options.maxSentMessageBytes
        if options.isCompressing { configuration.encoding = .gzip }
        // A call may wait for an answer that never comes, on a network that forgets connections.
        configuration.keepaliveSeconds = Self.keepaliveSeconds
        configuration.waitsForServer = options.goesOnOverRestarts
        channel = Channel(configuration)
        metadata = options.metadata
        goesOnOverRestarts = options.goesOnOverRestarts
    }

    /// Ends all calls and the connection.
    public func close() async {
        await channel.close()
    }

    /// Makes a call of one message each way.
    ///
    /// - Returns: The answer. It owns everything that it has.
    /// - Throws: ``CallError`` if the call failed as a whole. The outcome of each item is in the
    ///   answer.
    public func call<Request, Response>(
        _ method: Method<Request, Response>, _ request: Request,
        timeout: Duration = defaultTimeout
    ) async throws -> Response {
        let bytes = try Self.bytes(of: request, method.requestCoder)
        let deadline = Deadline.after(timeout)
        var repetition = goesOnOverRestarts ? Repetition(method, bytes) : nil
        while true {
            do {
                let answer = try await call(method.path, bytes, deadline)
                return try Self.message(answer, method.responseCoder)
            } catch let error as CallError {
                guard let wait = repetition?.next(after: error) else { throw error }
                try await Task.sleep(for: wait)
            }
        }
    }

    /// Makes a call of one message each way, both as bytes.
    public func call(
        _ path: String, _ request: [UInt8], timeout: Duration = defaultTimeout
    ) async throws -> [UInt8] {
        try await call(path, request, .after(timeout))
    }

    private func call(
        _ path: String, _ request: [UInt8], _ deadline: Deadline
    ) async throws -> [UInt8] {
        do {
            return try await channel.unary(
                path, request, metadata: metadata, deadline: deadline)
        } catch {
            throw CallError(error)
        }
    }

    /// Begins a call in which both sides send as many messages as they like.
    public func stream<Request, Response>(
        _ method: Method<Request, Response>
    ) -> CallStream<Request, Response> {
        CallStream(channel.bidirectional(method.path, metadata: metadata), method)
    }

    /// Sends `requests` on a call of any shape, all as bytes, and hands each answer to `body`.
    public func exchange(
        _ path: String, _ requests: [[UInt8]], _ body: ([UInt8]) throws -> Void
    ) async throws {
        let stream = channel.bidirectional(path, metadata: metadata)
        do throws(RPCError) {
            for request in requests { try await stream.send(request) }
            stream.finishSending()
        } catch {
            throw CallError(error)
        }
        while let answer = try await Self.next(stream) { try body(answer) }
    }

    static func next(_ stream: ClientStream) async throws -> [UInt8]? {
        do throws(RPCError) {
            return try await stream.next()
        } catch {
            throw CallError(error)
        }
    }

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
    /// The methods that clients name have messages of strings and whole rows; a test looks for views
    /// in all that is public.
    static func message<M: Message>(_ bytes: [UInt8], _ coder: Coder<M>) throws(CallError) -> M {
        do throws(CodecError) {
            return try Arena.temporary { (arena) throws(CodecError) in
                try coder.message(bytes, arena)
            }
        } catch {
            throw CallError(error, of: "the answer")
        }
    }
}
