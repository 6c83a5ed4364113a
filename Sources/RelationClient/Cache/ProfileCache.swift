public import RelationAPI

/// A cache of profiles, which obeys the server's rules for their age.
///
/// ```swift
/// let cache = ProfileCache(client)
/// for result in try await cache.profiles(of: ["bob", "carol"], as: "alice") {
///     print(result.userID, result.profile?.nick ?? "no such user")
/// }
/// ```
///
/// - An answer is at most as old as the server's `cache_seconds` allows: a day by default.
///   ``ProfileCacheOptions/maxAge`` may lower that. An entry that is too old is asked for with its
///   `view_version`, so that the server does not send an unchanged profile again.
/// - Each viewer has entries of its own: an answer for one viewer is never shown to another.
/// - A write of the same client ends the entries that it may have changed, before its caller has
///   the answer, also if it fails. The rows of an import end all entries.
/// - ``apply(_:)-(WatchResponse)`` ends entries at once, for a program that watches.
///   ``Client/changes(_:options:)`` does that by itself for the client's own cache.
/// - A request of a task serves all tasks that ask for the same meanwhile. If it fails, it fails
///   for all of them, and nothing is kept. A task that is cancelled leaves the others alone.
///
/// A copy shares the entries. A cache belongs to one client and its credential: after a change of
/// the credential's rights, call ``removeAll()``.
public struct ProfileCache: Sendable, CustomReflectable {
    private let source: any ProfileSource
    private let store: ProfileStore

    /// Creates an empty cache that asks `client`.
    public init(_ client: Client, options: ProfileCacheOptions = ProfileCacheOptions()) {
        self.init(
            client,
            ProfileStore(options, clock: client.clock.base, tasks: client.clock.tasks))
        client.caches.add(store)
    }

    init(_ source: any ProfileSource, _ store: ProfileStore) {
        self.source = source
        self.store = store
    }

    /// The profiles of `users` as `viewer` sees them: one result for each, in their order.
    ///
    /// A user may be named several times. The result of a user that does not exist, or whose id is
    /// malformed, has that code, and the others are answered all the same. That a user does not
    /// exist is remembered for ``ProfileCacheOptions/missingAge`` at most.
    ///
    /// If all answers are kept, the call does not suspend. Otherwise it asks the server, with at
    /// most 100 users in a request, or fewer if the app allows fewer.
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
        try await store.profiles(
            of: users, as: viewer, forceUpdate: forceUpdate, from: source.with(options))
    }

    /// Ends the entries that a message of a stream is about, so that they are asked for again.
    ///
    /// Hand it every message of the streams that you watch, in their order:
    ///
    /// ```swift
    /// let request = WatchRequest.with { $0.scope = .app(true) }
    /// for try await message in client.changes(request) { cache.apply(message) }
    /// ```
    ///
    /// With the stream of the app, or of all users that are asked for, each change of a profile
    /// ends its entries. The stream of a viewer reports only changes of its friends and of users
    /// that it subscribes to. For other users, the age of the entries is the only bound, and so it
    /// is for changes of the app's settings, which no event reports.
    public func apply(_ message: WatchResponse) {
        store.apply(message)
    }

    /// Ends the entries that an event is about, for a program that keeps events and no messages.
    public func apply(_ event: ChangeEvent) {
        store.apply(event)
    }

    /// Forgets everything.
    ///
    /// The answers to requests that are under way are not kept either.
    public func removeAll() {
        store.withEntries { $0.removeAll() }
    }

    /// A mirror that has the counts.
    public var customMirror: Mirror { Mirror(self, children: ["counts": counts]) }

    /// The numbers of the cache since it was made.
    public var counts: ProfileCacheCounts { store.counts }
}

extension Client: ProfileSource {
    func profiles(_ request: GetProfilesRequest) async throws -> GetProfilesResponse {
        try await call(ProfileMethods.getProfiles, request)
    }

    func with(_ options: CallOptions) -> any ProfileSource {
        options == CallOptions() ? self : OptionedSource(client: self, options: options)
    }
}

/// A client whose requests for profiles have settings of their own.
private struct OptionedSource: ProfileSource {
    let client: Client
    let options: CallOptions

    func profiles(_ request: GetProfilesRequest) async throws -> GetProfilesResponse {
        try await client.call(ProfileMethods.getProfiles, request, options: options)
    }
}
