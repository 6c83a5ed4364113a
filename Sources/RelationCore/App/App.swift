package import RelationModel
package import Storage

/// One app: its number and what it allows.
///
/// The settings are some hundred machine words with lists among them, and every call and every
/// stream holds its app. So the copies of an app share them, and they are copied only before a
/// change.
package struct App: Sendable {
    package let id: UInt32
    private var shared: SharedSettings

    package init(id: UInt32, settings: AppSettings) {
        self.id = id
        shared = SharedSettings(settings)
    }

    package var settings: AppSettings {
        _read { yield shared.settings }
        _modify {
            if !isKnownUniquelyReferenced(&shared) { shared = SharedSettings(shared.settings) }
            yield &shared.settings
        }
    }

    // Other modules read ``settings`` through a coroutine, whose frame is an allocation. So the
    // parts that many calls read have getters.

    /// The history to which the app's tokens and numbers belong.
    package var history: History { shared.settings.history }

    /// The fields that profiles and friends have beside the fixed ones.
    package var customFields: [CustomField] { shared.settings.customFields }

    /// The app that stands for the server as a whole: that of calls that act for no app.
    ///
    /// No app has its number, and its one partition holds the list of the apps.
    package static let registry = App(id: 0, settings: .tim)

    /// The rows of one user.
    package func partition(of user: UserID) -> Partition {
        Partition(app: id, name: user.text.utf8)
    }

    /// The rows of the app's feed.
    package var feed: Partition { Self.feed(of: id) }

    package static func feed(of app: UInt32) -> Partition {
        Partition(app: app, name: feedName.utf8)
    }

    /// The name of the feed's partition, which each write lists.
    ///
    /// Control characters never begin a user id, so the feed is not a user's.
    static let feedName = "\u{1}@@"

    /// The partition whose lock stands for all writes of an app.
    package static func lockPartition(of app: UInt32) -> Partition { feed(of: app) }

    /// One part of the app's directory of accounts.
    package func partition(ofDirectory part: UInt8) -> Partition {
        Partition(app: id, name: [0x03, 0x40 + part])
    }

    /// The rows of the app's maintenance.
    package var maintenance: Partition { Partition(app: id, name: [0x06]) }
}

extension App {
    /// The app's own rows, which belong to no user.
    package var partition: Partition { partition(of: .administrator) }
}

/// The settings that several values of one app have in common.
///
/// `@unchecked Sendable`: they change only while exactly one value holds them. For the same reason
/// no two accesses overlap, so Swift need not look for that at run time, in each call.
private final class SharedSettings: @unchecked Sendable {
    @exclusivity(unchecked) var settings: AppSettings

    init(_ settings: AppSettings) {
        self.settings = settings
    }
}
