internal import Protobuf
internal import RelationAPI
internal import Synchronization

// The writes of a client, which end what its caches keep of the same things.
//
// An entry ends when the write has its answer or its error, before the caller gets that. A write
// whose outcome is unknown may be done later: then the next event or the age ends the entry.

extension ProfileEntries {
    /// Ends the entries that a write may have changed.
    ///
    /// The effects of a write of a newer kind are not known here, so it ends all that concerns its
    /// user.
    mutating func end(after write: some Message) {
        switch write {
        case let write as UpdateProfileRequest: end(writer: write.userID)
        case let write as SetVisibilityRequest: end(writer: write.userID)
        case let write as AddFriendsRequest:
            end(between: write.userID, write.items.map(\.userID))
        case let write as UpdateFriendsRequest:
            end(between: write.userID, write.items.map(\.userID))
        case let write as DeleteFriendsRequest: end(between: write.userID, write.userIDs)
        case let write as RespondToApplicationsRequest:
            end(between: write.userID, write.items.map(\.userID))
        case let write as AddToBlacklistRequest: end(between: write.userID, write.userIDs)
        case let write as RemoveFromBlacklistRequest: end(between: write.userID, write.userIDs)
        case let write as FollowRequest: end(between: write.userID, write.userIDs)
        case let write as UnfollowRequest: end(between: write.userID, write.userIDs)
        case let write as DeleteAccountsRequest:
            for user in write.userIDs { end(account: user) }
        // They change nothing that a profile shows.
        case is SubscribeRequest, is UnsubscribeRequest, is ReportPendenciesRequest,
            is DeletePendenciesRequest, is WithdrawApplicationsRequest, is ReportPresenceRequest:
            break
        case let write as any WriteRequest: end(writer: write.userID)
        default: endAll()
        }
    }

    /// Only the server knows the user that an empty id stands for, and a write of the app names
    /// none.
    private mutating func end(writer user: String) {
        if user.isEmpty { endAll() } else { end(account: user) }
    }

    private mutating func end(between user: String, _ others: [String]) {
        guard !user.isEmpty else { return endAll() }
        for other in others { endBetween(user, other) }
    }
}

/// The caches of one client, which its writes end.
final class ProfileCaches: Sendable {
    private struct Reference {
        weak var store: ProfileStore?
    }

    private let references = Mutex<[Reference]>([])

    func add(_ store: ProfileStore) {
        references.withLock { references in
            references.removeAll { $0.store == nil }
            references.append(Reference(store: store))
        }
    }

    /// Ends the entries that a write may have changed.
    func end(after write: some Message) {
        for store in stores { store.end(after: write) }
    }

    /// Ends all entries, after rows of an import: it may have thousands at any time.
    func endAll() {
        for store in stores { store.withEntries { $0.endAll() } }
    }

    private var stores: [ProfileStore] {
        references.withLock { $0.compactMap(\.store) }
    }
}
