package import Memory
package import Protobuf
package import RelationModel

/// The part of a log's events that a caller sees: everything but the custom values that its other
/// reads hide too, with texts as texts.
///
/// It is decided when events are sent, by the settings of that time: once only administrators may
/// read a field, old events hide it too. An event of which nothing is left is still sent, so that
/// no reader finds a gap in a log.
package struct ChangeView: Sendable {
    /// Keys of the friends' custom fields that are stored and hidden: retired ones and, for callers
    /// that are not administrators, those that only administrators may read.
    private let ofFriends: [String]
    /// Keys of the profiles' custom fields that are hidden likewise.
    private let ofProfiles: [String]
    private let textsOfFriends: CustomTexts
    private let textsOfProfiles: CustomTexts

    package init(isAdmin: Bool, _ settings: AppSettings) {
        let hidden = settings.customFields.filter { $0.isRetired || !($0.isReadable || isAdmin) }
        ofFriends = hidden.filter { $0.owner == .friend }.map(\.key)
        ofProfiles = hidden.filter { $0.owner == .profile }.map(\.key)
        textsOfFriends = CustomTexts(of: .friend, settings)
        textsOfProfiles = CustomTexts(of: .profile, settings)
    }

    /// Whether events of `kind` are sent as they are stored, but for the texts of custom fields.
    package func passes(_ kind: ChangeKind) -> Bool {
        switch kind {
        case .addFriend, .friendChange: ofFriends.isEmpty
        case .profileChange, .visibilityChanged: ofProfiles.isEmpty
        case .reviewAsked, .reviewDecided: ofProfiles.isEmpty && ofFriends.isEmpty
        default: true
        }
    }

    /// The event without the values that the caller may not see, and with texts as texts.
    package func masked(_ event: ChangeRecord) -> ChangeRecord {
        guard !passes(event.kind) || texts(of: event.kind) != nil else { return event }
        var event = event
        for index in event.items.indices { mask(&event.items[index]) }
        return event
    }

    /// A stored event that passes, with its texts as texts; itself if it has none.
    ///
    /// - Throws: ``CodecError`` if the event is malformed, or the arena is full.
    package func shown(
        _ event: UnsafeRawBufferPointer, _ kind: ChangeKind, _ arena: Arena
    ) throws(CodecError) -> UnsafeRawBufferPointer {
        guard let (texts, path) = texts(of: kind) else { return event }
        return try texts.shown(event, path: path, arena) ?? event
    }

    /// Whether events of `kind` may have texts.
    package func showsTexts(of kind: ChangeKind) -> Bool {
        switch kind {
        case .addFriend, .friendChange: !textsOfFriends.isEmpty
        case .profileChange, .visibilityChanged: !textsOfProfiles.isEmpty
        default: false
        }
    }

    /// The texts that events of `kind` may have, and the fields that lead to them.
    private func texts(of kind: ChangeKind) -> (texts: CustomTexts, path: [UInt32])? {
        switch kind {
        case .addFriend, .friendChange:
            textsOfFriends.isEmpty ? nil : (textsOfFriends, Self.pathOfFriends)
        case .profileChange, .visibilityChanged:
            textsOfProfiles.isEmpty ? nil : (textsOfProfiles, Self.pathOfProfiles)
        default: nil
        }
    }

    private static let pathOfFriends = [
        ChangeRecord.schema.number(of: "items"),
        ChangeItemRecord.schema.number(of: "friend_entry"), FriendRecord.customNumber,
    ]
    private static let pathOfProfiles = [
        ChangeRecord.schema.number(of: "items"), ChangeItemRecord.schema.number(of: "profile"),
        ProfileRecord.schema.number(of: "custom"),
    ]

    /// Whether the caller sees a custom field in events, which notes it.
    ///
    /// - Parameter owner: Whether it is a field of friends, or one of profiles.
    func shows(
        customKey key: String, of owner: CustomFieldOwner, noting ladder: inout some RungRecorder
    ) -> Bool {
        let hidden = owner == .friend ? ofFriends : ofProfiles
        return ladder.passes(.readableField, !hidden.contains(exactly: key))
    }

    private func hides(_ key: String, of owner: CustomFieldOwner) -> Bool {
        var ladder = NoRungs()
        return !shows(customKey: key, of: owner, noting: &ladder)
    }

    private func mask(_ item: inout ChangeItemRecord) {
        if var custom = item.friendEntry?.custom, !custom.isEmpty {
            custom.removeAll { hides($0.key, of: .friend) }
            textsOfFriends.show(in: &custom)
            item.friendEntry?.custom = custom
        }
        if var custom = item.profile?.custom, !custom.isEmpty {
            custom.removeAll { hides($0.key, of: .profile) }
            textsOfProfiles.show(in: &custom)
            item.profile?.custom = custom
        }
        let isHidden = { [self] (path: String) in
            CustomPath.key(in: path).map { hides($0, of: .profile) } ?? false
        }
        item.fields.removeAll(where: isHidden)
        item.fieldVisibilities.removeAll { isHidden($0.field) }
        item.formerFieldVisibilities.removeAll { isHidden($0.field) }
        if let review = item.review {
            let owner: CustomFieldOwner = review.friendUserID.isEmpty ? .profile : .friend
            let key = CustomPath.key(in: review.field)
            if let key, hides(key, of: owner) { item.review = nil }
        }
        // If only hidden fields changed, only the profile's version is left, which counts every
        // change.
    }
}

extension Schema {
    /// The number of a field that the message has.
    fileprivate func number(of name: String) -> UInt32 {
        guard let field = fields.first(where: { $0.name.isExactly(name) }) else {
            preconditionFailure("\(fullName) has no field \(name)")
        }
        return UInt32(field.number)
    }
}
