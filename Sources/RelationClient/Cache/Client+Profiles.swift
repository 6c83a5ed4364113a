public import RelationAPI

extension Client {
    /// The client's own cache of profiles, with ``ClientOptions/profileCache``.
    public var profileCache: ProfileCache { ProfileCache(self, profileStore) }

    /// The profiles of `users` as `viewer` sees them, from the client's own cache where it can be.
    ///
    /// It promises what ``ProfileCache/profiles(of:as:forceUpdate:options:)`` promises.
    ///
    /// - Parameters:
    ///   - users: The users whose profiles are read, as many as you like.
    ///   - viewer: The acting user. If it is empty, the server takes the user of the credential,
    ///     and nothing is kept.
    ///   - forceUpdate: Whether to ask the server whatever is kept. The answers are kept.
    ///   - options: The settings of the requests that this question begins; others may wait for
    ///     them too. Their metadata must not change who calls: an answer is kept for the viewer.
    /// - Throws: ``CallError`` if a request failed; `CancellationError` if the task was cancelled
    ///   while it waited.
    public nonisolated(nonsending) func profiles(
        of users: [String], as viewer: String, forceUpdate: Bool = false,
        options: CallOptions = CallOptions()
    ) async throws -> [GetProfileResult] {
        try await profileStore.profiles(
            of: users, as: viewer, forceUpdate: forceUpdate, from: with(options))
    }
}
