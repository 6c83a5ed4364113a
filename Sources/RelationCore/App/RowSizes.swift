package import RelationModel

/// How long the rows can be that answers are made of, in bytes on the wire, by what an app's
/// settings make possible; and from that, how many one call without pages may ask for.
///
/// The one place that counts this: calls refuse by it, GetLimits tells it, pages read by it, and a
/// test holds it against the longest rows. What a row got under settings of before stays, so the
/// highest that each setting has been is what counts.
package struct RowSizes: Sendable {
    /// A friend's row without its custom values.
    package let friend: Int
    /// The custom values of a friend that are seen.
    package let friendCustom: Int
    /// The same with those of retired fields, which are stored and not seen.
    package let storedFriend: Int
    /// A profile, and with the reasons why fields are absent.
    package let profile: Int
    package let profileAnswer: Int
    package let storedProfile: Int
    /// An application that waits, without the other user's nick and face URL.
    package let pendency: Int
    private let mostProfiles: Int

    package init(_ settings: AppSettings) {
        mostProfiles = settings.limits.profilesPerCall
        let limits = settings.rowLimits
        let id = Self.text(Limits.userIDBytes)
        func text(_ limit: TextLimit) -> Int { Self.text(limit.longestBytes) }
        let source = Self.text(32)
        friend =
            id + text(limits.remark) + limits.groups * text(limits.groupName) + source
            + text(limits.wording) + 3 * Self.number
        friendCustom = Self.custom(.friend, settings) { !$0.isRetired }
        storedFriend = friend + Self.custom(.friend, settings) { _ in true }

        let names = 6 * text(limits.nick) + 3 * text(limits.faceURL)
        let texts =
            Self.text(limits.locationBytes) + Self.text(limits.selfSignature.longestBytes)
            + Self.text(limits.uniqueID.count) + text(limits.email) + text(limits.birthdayText)
            + text(limits.locationText) + Self.text(Limits.localeBytes)
        // The other fields of a profile, its version, and the age range.
        let fixed = id + names + texts + 12 * Self.number
        let shown = Self.custom(.profile, settings) { !$0.isRetired }
        profile = fixed + shown
        // Visibility, position and the versions that others are told.
        storedProfile = fixed + 4 * Self.number + Self.custom(.profile, settings) { _ in true }
        // A field is either there, or named with the reason.
        let fields = ProfileField.allCases.count * Self.absence(ofPathBytes: 20)
        let keys = settings.customFields.filter { $0.owner == .profile && !$0.isRetired }
        profileAnswer =
            profile + fields
            + keys.reduce(0) { sum, field in
                sum
                    + Self.absence(
                        ofPathBytes: Profiles.customPrefix.utf8.count + field.key.utf8.count)
            }

        let applicationID = Self.text(2 * Limits.userIDBytes + 22)
        pendency = id + applicationID + source + text(limits.wording) + 3 * Self.number
    }

    // MARK: How many

    /// Identifiers that one GetFriends may ask for.
    package var friendsPerCall: Int {
        Self.count(of: result + friend + friendCustom, atMost: Limits.getFriendsItems)
    }

    /// Identifiers that one GetProfiles may ask for.
    package var profilesPerCall: Int {
        Self.count(of: result + profileAnswer, atMost: mostProfiles)
    }

    /// Identifiers that one GetRelations may ask for, and one that asks for profiles or custom
    /// values too.
    package var relationsPerCall: Int {
        Self.count(of: card, atMost: Limits.relationItems)
    }
    package var fullRelationsPerCall: Int {
        Self.count(of: card + friendCustom + profile, atMost: Limits.fullRelationItems)
    }

    /// Friends' rows that are read at once, alone and with the profiles; and profiles alone.
    ///
    /// An answer may show little of each; but what is read is in memory until the next ones are.
    package var relationsPerRead: Int {
        Self.count(of: (storedFriend + 2 * pendency) / 4, atMost: Limits.relationItems)
    }
    package var friendsPerRead: Int {
        Self.count(of: storedFriend + storedProfile, atMost: Limits.defaultPageRows)
    }
    package var profilesPerRead: Int {
        Self.count(of: storedProfile, atMost: Limits.defaultPageRows)
    }

    /// Profiles of one message of a present state: as many as a page has bytes.
    package var profilesPerMessage: Int { max(1, Limits.pageBytes / profile) }

    /// How many items of that length an answer has room for, and always for one.
    package static func count(of bytes: Int, atMost most: Int) -> Int {
        max(1, min(most, (Limits.messageBytes - Limits.answerHeadBytes) / bytes))
    }

    /// What is around the row of one item of an answer: what it repeats of the request, a code, and
    /// a reason or a version.
    private let result = text(Limits.userIDBytes) + 4 * number

    /// A card of GetRelations without profile and custom values.
    private var card: Int { result + friend + 2 * pendency + 3 * Self.number }

    // MARK: Parts

    /// A number with its tag; or the tag and the length of a message.
    private static let number = 12

    /// A text, or a message, with its tag and its length.
    private static func text(_ bytes: Int) -> Int {
        bytes + (bytes < 1 << 7 ? 3 : bytes < 1 << 14 ? 4 : 5)
    }

    private static func absence(ofPathBytes bytes: Int) -> Int { text(text(bytes) + 2) }

    private static func custom(
        _ owner: CustomFieldOwner, _ settings: AppSettings, _ counts: (CustomField) -> Bool
    ) -> Int {
        let value = settings.rowLimits.customValue.longestBytes
        return settings.customFields.reduce(0) { sum, field in
            guard field.owner == owner, counts(field) else { return sum }
            let stored = field.type == .uint64 ? number : text(value)
            return sum + text(text(field.key.utf8.count) + stored)
        }
    }
}

extension TextLimit {
    /// The most bytes of a text that is as long as it may be: a character takes up to four.
    package var longestBytes: Int { unit == .bytes ? count : 4 * count }
}
