import Protobuf
import RelationAPI
import RelationChanges
import RelationModel
import RelationSuite

@testable import RelationCalls
@testable import RelationService

// The calls of users about groups, profiles and client apps, and the calls of their administrators.
extension ServiceHistory {
    // MARK: Groups

    mutating func groups() -> ServiceStep {
        switch number(6) {
        case 0, 1:
            var request = CreateFriendGroupsRequest()
            request.userID = actor()
            request.names = list { $0.group() }
            request.userIDs = number(2) == 0 ? [] : list { $0.other() }
            return ServiceStep(GroupMethods.createFriendGroups, request, GroupHandlers.create)
        case 2:
            var request = DeleteFriendGroupsRequest()
            request.userID = actor()
            request.names = list { $0.group() }
            return ServiceStep(GroupMethods.deleteFriendGroups, request, GroupHandlers.delete)
        case 3:
            var request = RenameFriendGroupRequest()
            request.userID = actor()
            request.name = group()
            request.newName = group()
            return ServiceStep(GroupMethods.renameFriendGroup, request, GroupHandlers.rename)
        case 4:
            var request = AddFriendsToGroupRequest()
            request.userID = actor()
            request.name = group()
            request.userIDs = list { $0.other() }
            return ServiceStep(GroupMethods.addFriendsToGroup, request, GroupHandlers.addFriends)
        default:
            var request = RemoveFriendsFromGroupRequest()
            request.userID = actor()
            request.name = group()
            request.userIDs = list { $0.other() }
            return ServiceStep(
                GroupMethods.removeFriendsFromGroup, request, GroupHandlers.removeFriends)
        }
    }

    // MARK: Profiles

    /// Choices of who sees single fields, some of which are refused.
    private mutating func choices() -> [FieldVisibility] {
        var choices: [FieldVisibility] = []
        for field in ["level", "birthday", "nick"].prefix(number(3) + number(8) / 7) {
            var choice = FieldVisibility()
            choice.field = field
            choice.visibility = [.notSet, .invisible, .everyone, .friends, .groups][number(5)]
            if choice.visibility == .groups {
                choice.groupNames = [["work", "home", "chess"][number(3)]]
            }
            choices.append(choice)
        }
        return choices
    }

    private mutating func findSettings() -> ServiceStep {
        var request = SetFindSettingsRequest()
        request.userID = actor()
        let choices: [Findability?] = [.notSet, .noUser, .everyone, nil]
        var settings = FindSettings()
        settings.byID = choices[number(4)]
        settings.byUniqueID = choices[number(4)]
        settings.byName = choices[number(4)]
        settings.byPhone = choices[number(4)]
        request.settings = settings
        return ServiceStep(ProfileMethods.setFindSettings, request, FindHandlers.setFindSettings)
    }

    private mutating func contacts() -> ServiceStep {
        let digests = (0..<number(4)).map { _ in
            [UInt8](repeating: UInt8(number(4)), count: number(9) == 0 ? 31 : 32)
        }
        let kind = [ContactKind.phone, .email, .unspecified][number(5) % 3]
        guard number(2) == 0 else {
            var request = FindContactsRequest()
            (request.userID, request.kind, request.digests) = (actor(), kind, digests)
            // A dry run tells no contacts.
            return ServiceStep(
                ProfileMethods.findContacts, request, ContactHandlers.findContacts,
                forgetting: { $0.contacts = [] })
        }
        var request = SetContactDigestsRequest()
        (request.userID, request.kind, request.digests) = (actor(), kind, digests)
        return ServiceStep(
            ProfileMethods.setContactDigests, request, ContactHandlers.setContactDigests)
    }

    mutating func profile() -> ServiceStep {
        switch number(6) {
        case 0: return findSettings()
        case 1: return contacts()
        default: break
        }
        guard number(5) > 0 else {
            var request = SetVisibilityRequest()
            request.userID = actor()
            request.visibility = [.notSet, .invisible, .everyone, .friends, nil][number(5)]
            request.fields = choices()
            return ServiceStep(
                ProfileMethods.setVisibility, request, ProfileHandlers.setVisibility)
        }
        var request = UpdateProfileRequest()
        request.userID = actor()
        var profile = Profile()
        profile.nick = text()
        profile.allowType = [.allowAny, .needConfirm, .denyAny][number(3)]
        profile.adminForbidType = number(8) == 0 ? .sendOut : AdminForbidType.none
        profile.level = UInt32(number(3))
        profile.uniqueID = ["", "one", "two", "no id!"][number(4)]
        profile.custom = custom()
        request.profile = profile
        let mask = number(10)
        request.updateMask = FieldMask(
            [
                ["nick"], ["allow_type"], ["nick", "level"], ["no_field"], ["unique_id", "nick"],
                ["custom"], ["custom.Note", "unique_id"], ["admin_forbid_type"], ["nick"], ["nick"],
            ][mask])
        if number(5) == 0 { request.expectedVersion = Int64(number(4)) }
        // The app's moderators review the values of a caller that is not an administrator.
        if [0, 5, 8, 9].contains(mask) {
            return ServiceStep(
                ProfileMethods.updateProfile, request,
                { request, call, violations in
                    let own = Call(
                        app: call.app, user: call.user, isAdmin: false, now: call.now,
                        arena: call.arena)
                    return ProfileHandlers.update(request, own, &violations)
                })
        }
        return ServiceStep(ProfileMethods.updateProfile, request, ProfileHandlers.update)
    }

    /// Custom values, of which some are of the wrong kind or of no field.
    mutating func custom() -> [CustomValue] {
        guard number(2) == 0 else { return [] }
        let words = text()
        let note = CustomValue(
            "Note", number(2) == 0 ? .text(words) : .data(Array(words.utf8)))
        let size = CustomValue("Size", .number(UInt64(number(3))))
        let odd = [CustomValue("Size", .data([1])), CustomValue("None", .number(1))]
        return [[note], [size], [note, size], [size, note], [note, odd[number(2)]]][number(5)]
    }

    // MARK: Subscriptions

    mutating func subscriptions() -> ServiceStep {
        let type = one(of: [
            SubscribeType.unspecified, .onlineStatus, .onlineStatus, .userProfile, .userProfile,
            .friendUserProfile,
        ])
        guard number(3) > 0 else {
            var request = UnsubscribeRequest()
            request.userID = actor()
            request.subscribeType = type
            request.userIDs = list { $0.other() }
            return ServiceStep(
                SubscriptionMethods.unsubscribe, request, SubscriptionHandlers.unsubscribe)
        }
        var request = SubscribeRequest()
        request.userID = actor()
        request.subscribeType = type
        request.userIDs = list { $0.other() }
        request.expirySeconds = one(of: [60, 60, 90, 7_200, 59])
        return ServiceStep(
            SubscriptionMethods.subscribe, request, SubscriptionHandlers.subscribe)
    }

    // MARK: Follows

    mutating func follows() -> ServiceStep {
        guard number(3) > 0 else {
            var request = UnfollowRequest()
            request.userID = actor()
            request.userIDs = list { $0.other() }
            return ServiceStep(FollowMethods.unfollow, request, FollowHandlers.unfollow)
        }
        var request = FollowRequest()
        request.userID = actor()
        request.userIDs = list { $0.other() }
        return ServiceStep(FollowMethods.follow, request, FollowHandlers.follow)
    }

    mutating func status() -> ServiceStep {
        var request = SetStatusRequest()
        request.userID = actor()
        request.text = text()
        request.expirySeconds = one(of: [0, 60, 7_200, -1])
        return ServiceStep(PresenceMethods.setStatus, request, PresenceHandlers.setStatus)
    }

    mutating func dismissals() -> ServiceStep {
        guard number(3) > 0 else {
            var request = RestoreSuggestionsRequest()
            request.userID = actor()
            request.userIDs = list { $0.other() }
            return ServiceStep(
                FriendMethods.restoreSuggestions, request, FriendHandlers.restoreSuggestions)
        }
        var request = DismissSuggestionsRequest()
        request.userID = actor()
        request.userIDs = list { $0.other() }
        return ServiceStep(
            FriendMethods.dismissSuggestions, request, FriendHandlers.dismissSuggestions)
    }

    // MARK: Consent

    mutating func consent() -> ServiceStep {
        let client = ["reader", "reader", "reader", "writer", "writer", "unknown"][number(6)]
        let names = list { history in
            [
                "email", "email", "user_friends", "public_profile", "read_level", "post_news",
                "no_name", "no name",
            ][history.number(8)]
        }
        switch number(4) {
        case 0, 1:
            var request = GrantPermissionsRequest()
            request.userID = actor()
            request.clientAppID = client
            request.names = names
            return ServiceStep(
                ConsentMethods.grantPermissions, request, ConsentHandlers.grant)
        case 2:
            var request = DeclinePermissionsRequest()
            request.userID = actor()
            request.clientAppID = client
            request.names = names
            return ServiceStep(
                ConsentMethods.declinePermissions, request, ConsentHandlers.decline)
        default:
            var request = RevokePermissionsRequest()
            request.userID = actor()
            request.clientAppID = client
            request.permissions = number(2) == 0 ? .all(true) : .names(StringList(names))
            return ServiceStep(
                ConsentMethods.revokePermissions, request, ConsentHandlers.revoke)
        }
    }

    // MARK: Administrators

    mutating func deleteAccounts() -> ServiceStep {
        var request = DeleteAccountsRequest()
        request.userIDs = list { $0.other() }
        request.endSessions = number(2) == 0
        request.erase = number(3) == 0
        return ServiceStep(
            AccountMethods.deleteAccounts, request,
            { request, call, violations in
                AccountHandlers.delete(request, call, &violations, PresenceBoard()) {}
            },
            forgetting: { response in
                for index in response.results.indices { response.results[index].deletionID = "" }
            })
    }

    mutating func updateApp() -> ServiceStep {
        var limits = AppLimitsMessage()
        limits.friends = UInt32(number(5))
        limits.blacklistedUsers = UInt32(number(4))
        limits.groups = UInt32(number(4))
        limits.pendencies = UInt32(number(4))
        limits.remark = [4, 96, 513][number(3)]
        limits.subscriptions = UInt32(number(4))
        limits.subscribers = UInt32(number(4))
        limits.followings = UInt32(number(4))
        limits.followers = UInt32(number(4))
        limits.mutualFollows = UInt32(number(3))
        limits.invitations = UInt32(number(4))
        limits.dismissedSuggestions = UInt32(number(4))
        limits.fieldVisibilities = UInt32(number(3))
        limits.consumers = UInt32(number(4))
        limits.contactLookups = UInt32(number(9))
        var settings = AppSettingsMessage()
        settings.limits = limits
        settings.applicationsPerDay = UInt32(number(4))
        settings.applicationsReceivedPerDay = UInt32(number(4))
        settings.applicationsWindowMs = [60_000, 3_600_000, 86_400_000][number(3)]
        settings.applicationsReceivedWindowMs = [60_000, 90_000, 86_400_000][number(3)]
        settings.reportsWindowMs = [60_000, 90_000, 86_400_000][number(3)]
        settings.contactLookupsWindowMs = [60_000, 90_000, 86_400_000][number(3)]
        settings.applicationCooldownMs = Int64(number(3)) * 60_000
        settings.newAccountQuarantineMs = Int64(number(3)) * 2_000
        settings.marksRisks = number(2) == 0
        settings.defaultAllowType = [.allowAny, .needConfirm][number(2)]
        settings.applicationLifetimeMs = [0, 40_000, 3_600_000][number(3)]
        settings.keepsFriendshipOnBlacklist = number(2) == 0
        settings.logEvents = [3, 12, 10_000][number(3)]
        settings.logLifetimeMs = [60_000, 100_000, 3_600_000][number(3)]
        settings.makesAccountsImplicitly = number(2) == 0
        settings.findsUsers = number(3) > 0
        settings.defaultFindability = [.noUser, .everyone][number(2)]
        var request = UpdateAppRequest()
        request.settings = settings
        var paths = [
            "limits.friends", "limits.blacklisted_users", "limits.groups", "limits.pendencies",
            "limits.remark", "limits.subscriptions", "limits.subscribers",
            "limits.followings", "limits.followers", "limits.mutual_follows",
            "limits.invitations", "limits.dismissed_suggestions", "limits.field_visibilities",
            "limits.consumers", "limits.contact_lookups", "applications_per_day",
            "default_allow_type", "applications_received_per_day", "application_cooldown_ms",
            "new_account_quarantine_ms", "marks_risks", "finds_users", "default_findability",
            "applications_window_ms", "applications_received_window_ms",
            "reports_window_ms", "contact_lookups_window_ms",
        ]
        if hasLifetimes { paths.append("application_lifetime_ms") }
        if trims { paths += ["log_events", "log_lifetime_ms"] }
        if keepsFriendships { paths.append("keeps_friendship_on_blacklist") }
        if isImplicit { paths.append("makes_accounts_implicitly") }
        request.updateMask = FieldMask(list { $0.one(of: paths) })
        if number(6) == 0 { request.expectedVersion = Int64(number(9)) }
        return ServiceStep(AppMethods.updateApp, request, AppHandlers.update)
    }

    /// The steps that prepare the app before its users come.
    static var beginning: [ServiceStep] {
        var fields = DefineCustomFieldsRequest()
        for owner in [CustomFieldOwner.friend, .profile] {
            for (key, type) in [("Note", CustomFieldType.string), ("Size", .uint64)] {
                var field = CustomFieldMessage()
                field.owner = owner
                field.key = key
                field.valueType = type
                fields.items.append(field)
            }
        }
        var permissions = DefinePermissionsRequest()
        var level = PermissionDefinition()
        level.name = "read_level"
        level.kind = .extended
        level.fields = ["level"]
        level.lifetimeMs = 30_000
        var news = PermissionDefinition()
        news.name = "post_news"
        news.kind = .openGraph
        news.access = .publish
        permissions.items = [level, news]
        let clients = ["reader", "writer"].map { id in
            var client = RegisterClientAppRequest()
            client.clientAppID = id
            client.name = id
            return ServiceStep(
                AppMethods.registerClientApp, client, ClientAppHandlers.registerClientApp)
        }
        return clients + [
            ServiceStep(AppMethods.defineCustomFields, fields, CustomFieldHandlers.define),
            ServiceStep(AppMethods.definePermissions, permissions, ClientAppHandlers.define),
        ]
    }
}
