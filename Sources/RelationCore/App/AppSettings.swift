package import RelationModel
package import Storage

/// What a write leaves behind, beside its rows, for those who follow changes.
///
/// A server that serves anybody records all. The others are for measuring what that costs: they
/// leave gaps, on which nothing else in a data folder can rely.
package enum ChangeRecording: String, Sendable {
    case all
    /// The users' logs without the feed of the app.
    case logs
    case nothing
}

/// What one app allows its users: the limits and defaults that every rule reads.
package struct AppSettings: Sendable {
    /// Whose limits and profile codes the app follows.
    package var preset = AppPreset.tim
    package var limits = AppLimits.tim

    /// What holds for a user that never set a visibility.
    package var defaultVisibility = Visibility.everyone
    /// What holds for a user that never set an allow type.
    package var defaultAllowType = AllowType.allowAny
    /// Applications that one user may send in one day (UTC); 0 allows any number.
    package var applicationsPerDay = 0
    /// How long an application waits; nil means for ever.
    package var applicationLifetimeMs: Int64?
    /// Whether a friendship survives that one blacklists the other.
    package var keepsFriendshipOnBlacklist = false
    /// Whether a message needs a friendship: what CanSend then asks beside the blacklist.
    package var checksFriendshipOnSend = false
    /// Words that no text of a relation or profile may contain.
    package var forbiddenWords: [String] = [] {
        didSet { comparedWords = ForbiddenWords(forbiddenWords) }
    }
    private var comparedWords = ForbiddenWords([])
    /// Whether a user becomes an account when a call first names it.
    package var makesAccountsImplicitly = false
    /// How long a client may keep a profile that it read.
    package var profileCacheSeconds: Int64 = 86_400
    /// How long an event stays in its log, and how many of a user's do.
    package var logLifetimeMs: Int64 = 7 * 86_400 * 1_000
    package var logEvents = 10_000
    /// The highest that each limit of a text or of a row's parts has been since the app was made,
    /// where that is more than it is now: rows that were written then are as they were.
    package var earlierLimits: AppLimits?
    /// What writes leave behind of what they changed; not a setting that any call reads or makes.
    package var recording = ChangeRecording.all
    /// The fields that profiles and friends have beside the fixed ones.
    package var customFields: [CustomField] = []
    /// The client apps that users may let read their fields.
    package var clientApps: [ClientApp] = []
    /// The permissions that the app defined, beside ``Permission/builtIn`` and in their place.
    package var permissions: [Permission] = []

    /// The settings of Tencent IM, which a new app starts with.
    package static let tim = AppSettings()

    /// The settings of RongCloud's hosted profiles and friends.
    package static let rongCloud: AppSettings = {
        var settings = AppSettings()
        settings.preset = .rongCloud
        settings.limits = .rongCloud
        settings.defaultVisibility = .invisible
        settings.defaultAllowType = .needConfirm
        settings.applicationLifetimeMs = 7 * 86_400 * 1_000
        return settings
    }()

    package init() {}

    /// The limits by which the longest rows of the app were written.
    package var rowLimits: AppLimits { earlierLimits ?? limits }

    /// The custom field of that key, unless it was retired.
    package func customField(_ key: String, of owner: CustomFieldOwner) -> CustomField? {
        customFields.first { $0.owner == owner && !$0.isRetired && $0.key.isExactly(key) }
    }

    /// Whether `text` contains a forbidden word, whatever its case and width and whatever stands
    /// in it that cannot be seen.
    package func forbids(_ text: String) -> Bool {
        comparedWords.occur(in: text)
    }

    /// Whether `word` can be forbidden: something of it can be seen, and is no space.
    package static func canForbid(_ word: String) -> Bool {
        let visible = String(decoding: ForbiddenWords.visible(word), as: UTF8.self)
        return !visible.unicodeScalars.allSatisfy(\.properties.isWhitespace)
    }
}

/// A field that an app added to profiles or to friends.
package struct CustomField: Sendable, Equatable {
    package var owner: CustomFieldOwner
    /// Its key, without the prefix of its tag.
    package var key: String
    package var type: CustomFieldType
    /// Whether callers without the scope `admin` read it, and write it.
    package var isReadable = true
    package var isWritable = true
    /// A retired field is unknown to every call; what is stored of it stays, unseen.
    package var isRetired = false

    package init(_ owner: CustomFieldOwner, _ key: String, _ type: CustomFieldType) {
        self.owner = owner
        self.key = key
        self.type = type
    }
}

/// One app: its number and what it allows.
///
/// The settings are some hundred words with lists among them, and every call and every stream holds
/// its app: so they are shared, and copied only by whoever changes them.
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

    /// What stands for the server as a whole: the app of calls that act for none.
    ///
    /// No app has its number, and its one partition holds the list of the apps.
    package static let registry = App(id: 0, settings: .tim)

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

    /// One part of the app's directory of accounts.
    package func partition(ofDirectory part: UInt8) -> Partition {
        Partition(app: id, name: [0x03, 0x40 + part])
    }

    /// What the app's upkeep remembers.
    package var maintenance: Partition { Partition(app: id, name: [0x06]) }
}

/// The settings that several values of one app have in common.
///
/// `@unchecked Sendable`: they change only while one value alone has them.
private final class SharedSettings: @unchecked Sendable {
    var settings: AppSettings

    init(_ settings: AppSettings) {
        self.settings = settings
    }
}

extension UserID {
    /// Who acts when no user does: the administrators of the app.
    ///
    /// No user has this name. In its partition are an app's own rows, and the answers to the
    /// request ids of its administrators.
    package static let administrator = UserID(stored: [0x05])
}

extension App {
    /// The app's own rows, which are no user's.
    package var partition: Partition { partition(of: .administrator) }
}

extension Key {
    /// The lane whose rows the key is among; nil if it is no lane's.
    package var lane: UInt8? {
        guard partitionCount == 8, bytes[4] == 0x01 else { return nil }
        return (bytes[5] - 0x40) * 16 + bytes[6] - 0x40
    }
}
