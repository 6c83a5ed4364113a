package import RelationModel

/// One setting of an app: its name, the number under which it is stored, its bounds, and its field
/// in ``AppSettings``.
///
/// The app's administrators may change it, unless it is a bound of its callers.
package struct AppSetting: Sendable {
    /// Its path in the contract's `AppSettings`.
    package let name: String
    /// Never given to another setting.
    package let number: UInt32
    package let bounds: Bounds
    /// The unit in which it counts, if it is a limit that an app's callers meet.
    package let unit: @Sendable (AppSettings) -> LimitUnit?
    private let read: @Sendable (AppSettings) -> Value
    private let write: @Sendable (inout AppSettings, Value) -> Void

    /// The value of a setting.
    package enum Value: Equatable, Sendable {
        case number(Int64)
        case texts([String])
    }

    /// The values that a setting may have.
    package enum Bounds: Equatable, Sendable {
        case number(ClosedRange<Int64>)
        /// The number of texts, and the bytes of each.
        case texts(ClosedRange<Int>, each: ClosedRange<Int>)
    }

    /// Whether only operators may change it: the bounds of callers, which an app could lift
    /// otherwise.
    package var isForOperators: Bool { (50...58).contains(number) }

    /// Whether a higher value lets more into rows: limits of texts, of groups, of custom values,
    /// and `keepsTIMValues`.
    package var widensRows: Bool {
        (5...15).contains(number) || [3, 21, 80, 270].contains(number)
    }

    /// Whether its texts are paths of fields of profiles.
    package var namesFields: Bool { (81...84).contains(number) || namesReviewedFields }

    /// Whether these are fields whose new values are reviewed, of profiles or of friends' rows.
    package var namesReviewedFields: Bool {
        (253...254).contains(number) || namesReviewedFriendFields
    }

    /// Whether these are such fields of friends' rows.
    package var namesReviewedFriendFields: Bool { number == 260 }

    package func value(in settings: AppSettings) -> Value { read(settings) }

    package func set(_ value: Value, in settings: inout AppSettings) { write(&settings, value) }

    package static func named(_ name: String) -> AppSetting? {
        all.first { $0.name.isExactly(name) }
    }

    package static func numbered(_ number: UInt32) -> AppSetting? {
        all.first { $0.number == number }
    }

    // MARK: The form in which it is stored

    package func record(of value: Value) -> SettingRecord {
        var record = SettingRecord()
        record.number = number
        switch value {
        case .number(let number): record.value = number
        case .texts(let texts): record.texts = texts
        }
        return record
    }

    package func apply(_ record: SettingRecord, to settings: inout AppSettings) {
        switch bounds {
        case .number: set(.number(record.value), in: &settings)
        case .texts: set(.texts(record.texts), in: &settings)
        }
    }
}

extension AppSetting {
    /// Every setting, in the order of the contract.
    package static let all: [AppSetting] =
        limits + [
            .choice(30, "default_visibility", 1...4, \.defaultVisibility),
            .choice(31, "default_allow_type", 0...2, \.defaultAllowType),
            .count(
                32, "applications_per_day", 0...Int64(SettingBounds.applicationsPerDay),
                \.applicationsPerDay),
            AppSetting(
                name: "application_lifetime_ms", number: 33,
                bounds: .number(0...SettingBounds.applicationLifetimeMs), unit: { _ in nil },
                read: { .number($0.applicationLifetimeMs ?? 0) },
                write: { $0.applicationLifetimeMs = $1.number == 0 ? nil : $1.number }),
            .flag(34, "keeps_friendship_on_blacklist", \.keepsFriendshipOnBlacklist),
            .flag(35, "checks_friendship_on_send", \.checksFriendshipOnSend),
            AppSetting(
                name: "forbidden_words", number: 36,
                bounds: .texts(
                    0...SettingBounds.forbiddenWords, each: 1...SettingBounds.forbiddenWordBytes),
                unit: { _ in nil }, read: { .texts($0.forbiddenWords) },
                write: { $0.forbiddenWords = $1.texts }),
            .flag(37, "makes_accounts_implicitly", \.makesAccountsImplicitly),
            .amount(
                38, "profile_cache_seconds", 0...SettingBounds.profileCacheSeconds,
                \.profileCacheSeconds),
            .amount(39, "log_lifetime_ms", SettingBounds.logLifetimeMs, \.logLifetimeMs),
            .count(
                40, "log_events", 1...Int64(SettingBounds.logEvents), \.logEvents, isLimit: false),
        ] + bounds + abuse + fieldDefaults + erasure + finding + tim + reviews
        + history + windows

    private static let fieldDefaults: [AppSetting] = [
        .fields(81, "field_defaults.oneself", \.fieldDefaults.oneself),
        .fields(82, "field_defaults.friends", \.fieldDefaults.friends),
        .fields(83, "field_defaults.followers", \.fieldDefaults.followers),
        .fields(84, "field_defaults.everyone", \.fieldDefaults.everyone),
    ]

    private static let reviews: [AppSetting] = [
        .fields(253, "reviewed_fields.held", \.reviewedFields.held),
        .fields(254, "reviewed_fields.shown", \.reviewedFields.shown),
        .fields(260, "reviewed_friend_fields", \.reviewedFields.friends),
    ]

    private static let tim: [AppSetting] = [
        .flag(129, "tim_rest", \.answersTIM),
        AppSetting(
            name: "tim_administrators", number: 130,
            bounds: .texts(
                0...SettingBounds.timAdministrators, each: 1...Limits.userIDBytes),
            unit: { _ in nil }, read: { .texts($0.timAdministrators) },
            write: { $0.timAdministrators = $1.texts }),
        .flag(270, "keeps_tim_values", \.keepsTIMValues),
    ]

    private static let abuse: [AppSetting] = [
        .count(
            70, "applications_received_per_day", 0...Int64(SettingBounds.applicationsPerDay),
            \.applicationsReceivedPerDay),
        .amount(
            71, "application_cooldown_ms", 0...SettingBounds.applicationCooldownMs,
            \.applicationCooldownMs, isLimit: true),
        .amount(
            72, "new_account_quarantine_ms", 0...SettingBounds.newAccountQuarantineMs,
            \.newAccountQuarantineMs, isLimit: true),
        .flag(77, "marks_risks", \.marksRisks),
        .flag(264, "reports_reverse_friends", \.reportsReverseFriends),
    ]

    private static let history: [AppSetting] = [
        .count(
            280, "history_days", 0...Int64(SettingBounds.historyDays), \.historyDays,
            isLimit: false),
        .amount(281, "history_bytes", SettingBounds.historyBytes, \.historyBytes),
    ]

    private static let windows: [AppSetting] = [
        .amount(
            290, "applications_window_ms", SettingBounds.windowMs,
            \.applicationsWindowMs, isLimit: true),
        .amount(
            291, "applications_received_window_ms", SettingBounds.windowMs,
            \.applicationsReceivedWindowMs, isLimit: true),
        .amount(
            292, "reports_window_ms", SettingBounds.windowMs, \.reportsWindowMs, isLimit: true),
        .amount(
            293, "contact_lookups_window_ms", SettingBounds.windowMs, \.contactLookupsWindowMs,
            isLimit: true),
    ]

    private static let erasure: [AppSetting] = [
        .flag(240, "erasure.always", \.erasure.always),
        .flag(241, "erasure.keeps_logs", \.erasure.keepsLogs),
        .flag(242, "erasure.keeps_applications", \.erasure.keepsApplications),
        .flag(243, "erasure.keeps_answers", \.erasure.keepsAnswers),
        .flag(244, "erasure.keeps_session_ends", \.erasure.keepsSessionEnds),
        .flag(263, "erasure.keeps_reports", \.erasure.keepsReports),
    ]

    private static let finding: [AppSetting] = [
        .flag(220, "finds_users", \.findsUsers),
        .choice(221, "default_findability", 1...2, \.defaultFindability),
        .flag(265, "finds_id_beginnings", \.findsIDBeginnings),
    ]

    private static let limits: [AppSetting] = [
        .count(1, "limits.friends", 0...10_000, \.limits.friends),
        .count(2, "limits.blacklisted_users", 0...10_000, \.limits.blacklistedUsers),
        .count(3, "limits.groups", 0...Int64(AppLimits.mostGroups), \.limits.groups),
        .count(4, "limits.pendencies", 0...1_000, \.limits.pendencies),
        .text(5, "limits.group_name", 1...256, \.limits.groupName),
        .text(6, "limits.remark", 0...512, \.limits.remark),
        .text(7, "limits.wording", 0...Int64(AppLimits.maxWording.count), \.limits.wording),
        .text(8, "limits.nick", 0...1_024, \.limits.nick),
        .text(9, "limits.face_url", 0...1_024, \.limits.faceURL),
        .text(10, "limits.self_signature", 0...1_024, \.limits.selfSignature),
        .count(11, "limits.location_bytes", 0...256, \.limits.locationBytes, in: .bytes),
        .text(12, "limits.unique_id", 1...64, \.limits.uniqueID),
        .text(13, "limits.email", 0...256, \.limits.email),
        .text(14, "limits.birthday_text", 0...256, \.limits.birthdayText),
        .text(15, "limits.location_text", 0...256, \.limits.locationText),
        .highest(16, "limits.level", \.limits.level),
        .highest(17, "limits.role", \.limits.role),
        .count(18, "limits.profiles_per_call", 1...100, \.limits.profilesPerCall),
        .count(19, "limits.profile_keys", 0...100, \.limits.profileKeys),
        .count(20, "limits.friend_keys", 0...100, \.limits.friendKeys),
        .text(21, "limits.custom_value", 0...1_024, \.limits.customValue),
        .count(22, "limits.subscriptions", 0...10_000, \.limits.subscriptions),
        .count(23, "limits.subscribers", 0...50_000, \.limits.subscribers),
        .count(24, "limits.followings", 0...20_000, \.limits.followings),
        .count(25, "limits.followers", 0...4_000_000_000, \.limits.followers),
        .count(26, "limits.mutual_follows", 0...20_000, \.limits.mutualFollows),
        .count(27, "limits.invitations", 0...1_000, \.limits.invitations),
        .count(
            28, "limits.dismissed_suggestions", 0...20_000, \.limits.dismissedSuggestions),
        .text(29, "limits.status", 0...Int64(AppLimits.maxStatus.count), \.limits.status),
        .count(41, "limits.consumers", 0...Int64(Limits.consumers), \.limits.consumers),
        .count(80, "limits.field_visibilities", 0...100, \.limits.fieldVisibilities),
        .count(231, "limits.contact_lookups", 0...1_000_000, \.limits.contactLookups),
        .count(255, "limits.reviews", 0...Int64(SettingBounds.reviews), \.limits.reviews),
    ]

    private static let bounds: [AppSetting] = [
        .bound(50, "bounds.calls_per_second", \.bounds.rate),
        .bound(51, "bounds.key_calls_per_second", \.bounds.keyRate),
        .bound(52, "bounds.user_calls_per_second", \.bounds.userRate),
        .bound(53, "bounds.open_calls", \.bounds.openCalls),
        .bound(54, "bounds.key_open_calls", \.bounds.keyOpenCalls),
        .bound(55, "bounds.user_open_calls", \.bounds.userOpenCalls),
        .bound(56, "bounds.connections", \.bounds.connections),
        .bound(57, "bounds.key_connections", \.bounds.keyConnections),
        .bound(58, "bounds.user_connections", \.bounds.userConnections),
    ]

    private typealias Path<Value> = WritableKeyPath<AppSettings, Value> & Sendable

    private static func count(
        _ number: UInt32, _ name: String, _ bounds: ClosedRange<Int64>, _ path: any Path<Int>,
        in unit: LimitUnit = .items, isLimit: Bool = true
    ) -> AppSetting {
        AppSetting(
            name: name, number: number, bounds: .number(bounds),
            unit: { _ in isLimit ? unit : nil },
            read: { .number(Int64($0[keyPath: path])) },
            write: { $0[keyPath: path] = Int($1.number) })
    }

    private static func fields(
        _ number: UInt32, _ name: String, _ path: any Path<[String]>
    ) -> AppSetting {
        AppSetting(
            name: name, number: number,
            bounds: .texts(
                0...SettingBounds.fieldDefaults, each: 1...SettingBounds.fieldPathBytes),
            unit: { _ in nil }, read: { .texts($0[keyPath: path]) },
            write: { $0[keyPath: path] = $1.texts })
    }

    private static func bound(
        _ number: UInt32, _ name: String, _ path: any Path<Int>
    ) -> AppSetting {
        .count(number, name, 0...Int64(SettingBounds.callers), path)
    }

    private static func text(
        _ number: UInt32, _ name: String, _ bounds: ClosedRange<Int64>, _ path: any Path<TextLimit>
    ) -> AppSetting {
        AppSetting(
            name: name, number: number, bounds: .number(bounds),
            unit: { $0[keyPath: path].unit == .bytes ? .bytes : .characters },
            read: { .number(Int64($0[keyPath: path].count)) },
            write: { $0[keyPath: path] = $0[keyPath: path].counting(Int($1.number)) })
    }

    private static func highest(
        _ number: UInt32, _ name: String, _ path: any Path<UInt32>
    ) -> AppSetting {
        AppSetting(
            name: name, number: number, bounds: .number(0...Int64(UInt32.max)),
            unit: { _ in .value },
            read: { .number(Int64($0[keyPath: path])) },
            write: { $0[keyPath: path] = UInt32($1.number) })
    }

    private static func amount(
        _ number: UInt32, _ name: String, _ bounds: ClosedRange<Int64>, _ path: any Path<Int64>,
        isLimit: Bool = false
    ) -> AppSetting {
        AppSetting(
            name: name, number: number, bounds: .number(bounds),
            unit: { _ in isLimit ? .milliseconds : nil },
            read: { .number($0[keyPath: path]) },
            write: { $0[keyPath: path] = $1.number })
    }

    private static func flag(_ number: UInt32, _ name: String, _ path: any Path<Bool>) -> AppSetting
    {
        AppSetting(
            name: name, number: number, bounds: .number(0...1), unit: { _ in nil },
            read: { .number($0[keyPath: path] ? 1 : 0) },
            write: { $0[keyPath: path] = $1.number != 0 })
    }

    private static func choice<Choice: RawRepresentable & Sendable>(
        _ number: UInt32, _ name: String, _ bounds: ClosedRange<Int64>, _ path: any Path<Choice>
    ) -> AppSetting where Choice.RawValue == Int32 {
        AppSetting(
            name: name, number: number, bounds: .number(bounds), unit: { _ in nil },
            read: { .number(Int64($0[keyPath: path].rawValue)) },
            write: { settings, value in
                guard let choice = Choice(rawValue: Int32(value.number)) else { return }
                settings[keyPath: path] = choice
            })
    }
}

extension AppSetting.Value {
    /// The number; 0 for texts.
    fileprivate var number: Int64 {
        if case .number(let number) = self { number } else { 0 }
    }

    /// The texts; an empty list for a number.
    fileprivate var texts: [String] {
        if case .texts(let texts) = self { texts } else { [] }
    }
}
