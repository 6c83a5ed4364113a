package import RelationModel
package import Storage

/// What one app allows its users: the limits and defaults that every rule reads.
package struct AppSettings: Sendable {
    package var limits = AppLimits.tim

    /// Applications that one user may send in one day (UTC); 0 allows any number.
    package var applicationsPerDay = 0
    /// What holds for a user that never set an allow type.
    package var defaultAllowType = AllowType.allowAny
    /// Whether a friendship survives that one blacklists the other.
    package var keepsFriendshipOnBlacklist = false
    /// Words that no text of a relation or profile may contain, in lower case.
    package var forbiddenWords: [String] = []

    /// The settings of Tencent IM, which a new app starts with.
    package static let tim = AppSettings()

    /// Whether `text` contains a forbidden word, whatever its case.
    package func forbids(_ text: String) -> Bool {
        guard !forbiddenWords.isEmpty, !text.isEmpty else { return false }
        let lower = text.lowercased()
        return forbiddenWords.contains { lower.contains($0) }
    }
}

/// One app: its number and what it allows.
package struct App: Sendable {
    package let id: UInt32
    package var settings: AppSettings

    package init(id: UInt32, settings: AppSettings) {
        self.id = id
        self.settings = settings
    }

    /// The rows of one user.
    package func partition(of user: UserID) -> Partition {
        Partition(app: id, name: user.text.utf8)
    }

    /// The rows of one lane of the app's feed.
    ///
    /// Control characters never begin a user id, so lanes and users stay apart.
    package func partition(ofLane lane: UInt8) -> Partition {
        Partition(app: id, name: [0x01, 0x40 + lane % 64 / 16, 0x40 + lane % 16])
    }
}
