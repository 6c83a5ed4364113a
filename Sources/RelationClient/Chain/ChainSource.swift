internal import RelationAPI

/// The server of a cache of chains: a client.
protocol ChainSource: Sendable {
    /// The user's sequence.
    func sequence(_ request: GetSequenceRequest, _ options: CallOptions) async throws -> Int64

    /// All friends that a request lists.
    func friends(_ request: ListFriendsRequest, _ options: CallOptions) async throws -> [Friend]

    /// All users that a request lists.
    func blacklist(
        _ request: ListBlacklistRequest, _ options: CallOptions
    ) async throws -> [BlacklistEntry]

    /// The events of a user's log, by pages.
    func events(
        _ request: ListChangesRequest, _ options: CallOptions
    ) -> Pages<ListChangesResponse>
}
