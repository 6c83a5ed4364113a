internal import Protobuf
internal import RelationAPI

// The changes that end entries.
//
// A viewer's view of a profile depends on the profile, its visibility, the owner's friend list, its
// followers and its blacklist. The owner's log reports all of these. The viewer's own log reports
// some of them: each of its events about another user is taken for a hint, and ends what the two
// see of each other. An entry that ends needlessly costs a question whose answer is "not modified".

extension ProfileStore {
    /// Ends the entries that the message is about.
    func apply(_ message: WatchResponse) {
        if let event = message.event { apply(event) }
        guard !message.missingUserIDs.isEmpty else { return }
        withEntries { entries in
            for user in message.missingUserIDs { entries.end(account: user) }
        }
    }

    /// Ends the entries that a write of the client may have changed.
    func end(after write: some Message) {
        withEntries { entries in
            if !entries.isEmpty { entries.end(after: write) }
        }
    }

    /// Ends the entries that the event is about.
    func apply(_ event: ChangeEvent) {
        switch event.kind {
        case .profileChange, .visibilityChanged:
            withEntries { entries in
                for item in event.items { entries.end(user: item.subject) }
                entries.end(user: event.userID)
            }
        case .addFriend, .deleteFriend, .deleteFriendRequest, .addBlacklist, .deleteBlacklist,
            .followingChanged, .followersChanged:
            withEntries { entries in
                for item in event.items { entries.endBetween(event.userID, item.subject) }
            }
        case .friendChange, .groupCreated, .groupDeleted, .groupMembersChanged:
            // Single fields of a profile may be for the members of a group.
            withEntries { entries in
                for item in event.items {
                    if let friend = item.friendEntry?.userID {
                        entries.endBetween(event.userID, friend)
                    }
                    for member in item.addedUserIDs + item.removedUserIDs {
                        entries.endBetween(event.userID, member)
                    }
                }
            }
        case .listChanged:
            withEntries { $0.end(account: event.userID) }
        case .accountCreated, .accountDeleted:
            withEntries { entries in
                for item in event.items { entries.end(account: item.subject) }
            }
        case .state where event.syncType == .accounts:
            // The stream of these users starts over. It does not report their changes until now.
            withEntries { entries in
                for item in event.items { entries.end(account: item.subject) }
            }
        case .resync:
            withEntries { $0.endAll() }
        default: break
        }
    }
}

extension ProfileEntries {
    /// Ends what others see of a user, and what the user sees of others.
    mutating func end(account user: String) {
        end(user: user)
        end(viewer: user)
    }
}

extension ChangeItem {
    /// The user that the item is about, whatever part of the item names it.
    fileprivate var subject: String {
        if !userID.isEmpty { return userID }
        return friendEntry?.userID ?? application?.userID ?? blacklistEntry?.userID
            ?? profile?.userID ?? ""
    }
}
