package import RelationModel

/// A user of a RongCloud app, by its id and what the list of all users, or a table, tells of it.
package struct RongCloudAccount: Sendable, Equatable {
    package let id: String
    /// The name that pushes show.
    package var name = ""
    /// The address of the picture that pushes show.
    package var portrait = ""
    /// When the user was registered, as RongCloud writes it: milliseconds since 1970, or a date and
    /// a time in China.
    package var registration = ""
    /// The visibility of the profile that the user has chosen on a device: a word or a number.
    package var visibility = ""

    package init(_ id: String) {
        self.id = id
    }

    /// The time of the registration; nil if there is none that can be read.
    var registrationMs: Int64? {
        if let number = Int64(registration) {
            return (0...MigrationLimits.latestMilliseconds).contains(number) ? number : nil
        }
        return DateText.milliseconds(registration + "+0800") ?? DateText.milliseconds(registration)
    }

    /// The chosen visibility; nil if there is none that has a name or a number.
    package var chosenVisibility: Visibility? { Self.visibility(visibility) }

    /// The visibility of a word or of a number.
    package static func visibility(_ text: String) -> Visibility? {
        switch text.lowercased() {
        case "0", "notset": .notSet
        case "1", "invisible": .invisible
        case "2", "everyone": .everyone
        case "3", "friendvisible", "friends": .friends
        default: nil
        }
    }
}
