import Memory
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Testing

@testable import RelationCalls
@testable import RelationService

extension ServiceHarness {
    /// Every row that an export of this moment must have, in its order.
    ///
    /// The rows come from the calls of users where there is such a call, and otherwise from the
    /// tables.
    func dump() throws -> [ExportAppResponse.Row] {
        var rows: [ExportAppResponse.Row] = []
        for user in try world.directory() {
            rows.append(.account(try account(user)))
            if let profile = try profile(user) { rows.append(.profile(profile)) }
            rows += try groups(user)
            rows += try friends(user)
            rows += try applications(user)
            rows += try blacklist(user)
            rows += try consents(user)
            rows += try subscriptions(user)
            rows += try follows(user)
            rows += try invitations(user)
            rows += try dismissals(user)
            rows += try status(user)
            rows += try contactDigests(user)
            rows += try suspension(user)
            rows += try world.rows(of: Tables.reports, of: user).map {
                .report(UserReport($0.record))
            }
            rows += try devices(user)
        }
        return rows
    }

    private func account(_ user: UserID) throws -> ExportedAccount {
        let userRecord = try #require(try world.userRecord(of: user))
        var account = ExportedAccount()
        account.userID = user.text
        account.createTimeMs = userRecord.createdMs
        account.sequence = userRecord.sequence
        account.friendsSequence = userRecord.friendsSequence
        account.pendenciesSequence = userRecord.pendenciesSequence
        account.blacklistSequence = userRecord.blacklistSequence
        account.groupsSequence = userRecord.groupsSequence
        account.readTimeMs = userRecord.readMarkMs
        account.applicationDay = userRecord.applicationDay
        account.applicationsToday = userRecord.applicationsToday
        account.formerSequence = userRecord.formerSequence
        account.subscriptionsSequence = userRecord.subscriptionsSequence
        account.consentsSequence = userRecord.consentsSequence
        account.followingSequence = userRecord.followingSequence
        account.followersSequence = userRecord.followersSequence
        account.invitationsSequence = userRecord.invitationsSequence
        account.dismissalsSequence = userRecord.dismissalsSequence
        account.reverseFriendsSequence = userRecord.reverseFriendsSequence
        account.lastSeenTimeMs = userRecord.lastSeenMs
        if userRecord.findSettings != UserRecord().findSettings {
            account.findSettings = FindSettings(userRecord.findSettings)
        }
        return account
    }

    private func profile(_ user: UserID) throws -> ExportedProfile? {
        guard try !world.rows(of: Tables.profiles, of: user).isEmpty else { return nil }
        var exported = ExportedProfile()
        let stored = try world.storedProfile(of: user)
        exported.openVersion = stored.openVersion
        exported.cardVersion = stored.cardVersion
        exported.fields = stored.fieldChoices.map { choice in
            ExportedFieldVisibility.with {
                $0.field = choice.path
                $0.visibility = choice.visibility
                $0.groupNumbers = choice.groups
                $0.version = choice.version
                $0.formerVisibility = choice.formerVisibility
                $0.formerGroupNumbers = choice.formerGroups
            }
        }
        var request = GetSelfProfileRequest()
        request.userID = user.text
        try read(request, ProfileHandlers.getSelf) { exported.profile = $0?.profile }
        exported.reviews = stored.reviews.map { ProfileReview($0.attributed(to: user)) }
        // The user reads the value that is held, and the row has the one that was approved.
        if stored.reviews.contains(where: { $0.field == "nick" && $0.state == .held }) {
            exported.profile?.nick = stored.nick ?? ""
        }
        var asked = GetVisibilityRequest()
        asked.userID = user.text
        try read(asked, ProfileHandlers.getVisibility) {
            exported.visibility = $0?.userLevel ?? .notSet
        }
        return exported
    }

    private func friends(_ user: UserID) throws -> [ExportAppResponse.Row] {
        let reviews = try world.rows(of: Tables.friendReviews, of: user)
        var request = ListFriendsRequest()
        request.userID = user.text
        request.pageSize = 2
        var rows: [ExportAppResponse.Row] = []
        repeat {
            try read(request, FriendHandlers.listFriends) { response in
                let response = try #require(response)
                for encoded in response.friends {
                    var row = ExportedFriend()
                    row.userID = user.text
                    row.entry = try Arena.temporary { (arena) throws(CodecError) in
                        try encoded.decoded(arena)
                    }
                    let friend = UserID(stored: (row.entry?.userID ?? "").utf8)
                    let found = reviews.first { $0.key == friend }?.record.reviews ?? []
                    row.reviews = found.map { ProfileReview($0.attributed(to: user, friend)) }
                    rows.append(.friendEntry(row))
                }
                request.pageToken = response.nextPageToken
            }
        } while !request.pageToken.isEmpty
        return rows
    }

    private func groups(_ user: UserID) throws -> [ExportAppResponse.Row] {
        var request = GetFriendGroupsRequest()
        request.userID = user.text
        var groups: [String: FriendGroup] = [:]
        try read(request, { GroupHandlers.get($0, self.world.profiles, $1, &$2) }) { response in
            for result in response?.results ?? [] { groups[result.name] = result.group }
        }
        return try world.rows(of: Tables.groups, of: user).map { key, record in
            var row = ExportedGroup()
            row.userID = user.text
            row.group = groups[key.text]
            row.number = Int64(record.number)
            return .group(row)
        }
    }

    private func applications(_ user: UserID) throws -> [ExportAppResponse.Row] {
        // The reviews of users that are friends already stand beside their rows.
        let friends = Set(try world.rows(of: Tables.friends, of: user).map(\.key))
        let reviews = try world.rows(of: Tables.friendReviews, of: user)
            .filter { !friends.contains($0.key) }
        let waiting = try world.rows(of: Tables.pendencies, of: user).map { key, record in
            (key.type, ApplicationStatus.unhandled, record.timeMs, record)
        }
        let handled = try world.rows(of: Tables.handledApplications, of: user).map {
            key, record in (key.type, key.status, key.timeMs, record)
        }
        return (waiting + handled).map { type, status, timeMs, record in
            var application = FriendApplication()
            application.userID = record.userID
            application.applicationID = record.applicationID
            application.pendencyType = type
            application.status = status
            application.addTimeMs = record.timeMs
            application.operationTimeMs = timeMs
            application.source = record.source
            application.wording = record.wording
            var row = ExportedApplication()
            row.userID = user.text
            row.application = application
            row.remark = record.remark
            row.group = record.group
            row.groups = record.moreGroups
            row.custom = record.custom
            CustomTexts(of: .friend, world.settings, withRetired: true).show(in: &row.custom)
            if type == .sendOut, status == .unhandled {
                let asked = UserID(stored: record.userID.utf8)
                let found = reviews.first { $0.key == asked }?.record.reviews ?? []
                row.reviews = found.map { ProfileReview($0.attributed(to: user, asked)) }
            }
            return .application(row)
        }
    }

    private func blacklist(_ user: UserID) throws -> [ExportAppResponse.Row] {
        try world.rows(of: Tables.blacklist, of: user).map { key, record in
            var row = ExportedBlacklistEntry()
            row.userID = user.text
            var entry = BlacklistEntry()
            entry.userID = key.text
            entry.addTimeMs = record.addTimeMs
            row.entry = entry
            return .blacklistEntry(row)
        }
    }

    private func consents(_ user: UserID) throws -> [ExportAppResponse.Row] {
        var answered: [GrantKey: UserPermission] = [:]
        for client in world.settings.clientApps.map(\.id) {
            var request = ListPermissionsRequest()
            request.userID = user.text
            request.clientAppID = client.text
            try read(request, ConsentHandlers.list) { response in
                for var permission in response?.permissions ?? [] {
                    guard let name = PermissionName(permission.name) else { continue }
                    permission.kind = .unspecified
                    permission.access = .unspecified
                    answered[GrantKey(client, name)] = permission
                }
            }
        }
        return try world.rows(of: Tables.grants, of: user).map { key, _ in
            var row = ExportedConsent()
            row.userID = user.text
            row.clientAppID = key.client.text
            row.permission = answered[key]
            return .consent(row)
        }
    }

    /// The subscriptions of a user, with expired ones, which no call returns.
    private func subscriptions(_ user: UserID) throws -> [ExportAppResponse.Row] {
        try world.rows(of: Tables.subscriptions, of: user).map { key, record in
            var subscription = Subscription()
            subscription.userID = key.user.text
            subscription.subscribeType = key.type
            subscription.subscribeTimeMs = record.subscribeTimeMs
            subscription.expireTimeMs = record.expireTimeMs
            var row = ExportedSubscription()
            row.userID = user.text
            row.subscription = subscription
            return .subscription(row)
        }
    }

    /// The users that a user follows, in the order of their ids, in which no call lists them.
    private func follows(_ user: UserID) throws -> [ExportAppResponse.Row] {
        try world.rows(of: Tables.follows, of: user).map { key, record in
            var row = ExportedFollow()
            row.userID = user.text
            row.entry = FollowEntry.with {
                $0.userID = key.text
                $0.followTimeMs = record.followTimeMs
            }
            return .follow(row)
        }
    }

    /// The custom status of a user, also if it has ended.
    private func status(_ user: UserID) throws -> [ExportAppResponse.Row] {
        try world.rows(of: Tables.statuses, of: user).map { _, record in
            var row = ExportedStatus()
            row.userID = user.text
            row.text = record.text
            row.expireTimeMs = record.expireTimeMs
            return .status(row)
        }
    }

    /// The devices of a user of which it is stored when they were seen.
    private func devices(_ user: UserID) throws -> [ExportAppResponse.Row] {
        try world.rows(of: Tables.seenDevices, of: user).map { _, record in
            var row = ExportedDevices()
            row.userID = user.text
            row.devices = record.devices.map { device in
                ExportedDevice.with {
                    $0.deviceID = device.deviceID
                    $0.platform = device.platform
                    $0.lastSeenTimeMs = device.seenMs
                }
            }
            return .devices(row)
        }
    }

    /// The suspension of a user, also if it has ended.
    private func suspension(_ user: UserID) throws -> [ExportAppResponse.Row] {
        try world.rows(of: Tables.suspensions, of: user).map { _, record in
            .suspension(Suspension(record, of: user))
        }
    }

    private func contactDigests(_ user: UserID) throws -> [ExportAppResponse.Row] {
        try world.rows(of: Tables.contactDigests, of: user).map { _, record in
            var row = ExportedContactDigests()
            row.userID = user.text
            (row.phones, row.emails) = (record.phones, record.emails)
            return .contactDigests(row)
        }
    }

    /// The users that a user has dismissed as suggestions.
    private func dismissals(_ user: UserID) throws -> [ExportAppResponse.Row] {
        try world.rows(of: Tables.dismissals, of: user).map { key, record in
            var row = ExportedDismissedSuggestion()
            row.userID = user.text
            row.entry = DismissedSuggestion.with {
                $0.userID = key.text
                $0.dismissTimeMs = record.dismissTimeMs
            }
            return .dismissedSuggestion(row)
        }
    }

    /// The invitations of a user, with those that calls do not show any more, and those that the
    /// user has used.
    private func invitations(_ user: UserID) throws -> [ExportAppResponse.Row] {
        let made = try world.rows(of: Tables.invitations, of: user).map { _, record in
            var row = ExportedInvitation()
            row.userID = user.text
            row.invitation = Invitation(record.current(at: world.now))
            return ExportAppResponse.Row.invitation(row)
        }
        return try made
            + world.rows(of: Tables.invitationUses, of: user).map { key, _ in
                var row = ExportedInvitationUse()
                row.userID = user.text
                row.invitationID = key.id.text
                row.expireTimeMs = key.expireMs
                return .invitationUse(row)
            }
    }
}
