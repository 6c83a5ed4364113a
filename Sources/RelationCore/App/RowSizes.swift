package import RelationModel

/// The longest rows that an app's settings allow in answers, in bytes on the wire; and from them,
/// how many items one call without pages may ask for.
///
/// Only this type counts them: calls refuse by it, GetLimits reports it, pages are read by it, and
/// a test compares it with the longest rows. Rows that were written under earlier settings stay, so
/// the highest value so far of each setting is what counts.
package struct RowSizes: Sendable {
    /// A friend's row without its custom values.
    package let friend: Int
    /// The custom values of a friend that calls show.
    package let friendCustom: Int
    /// A friend's row with all its custom values, those of retired fields included: they are
    /// stored, but no call shows them.
    package let storedFriend: Int
    /// The reviews of the fields of a friend's row.
    private let friendReviews: Int
    /// A profile.
    package let profile: Int
    /// A profile with the reasons why fields are absent.
    package let profileAnswer: Int
    /// A profile as it is stored.
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
            + text(limits.wording) + 5 * Self.number
        friendCustom = Self.custom(.friend, settings) { !$0.isRetired }
        storedFriend = friend + Self.custom(.friend, settings) { _ in true }

        friendReviews = Self.friendReviews(settings)

        let names = 6 * text(limits.nick) + 3 * text(limits.faceURL)
        let texts =
            Self.text(limits.locationBytes) + Self.text(limits.selfSignature.longestBytes)
            + Self.text(limits.uniqueID.count) + text(limits.email) + text(limits.birthdayText)
            + text(limits.locationText) + Self.text(Limits.localeBytes)
        // The other fields of a profile, its version, and the age range.
        let fixed = id + names + texts + 12 * Self.number
        let shown = Self.custom(.profile, settings) { !$0.isRetired }
        profile = fixed + shown
        // The four numbers: visibility, position, and the versions that other users get.
        storedProfile =
            fixed + 4 * Self.number + limits.fieldVisibilities * Self.fieldChoice
            + Self.custom(.profile, settings) { _ in true }
            + Self.reviews(settings)
        // A field is either present, or named with the reason why it is absent.
        let fields = ProfileField.allCases.count * Self.absence(ofPathBytes: 20)
        let keys = settings.customFields.filter { $0.owner == .profile && !$0.isRetired }
        profileAnswer =
            profile + fields
            + keys.reduce(0) { sum, field in
                sum
                    + Self.absence(
                        ofPathBytes: CustomPath.prefix.utf8.count + field.key.utf8.count)
            }

        let applicationID = Self.text(2 * Limits.userIDBytes + 22)
        pendency = id + applicationID + source + text(limits.wording) + 4 * Self.number
    }

    // MARK: How many

    /// Identifiers that one GetFriends may ask for.
    package var friendsPerCall: Int {
        Self.count(of: result + friend + friendCustom, atMost: Limits.getFriendsItems)
    }

    /// Identifiers that one GetFriends may ask for with profiles.
    package var joinedFriendsPerCall: Int {
        Self.count(of: result + friend + friendCustom + profile, atMost: Limits.getFriendsItems)
    }

    /// Identifiers that one QuerySubscriptions may ask for with profiles, and presence besides.
    package var joinedSubscriptionsPerCall: Int {
        Self.count(
            of: 2 * result + Self.presence + profile, atMost: Limits.joinedSubscriptionItems)
    }

    /// Identifiers that one GetProfiles may ask for.
    package var profilesPerCall: Int {
        Self.count(of: result + profileAnswer, atMost: mostProfiles)
    }

    /// Identifiers that one GetRelations may ask for without profiles and custom values.
    package var relationsPerCall: Int {
        Self.count(of: card, atMost: Limits.relationItems)
    }
    /// Identifiers that one GetRelations may ask for with profiles or custom values.
    package var fullRelationsPerCall: Int {
        Self.count(of: card + friendCustom + profile, atMost: Limits.fullRelationItems)
    }

    /// Relations that are read at once.
    ///
    /// An answer may show little of each row. But a row that was read is in memory until the next
    /// ones are read.
    package var relationsPerRead: Int {
        Self.count(of: (storedFriend + 2 * pendency) / 4, atMost: Limits.relationItems)
    }
    /// Friends' rows that are read at once with their profiles.
    package var friendsPerRead: Int {
        Self.count(of: storedFriend + storedProfile, atMost: Limits.defaultPageRows)
    }
    /// Profiles that are read at once.
    package var profilesPerRead: Int {
        Self.count(of: storedProfile, atMost: Limits.defaultPageRows)
    }

    /// Rows that are read at once for their reviews: profiles, or reviews of friends' rows.
    package var reviewedRowsPerRead: Int {
        Self.count(of: max(storedProfile, friendReviews), atMost: Limits.defaultPageRows)
    }

    /// Profiles in one message of a present state: as many as fit into the bytes of a page.
    package var profilesPerMessage: Int { max(1, Limits.pageBytes / profile) }

    /// How many items of `bytes` bytes fit into an answer: at least one, at most `most`.
    package static func count(of bytes: Int, atMost most: Int) -> Int {
        max(1, min(most, (Limits.messageBytes - Limits.answerOverheadBytes) / bytes))
    }

    /// The bytes around the row of one item of an answer: the identifier from the request, a code,
    /// and a reason or a version.
    private let result = text(Limits.userIDBytes) + 4 * number

    /// A card of GetRelations without profile and custom values.
    private var card: Int { result + friend + 2 * pendency + 3 * Self.number }

    /// The presence of a user with all its devices, and with the longest status of any app.
    private static let presence =
        text(Limits.userIDBytes) + text(AppLimits.maxStatus.longestBytes) + 3 * number
        + Limits.devicesPerUser
        * text(text(Limits.deviceIDBytes) + text(Limits.platformBytes) + 2 * number)

    /// The choice for one field of a profile, with the groups that it is for, and was for before.
    private static let fieldChoice = text(
        text(SettingBounds.fieldPathBytes) + 4 * number + 2 * text(5 * Limits.groupsOfField))

    // MARK: Parts

    /// A number with its tag, or the tag and the length of a message.
    private static let number = 12

    /// A text, or a message, with its tag and its length.
    private static func text(_ bytes: Int) -> Int {
        bytes + (bytes < 1 << 7 ? 3 : bytes < 1 << 14 ? 4 : 5)
    }

    private static func absence(ofPathBytes bytes: Int) -> Int { text(text(bytes) + 2) }

    /// The reviews of a profile, each with two values.
    private static func reviews(_ settings: AppSettings) -> Int {
        // Nearly all apps review nothing, and many calls count sizes: they need no list for it.
        guard settings.reviewedFields.profileCount > 0 else { return 0 }
        let limits = settings.rowLimits
        let texts = [
            limits.nick, limits.faceURL, limits.selfSignature, limits.email, limits.birthdayText,
            limits.locationText, limits.customValue,
        ]
        return min(settings.reviewedFields.profileCount, Limits.reviewsOfProfile) * review(texts)
    }

    /// The reviews of one friend's row.
    private static func friendReviews(_ settings: AppSettings) -> Int {
        let count = settings.reviewedFields.friendCount
        guard count > 0 else { return number }
        let limits = settings.rowLimits
        let texts = [limits.remark, limits.wording, limits.customValue]
        return min(count, Limits.reviewsOfFriend) * review(texts)
    }

    /// A review of a text within the longest of these limits.
    private static func review(_ texts: [TextLimit]) -> Int {
        let value = text(texts.map(\.longestBytes).max() ?? 0)
        return text(2 * value + 2 * text(SettingBounds.fieldPathBytes) + 2 * number)
    }

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
    /// The most bytes of a text of the greatest length: a character takes up to four.
    package var longestBytes: Int { unit == .bytes ? count : 4 * count }
}
