import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import StorageSuite
import Testing

@testable import RelationCalls
@testable import RelationService

/// By the arithmetic of ``RowSizes`` no answer is longer than a message may be.
///
/// The tests compare it with the longest answers that an app's settings allow, made as messages.
@Suite struct RowSizesTests {
    private static let presets: [AppSettings] = [.tim, .rongCloud]

    /// The settings with as many custom fields as they allow, all of them texts with the longest
    /// keys.
    private func filled(_ settings: AppSettings) -> AppSettings {
        var settings = settings
        let limits = settings.limits
        for (owner, count) in [
            (CustomFieldOwner.profile, limits.profileKeys), (.friend, limits.friendKeys),
        ] {
            for number in 0..<count {
                let digits = Array("\(1_000 + number)".utf8).map { $0 - 48 + 97 }
                let key = String(decoding: digits, as: UTF8.self)
                let rest = String(repeating: "k", count: limits.customKeyBytes - 4)
                settings.customFields.append(CustomField(owner, key + rest, .string))
            }
        }
        return settings
    }

    @Test func aPresetsSettingsLeaveEveryCallItsDocumentedNumber() {
        for settings in Self.presets + Self.presets.map(filled) {
            let sizes = RowSizes(settings)
            #expect(sizes.friendsPerCall == Limits.getFriendsItems)
            #expect(sizes.joinedFriendsPerCall == Limits.getFriendsItems)
            #expect(sizes.joinedSubscriptionsPerCall == Limits.joinedSubscriptionItems)
            #expect(sizes.profilesPerCall == settings.limits.profilesPerCall)
            #expect(sizes.relationsPerCall == Limits.relationItems)
            #expect(sizes.fullRelationsPerCall == Limits.fullRelationItems)
        }
    }

    // MARK: The longest answers

    private func text(_ limit: TextLimit) -> String {
        String(repeating: limit.unit == .bytes ? "x" : "\u{1F600}", count: limit.count)
    }

    private func custom(_ owner: CustomFieldOwner, _ settings: AppSettings) -> [CustomValue] {
        settings.customFields.filter { $0.owner == owner }.map { field in
            CustomValue(field.key, .data(Array(text(settings.limits.customValue).utf8)))
        }
    }

    private let id = String(repeating: "u", count: Limits.userIDBytes)
    private let source = "AddSource_Type_" + String(repeating: "s", count: 8)

    private func friend(_ settings: AppSettings, withCustom: Bool = true) -> Friend {
        let limits = settings.limits
        var friend = Friend()
        friend.userID = id
        friend.remark = text(limits.remark)
        friend.groups = (0..<limits.groups).map { _ in text(limits.groupName) }
        friend.source = source
        friend.wording = text(limits.wording)
        friend.addTimeMs = .max
        friend.remarkTimeMs = .max
        friend.sequence = .max
        friend.starred = true
        friend.pinOrder = .max
        friend.muteUntilMs = .max
        friend.ignored = true
        if withCustom { friend.custom = custom(.friend, settings) }
        return friend
    }

    private func profile(_ settings: AppSettings) -> Profile {
        let limits = settings.limits
        var profile = Profile()
        profile.userID = id
        profile.nick = text(limits.nick)
        profile.faceURL = text(limits.faceURL)
        profile.allowType = .denyAny
        profile.gender = .female
        profile.birthday = .max
        profile.location = [UInt8](repeating: 1, count: limits.locationBytes)
        profile.language = .max
        profile.level = .max
        profile.role = .max
        profile.selfSignature = [UInt8](repeating: 1, count: limits.selfSignature.count)
        profile.msgSettings = .max
        profile.adminForbidType = .sendOut
        profile.version = .max
        profile.uniqueID = String(repeating: "1", count: limits.uniqueID.count)
        profile.email = text(limits.email)
        profile.birthdayText = text(limits.birthdayText)
        profile.locationText = text(limits.locationText)
        for path: WritableKeyPath<Profile, String> in [
            \.name, \.firstName, \.middleName, \.lastName, \.username,
        ] { profile[keyPath: path] = text(limits.nick) }
        profile.link = text(limits.faceURL)
        profile.pictureURL = text(limits.faceURL)
        profile.locale = String(repeating: "l", count: Limits.localeBytes)
        profile.ageRange = AgeRange()
        profile.ageRange?.min = .max
        profile.ageRange?.max = .max
        profile.custom = custom(.profile, settings)
        return profile
    }

    private func pendency(_ settings: AppSettings) -> FriendApplication {
        var pendency = FriendApplication()
        pendency.userID = id
        pendency.addTimeMs = .max
        pendency.operationTimeMs = .max
        pendency.source = source
        pendency.wording = text(settings.limits.wording)
        pendency.pendencyType = .sendOut
        pendency.applicationID = "\(id)#\(Int64.max)#\(id)"
        pendency.status = .withdrawn
        return pendency
    }

    private func card(_ settings: AppSettings, isFull: Bool) -> RelationCard {
        var card = RelationCard()
        card.userID = id
        card.code = .success
        card.relation = .bothWay
        card.friendEntry = friend(settings, withCustom: isFull)
        card.blacklisted = true
        card.blacklistedBy = true
        card.sent = pendency(settings)
        card.received = pendency(settings)
        if isFull { card.profile = profile(settings) }
        return card
    }

    private func result(_ settings: AppSettings) -> GetProfileResult {
        var result = GetProfileResult()
        result.userID = id
        result.code = .success
        result.viewVersion = .max
        result.profile = profile(settings)
        // This is more than possible: no field is both present and named as absent.
        for field in ProfileField.allCases {
            result.fieldAccess.append(FieldAccess(field.name, .notGranted))
        }
        for field in settings.customFields where field.owner == .profile {
            result.fieldAccess.append(
                FieldAccess(CustomPath.prefix + field.key, .notGranted))
        }
        return result
    }

    private func subscription(
        _ settings: AppSettings, isJoined: Bool
    ) -> QuerySubscriptionResult {
        var subscription = Subscription()
        subscription.userID = id
        subscription.subscribeType = .userProfile
        subscription.subscribeTimeMs = .max
        subscription.expireTimeMs = .max
        var presence = Presence()
        presence.userID = id
        presence.online = true
        for _ in 0..<Limits.devicesPerUser {
            var device = DevicePresence()
            device.deviceID = String(repeating: "d", count: Limits.deviceIDBytes)
            device.platform = String(repeating: "p", count: Limits.platformBytes)
            device.online = true
            device.changeTimeMs = .max
            presence.devices.append(device)
        }
        presence.statusText = String(repeating: "\u{1F600}", count: AppLimits.maxStatus.count)
        presence.statusExpireTimeMs = .max
        subscription.presence = presence
        if isJoined { subscription.profile = profile(settings) }
        var result = QuerySubscriptionResult()
        result.userID = id
        result.code = .success
        result.subscription = subscription
        return result
    }

    /// The answers that would be too long under the settings, if each had its full length.
    private func tooLong(_ settings: AppSettings) -> [String] {
        let sizes = RowSizes(settings)
        var found = GetFriendResult()
        found.userID = id
        found.code = .success
        found.friendEntry = friend(settings)
        var joined = found
        joined.friendEntry?.profile = profile(settings)
        let answers = [
            ("GetFriends", sizes.friendsPerCall, found.bytesAtMost),
            ("GetFriends, joined", sizes.joinedFriendsPerCall, joined.bytesAtMost),
            (
                "QuerySubscriptions", Limits.subscriptionItems,
                subscription(settings, isJoined: false).bytesAtMost
            ),
            (
                "QuerySubscriptions, joined", sizes.joinedSubscriptionsPerCall,
                subscription(settings, isJoined: true).bytesAtMost
            ),
            ("GetProfiles", sizes.profilesPerCall, result(settings).bytesAtMost),
            ("GetRelations", sizes.relationsPerCall, card(settings, isFull: false).bytesAtMost),
            (
                "GetRelations, full", sizes.fullRelationsPerCall,
                card(settings, isFull: true).bytesAtMost
            ),
        ]
        // Each item adds its tag and its length.
        return answers.filter { $1 * ($2 + 5) + Limits.answerOverheadBytes > Limits.messageBytes }
            .map { "\($0) of \($1) items has \($1 * ($2 + 5)) bytes" }
    }

    private func highest(_ settings: AppSettings) -> AppSettings {
        changed(settings) { $0.upperBound }
    }

    private func changed(
        _ settings: AppSettings, _ choose: (ClosedRange<Int64>) -> Int64
    ) -> AppSettings {
        var settings = settings
        for setting in AppSetting.all {
            guard case .number(let bounds) = setting.bounds else { continue }
            setting.set(.number(choose(bounds)), in: &settings)
        }
        return filled(settings)
    }

    @Test func noSettingsMakeAnAnswerTooLong() {
        for preset in Self.presets {
            #expect(tooLong(filled(preset)) == [])
            #expect(tooLong(highest(preset)) == [])
            #expect(tooLong(changed(preset) { $0.lowerBound }) == [])
        }
    }

    @Test(arguments: [UInt64.random(in: 0..<1 << 32)])
    func norDoAnySettingsBetweenTheirBounds(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        for round in 0..<60 {
            let settings = changed(Self.presets[round % 2]) { bounds in
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bounds.lowerBound
                case 1: bounds.upperBound
                default: Int64.random(in: bounds, using: &random)
                }
            }
            #expect(tooLong(settings) == [], "seed \(seed), round \(round)")
        }
    }

    /// So no setting has to be refused because of the length of a row.
    @Test func theLongestRowThatSettingsAllowFitsAMessageAlone() {
        for preset in Self.presets {
            let settings = highest(preset)
            #expect(card(settings, isFull: true).bytesAtMost < Limits.messageBytes / 3)
            #expect(card(settings, isFull: true).bytesAtMost < Limits.eventBytes)
            #expect(RowSizes(settings).fullRelationsPerCall >= 3)
        }
    }

    // MARK: Settings that were lowered

    @Test func rowsOfBeforeCountAfterALimitWasLowered() {
        var old = AppRecord()
        func update(_ name: String, _ value: Int64?) {
            var app = old
            guard let setting = AppSetting.named(name) else { return }
            app.settings.removeAll { $0.number == setting.number }
            if let value { app.settings.append(setting.record(of: .number(value))) }
            app.noteLowered(from: old)
            old = app
        }
        let usual = RowSizes(old.effectiveSettings).friend
        update("limits.remark", 512)
        let raised = RowSizes(old.effectiveSettings).friend
        #expect(raised > usual)
        for value in [nil, 0, 300, 512] as [Int64?] {
            update("limits.remark", value)
            #expect(RowSizes(old.effectiveSettings).friend == raised)
            #expect(old.highest.isEmpty == (value == 512))
        }
        #expect(!old.effectiveSettings.rowsMayHaveTIMValues)
        for value in [1, nil, 0, 1, 0] as [Int64?] {
            update("keeps_tim_values", value)
            #expect(old.effectiveSettings.rowsMayHaveTIMValues)
            #expect(old.highest.isEmpty == (value == 1))
        }
        old.highest = []
        update("limits.groups", 1_000)
        update("limits.nick", 7)
        #expect(old.highest.map(\.number) == [8])
        #expect(RowSizes(old.effectiveSettings).friend > raised)
    }
}
