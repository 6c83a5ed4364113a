package import RelationModel

/// The limits and defaults of one app, which every rule reads.
package struct AppSettings: Sendable {
    /// The system whose limits and profile codes the app follows.
    package var preset = AppPreset.tim
    package var limits = AppLimits.tim

    /// The visibility of a user that never set one.
    package var defaultVisibility = Visibility.everyone
    /// The users that may see single fields of profiles, if their users have not chosen.
    package var fieldDefaults = FieldDefaults()
    /// The fields of profiles and of friends' rows whose new values are reviewed.
    package var reviewedFields = ReviewedPaths()
    /// The allow type of a user that never set one.
    package var defaultAllowType = AllowType.allowAny
    /// Applications that one user may send in one window; 0 allows any number.
    package var applicationsPerDay = 0
    /// How long these windows are, in milliseconds: days (UTC) unless the app says otherwise.
    package var applicationsWindowMs = SettingBounds.dayMs
    /// Applications that may come in to one user in one window; 0 allows any number.
    package var applicationsReceivedPerDay = 0
    /// How long these windows are.
    package var applicationsReceivedWindowMs = SettingBounds.dayMs
    /// How long the windows are in which the reports of one user are counted.
    package var reportsWindowMs = SettingBounds.dayMs
    /// How long those are in which the digests are counted for which one user asks.
    package var contactLookupsWindowMs = SettingBounds.dayMs
    /// How long a user whose application was refused may not apply again to the same user, in
    /// milliseconds; 0 for none.
    package var applicationCooldownMs: Int64 = 0
    /// How long a new account may not add other users, in milliseconds; 0 for none.
    package var newAccountQuarantineMs: Int64 = 0
    /// Whether the app's stream is notified of new applications that carry a risk.
    package var marksRisks = false
    /// How long an application waits, in milliseconds; nil means for ever.
    package var applicationLifetimeMs: Int64?
    /// Whether a friendship stays when one of the two blacklists the other.
    package var keepsFriendshipOnBlacklist = false
    /// Whether a message needs a friendship; if so, CanSend checks it beside the blacklist.
    package var checksFriendshipOnSend = false
    /// Words that no text of a relation or profile may contain.
    package var forbiddenWords: [String] = [] {
        didSet { comparedWords = ForbiddenWords(forbiddenWords) }
    }
    private var comparedWords = ForbiddenWords([])
    /// Whether a user becomes an account when a call first names it.
    package var makesAccountsImplicitly = false
    /// How long a client may keep a profile that it read, in seconds.
    package var profileCacheSeconds: Int64 = 86_400
    /// How long an event stays in its log, in milliseconds.
    package var logLifetimeMs: Int64 = 7 * 86_400 * 1_000
    /// How many events a user's log may keep.
    package var logEvents = 10_000
    /// Which deletions erase what others have of a user, and what they keep.
    package var erasure = ErasureSettings()
    /// Whether users may be searched over the whole app, which costs an index of names.
    package var findsUsers = false
    /// Whether they are found by the beginnings of their ids and unique ids too.
    package var findsIDBeginnings = false
    /// The users that may find a user that never chose.
    package var defaultFindability = Findability.everyone
    /// The version of the app with which one of the three changed last.
    ///
    /// An index of names that was made under another one is made again: while the app had none, no
    /// write kept it.
    package var findEpoch: Int64 = 0
    /// Whether users learn who has them as a friend without being their friend, and these are
    /// counted.
    package var reportsReverseFriends = false
    /// The version of the app with which that changed last.
    ///
    /// A count of before is not kept while it is off, so it is made again.
    package var reverseEpoch: Int64 = 0
    /// How many days the app keeps what its relations were before they changed; 0 keeps nothing.
    package var historyDays = 0
    /// How many bytes of that it keeps at most.
    package var historyBytes = SettingBounds.historyBytesUsually
    /// How much the app's callers may do, below what the server allows.
    package var bounds = AppBounds()
    /// Whether the server answers TIM's REST API for the app.
    package var answersTIM = false
    /// The user ids whose signature opens TIM's REST API.
    package var timAdministrators: [String] = []
    /// Whether values that TIM stores without a check are taken as they come: birthdays that
    /// are not a day, and keywords of sources with other characters than letters.
    package var keepsTIMValues = false
    /// The highest value so far of each limit of a text or of the parts of a row; nil if no present
    /// limit is lower.
    ///
    /// Rows that were written under a higher limit stay as they are.
    package var earlierLimits: AppLimits?
    /// Whether ``keepsTIMValues`` was true before.
    package var keptTIMValues = false
    /// The fields that profiles and friends have beside the fixed ones.
    package var customFields: [CustomField] = []
    /// The history to which the app's tokens and numbers belong; no call reads or changes it.
    package var history = History()
    /// The client apps that users may let read their fields.
    package var clientApps: [ClientApp] = []
    /// The permissions that the app defined: further ones, and replacements of
    /// ``Permission/builtIn``.
    package var permissions: [Permission] = []
    /// The webhooks of the app, in the order of their ids.
    package var hooks: [HookRecord] = []
    /// The kinds of calls about which one of them is asked: calls look at this alone.
    package var asked = HookQuestionSet()

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

    /// The limits under which the longest rows of the app were written.
    package var rowLimits: AppLimits { earlierLimits ?? limits }

    /// Whether rows may have what ``keepsTIMValues`` lets in, from now or from before.
    package var rowsMayHaveTIMValues: Bool { keepsTIMValues || keptTIMValues }

    /// The custom field of that key, unless it was retired.
    package func customField(_ key: String, of owner: CustomFieldOwner) -> CustomField? {
        customFields.first { $0.owner == owner && !$0.isRetired && $0.key.isExactly(key) }
    }

    /// Whether the signature of `user` opens TIM's REST API.
    package func isTIMAdministrator(_ user: String) -> Bool {
        answersTIM && timAdministrators.contains { $0.isExactly(user) }
    }

    /// Whether `text` contains a forbidden word.
    ///
    /// Case, width and invisible characters make no difference.
    package func forbids(_ text: String) -> Bool {
        comparedWords.occur(in: text)
    }

    /// Whether `word` can be forbidden: it has a visible character that is not a space.
    package static func canForbid(_ word: String) -> Bool {
        let visible = String(decoding: ForbiddenWords.visible(word), as: UTF8.self)
        return !visible.unicodeScalars.allSatisfy(\.properties.isWhitespace)
    }
}

extension UserID {
    /// The actor if no user acts: the administrators of the app.
    ///
    /// No user has this name. Its partition holds the app's own rows, and the answers to the
    /// request ids of its administrators.
    package static let administrator = UserID(stored: [0x05])
}
