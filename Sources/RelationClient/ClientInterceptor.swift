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
/// throw or return without `next`.
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
    /// The settings of the call, which an interceptor may change.
    public var options: CallOptions
}
