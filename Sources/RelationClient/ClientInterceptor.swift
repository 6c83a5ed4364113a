public import Protobuf

/// Code that runs around each call of a client.
///
/// ```swift
/// struct Timing: ClientInterceptor {
///     func intercept<Answer: Sendable>(
///         _ call: CallContext, _ next: @concurrent (CallContext) async throws -> Answer
///     ) async throws -> Answer {
///         let start = ContinuousClock.now
///         defer { print(call.path, ContinuousClock.now - start) }
///         return try await next(call)
///     }
/// }
/// ```
///
/// An interceptor sees a call once, however often it is made again: the attempts and the waits are
/// inside `next`. It may change ``CallContext/options``, for example to add metadata, and it may
/// throw or return without `next`. ``CallContext/request(of:)`` gives it the request.
///
/// `@concurrent` makes the type of `next` the same in every module, with Swift's feature
/// `NonisolatedNonsendingByDefault` and without it. An actor, or a type of an actor's, writes
/// `@Sendable @concurrent`.
public protocol ClientInterceptor: Sendable {
    /// Runs around one call.
    ///
    /// - Parameters:
    ///   - call: The call as the interceptors outside this one left it.
    ///   - next: Makes the call through the interceptors inside this one.
    /// - Returns: The answer. For a stream it is the stream that was begun, and so the interceptor
    ///   ends before the stream's messages come.
    func intercept<Answer: Sendable>(
        _ call: CallContext, _ next: @Sendable @concurrent (CallContext) async throws -> Answer
    ) async throws -> Answer
}

/// A call as an interceptor sees it.
public struct CallContext: Sendable {
    /// The name of the service in the contract, such as `relation.v1.FriendService`.
    public let service: String
    /// The name of the method in the service, such as `AddFriends`.
    public let method: String
    /// The path of the call, such as `/relation.v1.FriendService/AddFriends`.
    public let path: String
    /// Whether one side or both send as many messages as they like.
    public let isStream: Bool
    /// The request; nil for a stream, whose requests come later, and for one that is bytes.
    ///
    /// It has the texts of users and may have secrets: log its parts with care.
    public let request: (any Message)?
    /// The settings of the call, which an interceptor may change.
    public var options: CallOptions

    init(
        service: String, method: String, path: String, isStream: Bool,
        request: (any Message)? = nil, options: CallOptions
    ) {
        self.service = service
        self.method = method
        self.path = path
        self.isStream = isStream
        self.request = request
        self.options = options
    }

    /// The request of this call, if it is a call of `method`; nil otherwise.
    ///
    /// ```swift
    /// struct Auditing: ClientInterceptor {
    ///     func intercept<Answer: Sendable>(
    ///         _ call: CallContext, _ next: @concurrent (CallContext) async throws -> Answer
    ///     ) async throws -> Answer {
    ///         if let request = call.request(of: FriendMethods.deleteFriends) {
    ///             print(request.userID, "deletes", request.userIDs.count)
    ///         }
    ///         return try await next(call)
    ///     }
    /// }
    /// ```
    public func request<Request, Response>(of method: Method<Request, Response>) -> Request? {
        path == method.path ? request as? Request : nil
    }
}
