public import RelationAPI

/// A client's cache of relation chains: friends with remarks and groups, and blacklists.
///
/// ```swift
/// let chain = try await client.chain(of: "alice")
/// print(chain.friend("bob")?.remark ?? "no friend", chain.isBlacklisted("eve"), chain.age)
/// ```
///
/// - The first question reads the lists by pages. From then on the chain goes on by events: those
///   of a stream that the client reads (``Client/changes(_:options:)``), or those that the server
///   answers when the chain is older than ``ChainCacheOptions/maxAge``.
/// - Events are applied in the order of the user's log, so all of a chain is of one sequence. If
///   one is missing, the server is asked for it, and if the log does not reach back, the lists are
///   read again.
/// - A write of the same client is in the next answer. If the answer to the write does not say all,
///   the next question asks the server for its events first. A write that failed may have been
///   done, so the next question asks too.
/// - While no server can answer, chains are given that are at most
///   ``ChainCacheOptions/staleAge`` too old, and that lack nothing that is known here.
/// - Requests of one task serve all tasks that ask for the same chain meanwhile.
///
/// The age of a chain that a stream follows counts from the last message that was read. So read
/// such a stream at once, and do long work elsewhere.
///
/// It belongs to the client and its credential: after a change of the credential's rights, call
/// ``removeAll()``.
public struct ChainCache: Sendable, CustomReflectable {
    private let client: Client

    init(_ client: Client) {
        self.client = client
    }

    /// The chain of a user, as ``Client/chain(of:forceUpdate:options:)`` gives it.
    public nonisolated(nonsending) func chain(
        of userID: String, forceUpdate: Bool = false, options: CallOptions = CallOptions()
    ) async throws -> RelationChain {
        try await client.chain(of: userID, forceUpdate: forceUpdate, options: options)
    }

    /// The friends of a user, in the order of the bytes of their ids.
    public nonisolated(nonsending) func friends(
        of userID: String, options: CallOptions = CallOptions()
    ) async throws -> [Friend] {
        try await chain(of: userID, options: options).friends
    }

    /// Whether a user has another one as a friend.
    public nonisolated(nonsending) func isFriend(
        _ otherID: String, of userID: String, options: CallOptions = CallOptions()
    ) async throws -> Bool {
        try await chain(of: userID, options: options).isFriend(otherID)
    }

    /// Whether a user has another one on its blacklist.
    public nonisolated(nonsending) func isBlacklisted(
        _ otherID: String, by userID: String, options: CallOptions = CallOptions()
    ) async throws -> Bool {
        try await chain(of: userID, options: options).isBlacklisted(otherID)
    }

    /// Applies an event that came by another way than the client's streams, such as a webhook.
    ///
    /// An event that the chain has already changes nothing.
    public func apply(_ event: ChangeEvent) {
        client.chainStore.withEntries { entries in
            if event.kind == .resync { entries.endAll() } else { entries.apply(event) }
        }
    }

    /// Forgets everything.
    ///
    /// The answers to requests that are under way are not kept either.
    public func removeAll() {
        client.chainStore.withEntries { $0.endAll() }
    }

    /// The numbers of the cache since it was made.
    public var counts: ChainCacheCounts { client.chainStore.counts }

    /// A mirror that has the counts.
    public var customMirror: Mirror { Mirror(self, children: ["counts": counts]) }
}
