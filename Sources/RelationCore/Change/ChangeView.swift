package import RelationModel

/// What a caller sees of the events of a log that it may read: all but the custom values that its
/// other reads do not show it either.
///
/// It is decided when events go out, by the settings of that moment: a field that only
/// administrators read from now on is not to be read in old events. An event that has nothing left
/// still goes out, so that a log has no gap for anybody.
package struct ChangeView: Sendable {
    /// Keys of custom fields that are stored and not seen: a retired one, and for whoever is no
    /// administrator one that only those read.
    private let ofFriends: [String]
    private let ofProfiles: [String]

    package init(isAdmin: Bool, _ settings: AppSettings) {
        let hidden = settings.customFields.filter { $0.isRetired || !($0.isReadable || isAdmin) }
        ofFriends = hidden.filter { $0.owner == .friend }.map(\.key)
        ofProfiles = hidden.filter { $0.owner == .profile }.map(\.key)
    }

    /// Whether events of `kind` go out as they are stored.
    package func passes(_ kind: ChangeKind) -> Bool {
        switch kind {
        case .addFriend, .friendChange: ofFriends.isEmpty
        case .profileChange, .visibilityChanged: ofProfiles.isEmpty
        default: true
        }
    }

    /// What is seen of the event.
    package func masked(_ event: ChangeRecord) -> ChangeRecord {
        guard !passes(event.kind) else { return event }
        var event = event
        for place in event.items.indices { mask(&event.items[place]) }
        return event
    }

    private func mask(_ item: inout ChangeItem) {
        item.friend?.custom.removeAll { ofFriends.contains(exactly: $0.key) }
        item.profile?.custom.removeAll { ofProfiles.contains(exactly: $0.key) }
        item.fields.removeAll { path in
            Profiles.customKey(in: path).map { ofProfiles.contains(exactly: $0) } ?? false
        }
        // Of a change of nothing but hidden fields only the version is left, which is counted.
    }
}
