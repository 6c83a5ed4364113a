internal import RelationAPI

extension Client {
    /// The client's own cache of relation chains, with ``ClientOptions/chainCache``.
    public var chainCache: ChainCache { ChainCache(self) }

    /// The friends and the blacklist of a user, from the client's cache where they can be.
    ///
    /// It promises what ``ChainCache`` promises. If the chain is kept, the call does not suspend.
    ///
    /// - Parameters:
    ///   - userID: The user. If it is empty, the server takes the user of the credential, and
    ///     nothing is kept.
    ///   - forceUpdate: Whether to ask the server whatever is kept: for the events since, or for
    ///     all rows if none are kept.
    ///   - options: The settings of the requests that this question begins; others may wait for
    ///     them too. Their metadata must not change who calls.
    /// - Throws: ``CallError`` if a request failed; `CancellationError` if the task was cancelled
    ///   while it waited.
    public nonisolated(nonsending) func chain(
        of userID: String, forceUpdate: Bool = false, options: CallOptions = CallOptions()
    ) async throws -> RelationChain {
        try await chainStore.chain(of: userID, isForced: forceUpdate, from: self, options)
    }
}

extension Client: ChainSource {
    func sequence(_ request: GetSequenceRequest, _ options: CallOptions) async throws -> Int64 {
        try await call(ChangeMethods.getSequence, request, options: options).sequence
    }

    func friends(_ request: ListFriendsRequest, _ options: CallOptions) async throws -> [Friend] {
        try await items(of: FriendMethods.listFriends, request, options: options).all()
    }

    func blacklist(
        _ request: ListBlacklistRequest, _ options: CallOptions
    ) async throws -> [BlacklistEntry] {
        try await items(of: BlacklistMethods.listBlacklist, request, options: options).all()
    }

    func events(
        _ request: ListChangesRequest, _ options: CallOptions
    ) -> Pages<ListChangesResponse> {
        pages(ChangeMethods.listChanges, request, options: options)
    }
}
