internal import RelationAPI

/// One reader of a stream of changes, which tells the cache of chains what it reads.
final class ChainFeed: Sendable {
    private let store: ChainStore
    private let scope: ChainScope
    private let number: UInt64

    init(_ store: ChainStore, _ request: WatchRequest) {
        self.store = store
        scope = ChainScope(request)
        number = store.addFeed(scope)
    }

    deinit {
        store.removeFeed(number)
    }

    /// The reader gets a message.
    func apply(_ message: WatchResponse) {
        store.apply(message, from: number)
    }

    /// The stream is closed: until another one is live, the age of chains grows.
    func disconnect() {
        store.disconnect(number)
    }

    /// The stream has failed.
    func fail(_ error: CallError) {
        // The token is of another store, so what is kept may be, too.
        if error.reason == "INVALID_RESUME_TOKEN" { store.withEntries { $0.endAll() } }
    }
}
