package import RelationCore
package import RelationModel
import Storage

/// The knowledge of a client that reads only the log: events alone must keep it exact.
///
/// Only LIST_CHANGED, which names no rows, makes it read its friend list anew.
package struct Mirror {
    /// The knowledge about one user.
    package struct Lists: Equatable {
        package var sequence: Int64 = 0
        package var friends: [UserID: FriendRecord] = [:]
        package var pendencies: [PendencyKey: ChangedApplication] = [:]
        package var blacklist: [UserID: BlacklistRecord] = [:]
        package var groups: Set<[UInt8]> = []
        package var profile = ProfileRecord()
        package var subscriptions: [SubscriptionKey: SubscriptionRecord] = [:]
        package var following: [UserID: FollowRecord] = [:]
        package var followers: [UserID: FollowRecord] = [:]
        package var invitations: [InvitationID: InvitationRecord] = [:]
        package var dismissals: [UserID: DismissalRecord] = [:]
        /// The users that have the user as a friend without being its friends, if the app tells it.
        package var reverseFriends: Set<UserID> = []
        package var status: StatusRecord?
        /// Without the text for moderators, which no event tells.
        package var suspension: SuspensionRecord?
        package var findSettings = UserRecord().findSettings

        package init() {}
    }

    private var lists: [UserID: Lists]
    /// How often a log did not reach back to the sequence that was known.
    package private(set) var resyncs = 0

    /// - Parameter lists: The lists that are known already; a user that is not there has nothing.
    package init(_ lists: [UserID: Lists] = [:]) {
        self.lists = lists
    }

    /// Returns the events of a user after a sequence; nil if the log does not reach back so far.
    package typealias Listing =
        (UserID, Int64) throws(StorageError) -> [(sequence: Int64, ChangeRecord)]?

    /// Reads each user's new events, and says where its lists then differ from those in the store.
    ///
    /// - Parameter list: The way in which events are read; nil reads them from the store.
    package mutating func follow(
        _ world: World, _ users: [UserID], by list: Listing? = nil
    ) throws(StorageError) -> [String] {
        var findings: [String] = []
        for user in users {
            guard let userRecord = try world.userRecord(of: user) else {
                lists[user] = nil
                continue
            }
            var mine = lists[user] ?? Lists()
            let truth = try Mirror.truth(of: user, in: world)
            var read: [(sequence: Int64, ChangeRecord)]?
            if let list {
                read = try list(user, mine.sequence)
            } else if userRecord.logFloor <= mine.sequence {
                read = try world.log(of: user, after: mine.sequence)
            }
            guard let events = read else {
                // The events are trimmed, or belonged to an earlier account.
                if userRecord.logFloor <= mine.sequence {
                    findings.append("\(user): does not get all")
                }
                lists[user] = truth
                resyncs += 1
                continue
            }
            if userRecord.logFloor > mine.sequence {
                findings.append("\(user): lost events silently")
            }
            for (sequence, event) in events {
                if sequence != mine.sequence + 1 {
                    findings.append("\(user): a gap before \(sequence)")
                }
                mine.sequence = sequence
                if event.kind == .listChanged { mine.friends = truth.friends }
                for item in event.items { mine.apply(item, event.kind, at: sequence) }
            }
            // No event tells that an invitation which has ended leaves the list.
            mine.invitations = mine.invitations.filter {
                truth.invitations[$0.key] != nil || $0.value.current(at: world.now).state == .active
            }
            // Nor does one tell that a suspension has ended: its event named the end.
            if truth.suspension == nil, mine.suspension?.isActive(at: world.now) == false {
                mine.suspension = nil
            }
            if mine != truth {
                let kinds = events.map { "\($0.sequence) \($0.1.kind) \($0.1.items)" }
                findings.append("\(user): has \(mine), should have \(truth) after \(kinds)")
            }
            lists[user] = mine
        }
        return findings
    }

    private static func truth(of user: UserID, in world: World) throws(StorageError) -> Lists {
        var lists = Lists()
        lists.sequence = try world.userRecord(of: user)?.sequence ?? 0
        for row in try world.rows(of: Tables.friends, of: user) {
            lists.friends[row.key] = row.record
        }
        for row in try world.rows(of: Tables.pendencies, of: user) {
            lists.pendencies[row.key] = ChangedApplication(row.record, row.key.type)
        }
        for row in try world.rows(of: Tables.blacklist, of: user) {
            lists.blacklist[row.key] = row.record
        }
        lists.groups = Set(try world.groups(of: user).map { Array($0.utf8) })
        lists.profile = try world.profile(of: user)
        for row in try world.rows(of: Tables.subscriptions, of: user) {
            lists.subscriptions[row.key] = row.record
        }
        for row in try world.rows(of: Tables.follows, of: user) {
            lists.following[row.key] = row.record
        }
        for row in try world.rows(of: Tables.followsByTime, of: user)
        where row.key.list == .followers {
            var record = FollowRecord()
            record.userID = row.key.user.text
            record.followTimeMs = row.key.timeMs
            lists.followers[row.key.user] = record
        }
        for row in try world.rows(of: Tables.invitations, of: user) {
            lists.invitations[row.key] = row.record
        }
        for row in try world.rows(of: Tables.dismissals, of: user) {
            lists.dismissals[row.key] = row.record
        }
        if world.settings.reportsReverseFriends {
            for row in try world.rows(of: Tables.mentions, of: user)
            where row.key.list == .friends { lists.reverseFriends.insert(row.key.owner) }
        }
        lists.status = try world.rows(of: Tables.statuses, of: user).first?.record
        lists.suspension = try world.rows(of: Tables.suspensions, of: user).first?.record
        lists.suspension?.reasonText = ""
        lists.findSettings = try world.userRecord(of: user)?.findSettings ?? lists.findSettings
        return lists
    }
}

extension Mirror.Lists {
    fileprivate mutating func apply(
        _ item: ChangeItemRecord, _ kind: ChangeKind, at sequence: Int64
    ) {
        let other = UserID(stored: item.userID.utf8)
        switch kind {
        case .addFriend, .friendChange:
            friends[other] = item.friendEntry
            friends[other]?.custom = item.friendEntry?.custom.asStored ?? []
        case .deleteFriend: friends[other] = nil
        case .addFriendRequest:
            guard let application = item.application else { break }
            pendencies[PendencyKey(application.pendencyType, other)] = application
        case .deleteFriendRequest:
            guard let application = item.application else { break }
            // A call may end an application and make the next one, which stays.
            let key = PendencyKey(application.pendencyType, other)
            if pendencies[key]?.applicationID == application.applicationID {
                pendencies[key] = nil
            }
        case .addBlacklist: blacklist[other] = item.blacklistEntry
        case .deleteBlacklist: blacklist[other] = nil
        case .groupCreated, .groupMembersChanged, .groupDeleted, .groupRenamed:
            changeGroups(item, kind, at: sequence)
        case .profileChange:
            guard let new = item.profile else { break }
            changeProfile(new, item.fields)
        case .visibilityChanged:
            guard let new = item.profile, let visibility = item.visibility else { break }
            profile = new
            profile.userID = ""
            profile.custom = new.custom.asStored
            profile.visibility = visibility
        case .subscriptionChanged, .subscriptionExpired:
            guard let new = item.subscription else { break }
            let isOver = kind == .subscriptionExpired || new.expireTimeMs == 0
            subscriptions[SubscriptionKey(new.subscribeType, other)] = isOver ? nil : new
        case .followingChanged: following[other] = item.follow
        case .followersChanged: followers[other] = item.follow
        case .suspensionChanged:
            suspension = item.suspension.flatMap { $0.level == .unspecified ? nil : $0 }
        case .findSettingsChanged: findSettings = item.findSettings ?? findSettings
        case .statusChanged: status = item.status.flatMap { $0.text.isEmpty ? nil : $0 }
        case .invitationChanged:
            guard let new = item.invitation, let id = InvitationID(new.invitationID) else {
                break
            }
            invitations[id] = new
        case .dismissalsChanged: dismissals[other] = item.dismissedSuggestion
        case .reverseFriendsChanged where item.reverseFriend: reverseFriends.insert(other)
        case .reverseFriendsChanged: reverseFriends.remove(other)
        default: break
        }
    }

    private mutating func changeGroups(
        _ item: ChangeItemRecord, _ kind: ChangeKind, at sequence: Int64
    ) {
        let name = item.group?.name ?? ""
        switch kind {
        case .groupCreated, .groupMembersChanged:
            groups.insert(Array(name.utf8))
            for member in item.addedUserIDs {
                changeGroups(of: UserID(stored: member.utf8), at: sequence) { groups in
                    // A list that was read anew has what later events tell of.
                    if !groups.contains(exactly: name) { groups.append(name) }
                }
            }
            for member in item.removedUserIDs {
                changeGroups(of: UserID(stored: member.utf8), at: sequence) { groups in
                    groups.removeAll { $0.isExactly(name) }
                }
            }
        case .groupDeleted:
            groups.remove(Array(name.utf8))
            for (friend, row) in friends where row.groups.contains(exactly: name) {
                changeGroups(of: friend, at: sequence) { groups in
                    groups.removeAll { $0.isExactly(name) }
                }
            }
        case .groupRenamed:
            groups.remove(Array(item.oldGroupName.utf8))
            groups.insert(Array(name.utf8))
            for (friend, row) in friends where row.groups.contains(exactly: item.oldGroupName) {
                changeGroups(of: friend, at: sequence) { groups in
                    groups = groups.map { $0.isExactly(item.oldGroupName) ? name : $0 }
                }
            }
        default: break
        }
    }

    private mutating func changeProfile(_ new: ProfileRecord, _ fields: [String]) {
        let custom = new.custom.asStored
        for path in fields {
            if let field = ProfileField(named: path) { field.copy(from: new, to: &profile) }
            if let key = CustomPath.key(in: path) {
                profile.custom.set(custom.value(of: key), of: key)
            }
        }
        profile.version = new.version
    }

    /// A friend's row has the sequence of the event that tells of its groups.
    private mutating func changeGroups(
        of friend: UserID, at sequence: Int64, _ change: (inout [String]) -> Void
    ) {
        guard var row = friends[friend] else { return }
        change(&row.groups)
        row.sequence = sequence
        friends[friend] = row
    }
}
