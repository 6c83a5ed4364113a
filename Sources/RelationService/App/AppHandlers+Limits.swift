import Protobuf
import RelationAPI
import RelationCalls
import RelationChanges
import RelationCore
import RelationModel

extension AppHandlers {
    static func getLimits(
        _ request: GetLimitsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<GetLimitsResponse> {
        let settings = call.app.settings
        let (app, user, now) = (call.app, call.user, call.now)
        return reading(call) { (userRecord, transaction) throws(StorageError) in
            let cutoff = settings.expiryCutoffMs(at: now)
            let waiting = try Applications.counts(
                of: userRecord, user, app, cutoff: cutoff, in: transaction)
            var use = LimitUse(userRecord, waiting, settings, at: now)
            use.hiddenSent = try Applications.hiddenThatWait(
                userRecord, of: user, app, cutoff: cutoff, in: transaction)
            for type in SubscribeType.stored {
                let count = try Subscriptions.count(
                    of: user, userRecord, type, at: now, app: app, in: transaction)
                let followers = try Subscriptions.subscriberCount(
                    of: user, type, at: now, app: app, in: transaction)
                use.subscriptions.append((type.suffix, Int64(count)))
                use.subscribers.append((type.suffix, Int64(followers)))
            }
            use.follows = try Follows.counts(of: user, userRecord, app: app, in: transaction)
            use.invitations = try Invitations.list(of: user, at: now, app: app, in: transaction)
                .count { $0.state == .active }
            use.fieldVisibilities = try Profiles.record(of: user, app: app, in: transaction)
                .fieldChoices.chosen.count
            var response = GetLimitsResponse()
            let bounds = RequestLimits.byLength(RowSizes(settings))
            for setting in AppSetting.all {
                guard let unit = setting.unit(settings),
                    case .number(let number) = setting.value(in: settings)
                else { continue }
                let limit = min(number, bounds[setting.name] ?? number)
                for (suffix, count) in use.of(setting) {
                    response.limits.append(
                        LimitMessage(setting.name + suffix, limit, unit, count))
                }
            }
            // The bound of a field of bytes counts bytes, even if the app counts texts otherwise.
            response.limits.append(
                LimitMessage(
                    "limits.custom_value of bytes", Int64(settings.limits.customValue.count),
                    .bytes, nil))
            response.limits.append(
                LimitMessage(
                    "reports in a day", Int64(Limits.reportsPerWindow), .items, use.reportsMade))
            for (name, number, unit) in RequestLimits.all {
                let number = min(number, bounds[name] ?? number)
                response.limits.append(LimitMessage(name, number, unit, nil))
            }
            return response
        }
    }
}

/// The bounds of requests, by the names that GetLimits gives them.
///
/// A name is a call with its list, or a field that all calls share. The bounds are the same in
/// every app, with one exception. The settings of an app may make rows so long that the answer to
/// this many items would be longer than a message may be.
enum RequestLimits {
    /// The number of items that an answer has room for, where the app's settings decide it.
    static func byLength(_ sizes: RowSizes) -> [String: Int64] {
        [
            "GetFriends.user_ids": Int64(sizes.friendsPerCall),
            "GetFriends.user_ids, with profiles": Int64(sizes.joinedFriendsPerCall),
            "GetProfiles.user_ids": Int64(sizes.profilesPerCall),
            "GetProfiles.known_versions": Int64(sizes.profilesPerCall),
            "GetRelations.user_ids": Int64(sizes.relationsPerCall),
            "GetRelations.user_ids, with profiles or custom fields":
                Int64(sizes.fullRelationsPerCall),
            "QuerySubscriptions.user_ids, with profiles":
                Int64(sizes.joinedSubscriptionsPerCall),
            "limits.profiles_per_call": Int64(sizes.profilesPerCall),
        ]
    }

    /// The bounds of every request, and those that no single request has.
    static let shared: [(name: String, limit: Int64, unit: LimitUnit)] = [
        ("devices of a user", Int64(Limits.devicesPerUser), .items),
        ("permissions of the app", Int64(Limits.permissions), .items),
        ("client apps", Int64(Limits.clientApps), .items),
        ("credentials", Int64(Limits.credentials), .items),
        ("hooks", Int64(Limits.hooks), .items),
        ("failures of a hook kept", Int64(Limits.hookFailures), .items),
        ("calls that wait for a hook", Int64(Limits.questionsOfApp), .items),
        ("operator keys", Int64(Limits.operatorKeys), .items),
        ("open exports", Int64(Limits.openExportsPerApp), .items),
        ("an export is kept for", Limits.exportMilliseconds, .milliseconds),
        ("an export is kept, while it is read, for", Limits.exportLifeMilliseconds, .milliseconds),
        ("field mask", Int64(Limits.maskPaths), .items),
        ("page_size", Int64(Limits.maxPageRows), .items),
        ("page", Int64(Limits.pageBytes), .bytes),
        ("message", Int64(Limits.messageBytes), .bytes),
        ("user_id", Int64(Limits.userIDBytes), .bytes),
        ("client_app_id", Int64(Limits.clientAppIDBytes), .bytes),
        ("options.request_id", Int64(Limits.requestIDBytes), .bytes),
        ("options.device_id", Int64(Limits.deviceIDBytes), .bytes),
        ("request ids kept", Int64(Limits.requestIDsPerUser), .items),
        ("request ids kept for", Limits.requestIDMilliseconds, .milliseconds),
        ("friend groups of the fields' visibility", Int64(Limits.groupsOfFields), .items),
        ("applications in the history", Int64(Limits.handledApplications), .items),
        ("applications in the history for", Limits.handledApplicationMilliseconds, .milliseconds),
        ("ended invitations", Int64(Limits.endedInvitations), .items),
        ("ended invitations for", Limits.endedInvitationMilliseconds, .milliseconds),
        ("suggestions", Int64(Limits.suggestions), .items),
        ("common friends of a suggestion", Int64(Limits.suggestionNames), .items),
        ("friends whose lists give suggestions", Int64(Limits.suggestionFriends), .items),
        ("rows that give suggestions", Int64(Limits.suggestionRows), .items),
        ("no suggestion after a refusal for", Limits.refusalMilliseconds, .milliseconds),
        ("rows that mutual friends are counted in", Int64(Limits.mutualCountRows), .items),
        ("rows that mutual friends are listed from", Int64(Limits.mutualFriendRows), .items),
        ("reverse friends that are counted", Int64(Limits.reverseFriendsCounted), .items),
        ("names that a page of found users looks at", Int64(Limits.foundNamesPerPage), .items),
        ("users with one digest", Int64(Limits.contactOwners), .items),
        (
            "entries of a history that a read of the past looks at", Int64(Limits.pastEntries),
            .items
        ),
        ("bytes of a history that a read of the past looks at", Int64(Limits.pastBytes), .bytes),
        ("open reports about a user", Int64(Limits.reportsAboutUser), .items),
        ("reports of the app", Int64(Limits.reports), .items),
        ("reports of the app for", Limits.reportMilliseconds, .milliseconds),
        ("suspensions of the app", Int64(Limits.suspensions), .items),
        ("users with an end of their sessions", Int64(Limits.sessionEnds), .items),
    ]

    /// All of them: those of the calls in the order of the contract, then the shared ones.
    static let all: [(name: String, limit: Int64, unit: LimitUnit)] =
        ServiceTable.all.flatMap { method in
            method.limits.map { ("\(method.name).\($0.field)", $0.limit, LimitUnit($0.unit)) }
        } + shared
}

extension LimitUnit {
    fileprivate init(_ unit: RequestLimit.Unit) {
        self =
            switch unit {
            case .items: .items
            case .bytes: .bytes
            case .characters: .characters
            case .milliseconds: .milliseconds
            case .seconds: .seconds
            }
    }
}

extension LimitMessage {
    fileprivate init(_ name: String, _ limit: Int64, _ unit: LimitUnit, _ use: Int64?) {
        self.init()
        self.name = name
        value = limit
        self.unit = unit
        inUse = use
    }
}

/// The use of the app's limits, by one user or by the app itself.
private struct LimitUse {
    private let userRecord: UserRecord
    private let waiting: Applications.Counts
    private let settings: AppSettings
    private let now: Timestamp
    /// The applications that wait, and that the user took off its own list.
    var hiddenSent = 0
    /// The subscriptions of the user, and the subscriptions to it.
    var subscriptions: [(suffix: String, count: Int64?)] = []
    var subscribers: [(suffix: String, count: Int64?)] = []
    /// The follows of the user, and those by others.
    var follows: Follows.Counts?
    /// The invitations of the user that are good.
    var invitations = 0
    /// The fields of its profile for which the user has chosen who may read them.
    var fieldVisibilities = 0

    init(
        _ userRecord: UserRecord, _ waiting: Applications.Counts, _ settings: AppSettings,
        at now: Timestamp
    ) {
        self.userRecord = userRecord
        self.waiting = waiting
        self.settings = settings
        self.now = now
    }

    /// The use of a limit, each with the suffix of its name; nil if nothing is counted.
    ///
    /// A limit that holds for two lists has two of them.
    func of(_ setting: AppSetting) -> [(suffix: String, count: Int64?)] {
        switch setting.name {
        case "limits.friends": [("", Int64(userRecord.friendCount))]
        case "limits.blacklisted_users": [("", Int64(userRecord.blacklistCount))]
        case "limits.groups": [("", Int64(userRecord.groupCount))]
        case "limits.pendencies":
            [
                (".come_in", Int64(waiting.comeIn)),
                (".send_out", Int64(waiting.sendOut + hiddenSent)),
            ]
        case "limits.subscriptions": subscriptions
        case "limits.subscribers": subscribers
        case "limits.followings": [("", follows?.following)]
        case "limits.followers": [("", follows?.followers)]
        case "limits.mutual_follows": [("", follows?.mutual)]
        case "limits.invitations": [("", Int64(invitations))]
        case "limits.dismissed_suggestions": [("", Int64(userRecord.dismissalCount))]
        case "limits.field_visibilities": [("", Int64(fieldVisibilities))]
        case "limits.contact_lookups":
            [("", Int64(userRecord.contactsAsked(at: now, settings)))]
        case "limits.profile_keys": [("", keys(.profile))]
        case "limits.friend_keys": [("", keys(.friend))]
        case "applications_per_day":
            [("", Int64(userRecord.applicationsSent(at: now, settings)))]
        case "applications_received_per_day":
            [("", Int64(userRecord.applicationsReceived(at: now, settings)))]
        default: [("", nil)]
        }
    }

    /// The reports that the user made in this window.
    var reportsMade: Int64 { Int64(userRecord.reportsMade(at: now, settings)) }

    private func keys(_ owner: CustomFieldOwner) -> Int64 {
        Int64(settings.customFields.count { $0.owner == owner && !$0.isRetired })
    }
}

extension SubscribeType {
    /// The suffix of the names of its limits.
    fileprivate var suffix: String { self == .onlineStatus ? ".online_status" : ".user_profile" }
}
