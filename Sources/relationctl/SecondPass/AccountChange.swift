import Migrations
import Protobuf
import RelationAPI
import RelationModel

/// The calls that bring one account from what a first pass read to what a second pass read.
struct AccountChange {
    let user: String
    var accounts: [AccountRow] = []
    var calls: [AccountCall] = []
    var profiles: [ProfileRow] = []
    var friends: [FriendRow] = []
    var blacklist: [BlacklistRow] = []
    var follows: [FollowRow] = []
    /// The rows that no call migrates.
    var losses: [MigrationLoss] = []
    /// How many things came, changed and went, by their kind.
    var counts: [String: Int] = [:]

    /// - Parameters:
    ///   - times: The times at which the two passes began: a source that does not tell a time has
    ///     that of the pass, and such a time is not a change.
    ///   - deletesAccounts: Whether an account that the second pass lacks is deleted.
    ///   - lacked: The custom fields that the second pass does not define.
    init(
        _ pair: AccountPair, _ times: PassTimes, deletesAccounts: Bool,
        lacking lacked: [CustomFieldMessage] = []
    ) throws {
        user = pair.user
        guard pair.after != nil else {
            end(deletesAccounts)
            return
        }
        if pair.before == nil {
            accounts = [.with { $0.userID = pair.user }]
            count("accounts that came")
        }
        let old = try AccountState(pair.before)
        var new = try AccountState(pair.after)
        let unread = pair.after?.unread ?? UnreadKinds()
        var kept = new.copyUnread(
            from: old, unread,
            lackedKeys: Set(lacked.filter { $0.owner == .friend }.map(\.key)))
        let fields = try compareProfiles(old, new) { path in
            unread.has("profile")
                || lacked.contains { $0.owner == .profile && path == "custom.\($0.key)" }
        }
        if fields > 0 { kept["profile", default: 0] += fields }
        for (kind, count) in kept.sorted(by: { $0.key < $1.key }) {
            let words = "was not read whole in the second pass: kept as it is here"
            losses.append(MigrationLoss(user, kind, because: "\(words): \(count)"))
        }
        let emptied = compareGroups(old, new)
        compareFieldVisibilities(old, new, emptied)
        try compareFriends(old, new, emptied, times)
        compareBlacklists(old, new, times)
        compareFollows(old, new, times)
        compareApplications(old, new)
        if old.reviews != new.reviews {
            losses.append(
                MigrationLoss(user, "review", because: "differs: no call migrates a review"))
        }
        for kind in Set(old.others.keys).union(new.others.keys).sorted()
        where old.others[kind] != new.others[kind] {
            losses.append(
                MigrationLoss(user, kind, because: "differs: no call brings it in a second pass"))
        }
    }

    private mutating func count(_ kind: String, _ number: Int = 1) {
        if number > 0 { counts[kind, default: 0] += number }
    }

    private mutating func end(_ deletesAccounts: Bool) {
        count("accounts that went")
        guard deletesAccounts else {
            losses.append(
                MigrationLoss(
                    user, "account",
                    because: "is not in the second pass: --delete-accounts deletes it"))
            return
        }
        calls = [.deleteAccount]
    }

    // MARK: The profile

    /// - Parameter isUnread: Whether the second pass may lack a field although the source has it.
    /// - Returns: How many fields are kept for that reason.
    private mutating func compareProfiles(
        _ old: AccountState, _ new: AccountState, unless isUnread: (String) -> Bool
    ) throws -> Int {
        let given = try Self.members(new.profile)
        let all = try Self.paths(from: old.profile, to: new.profile)
        var paths = all.filter { given[$0] != nil || !isUnread($0) }
        let kept = all.count - paths.count
        if let index = paths.firstIndex(of: Self.allowType),
            given[Self.allowType] == nil
        {
            paths.remove(at: index)
            losses.append(
                MigrationLoss(
                    user, "profile", field: Self.allowType, because: "went: no call clears it"))
        }
        if !paths.isEmpty {
            var profile = new.profile
            profile.userID = ""
            profiles = [
                .with {
                    $0.userID = user
                    $0.profile = profile
                    $0.updateMask = FieldMask(paths)
                }
            ]
            count("profiles")
        }
        // An account that has chosen nothing has no visibility, as has one without a profile.
        let (before, after) = (old.visibility ?? .notSet, new.visibility ?? .notSet)
        if before != after {
            calls.append(.setVisibility(after))
            count("visibilities")
        }
        return kept
    }

    /// The choices for single fields, once their groups are there.
    ///
    /// A group that is made again keeps no choice, so that its choices are made again.
    private mutating func compareFieldVisibilities(
        _ old: AccountState, _ new: AccountState, _ emptied: Set<String>
    ) {
        var choices: [FieldVisibility] = []
        for (path, choice) in new.fieldVisibilities.sorted(by: { $0.key < $1.key })
        where old.fieldVisibilities[path] != choice || !emptied.isDisjoint(with: choice.groupNames)
        {
            choices.append(choice)
        }
        for path in old.fieldVisibilities.keys.sorted() where new.fieldVisibilities[path] == nil {
            choices.append(.with { ($0.field, $0.visibility) = (path, .notSet) })
        }
        for part in choices.parts { calls.append(.setFieldVisibilities(part)) }
        count("visibilities of fields", choices.count)
        for path in new.lostChoices where !old.lostChoices.contains(path) {
            losses.append(
                MigrationLoss(
                    user, "field_visibility", field: path,
                    because: "names a group that the file does not have"))
        }
    }

    private static let allowType = "allow_type"

    /// The paths of the fields that differ, as field masks have them.
    static func paths(from old: Profile, to new: Profile) throws -> [String] {
        let (one, other) = (try members(old), try members(new))
        return Set(one.keys).union(other.keys).sorted().filter { one[$0] != other[$0] }
    }

    private static func members(_ profile: Profile) throws -> [String: String] {
        var profile = profile
        let custom = profile.custom
        profile.custom = []
        profile.userID = ""
        var found: [String: String] = [:]
        guard case .object(let members) = try JSONValue(parsing: profile.json()) else {
            return found
        }
        for (name, value) in members { found[path(of: name)] = JSONText(value).compact }
        for value in custom { found["custom.\(value.key)"] = try value.json() }
        return found
    }

    /// The name of a field in the contract: `faceUrl` is `face_url`.
    static func path(of name: String) -> String {
        name.reduce(into: "") { path, letter in
            if letter.isUppercase { path.append("_") }
            path += letter.lowercased()
        }
    }

    // MARK: The lists

    private mutating func compareGroups(_ old: AccountState, _ new: AccountState) -> Set<String> {
        let steps = GroupSteps(from: old.groups, to: new.groups)
        for part in steps.deleted.parts { calls.append(.deleteGroups(part)) }
        for part in steps.made.parts { calls.append(.makeGroups(part)) }
        count("groups that went", steps.deleted.count - steps.emptied.count)
        count("groups that came", steps.made.count - steps.emptied.count)
        count("groups of another order", steps.emptied.count)
        return steps.emptied
    }

    private mutating func compareFriends(
        _ old: AccountState, _ new: AccountState, _ emptied: Set<String>, _ times: PassTimes
    ) throws {
        let known = Self.byUser(old.friends, \.userID)
        let wanted = Set(new.friends.map(\.userID))
        let gone = old.friends.map(\.userID).filter { !wanted.contains($0) }
        for part in gone.parts { calls.append(.deleteFriends(part)) }
        count("friends that went", gone.count)
        for friend in new.friends {
            guard let before = known[friend.userID] else {
                friends.append(Self.row(friend, of: user))
                count("friends that came")
                continue
            }
            let row = Self.row(friend, insteadOf: before, of: user, emptied, times)
            if let row {
                friends.append(row)
                count("friends that changed")
            }
        }
    }

    /// The row of a new friend: all of its fields.
    private static func row(_ friend: Friend, of user: String) -> FriendRow {
        var row = FriendRow()
        (row.userID, row.friendUserID) = (user, friend.userID)
        row.addTimeMs = friend.addTimeMs
        if !friend.remark.isEmpty {
            (row.remark, row.remarkTimeMs) = (friend.remark, friend.remarkTimeMs)
        }
        row.groups = .with { $0.values = friend.groups }
        row.source = friend.source
        row.wording = friend.wording
        row.custom = friend.custom
        row.starred = friend.starred
        row.pinOrder = friend.pinOrder
        row.muteUntilMs = friend.muteUntilMs
        row.ignored = friend.ignored
        return row
    }

    /// The row of a friend that was there: the fields that differ; nil if none does.
    private static func row(
        _ friend: Friend, insteadOf old: Friend, of user: String, _ emptied: Set<String>,
        _ times: PassTimes
    ) -> FriendRow? {
        var row = FriendRow()
        (row.userID, row.friendUserID) = (user, friend.userID)
        let nothing = row
        if times.differ(old.addTimeMs, friend.addTimeMs) { row.addTimeMs = friend.addTimeMs }
        if old.remark != friend.remark || times.differ(old.remarkTimeMs, friend.remarkTimeMs) {
            (row.remark, row.remarkTimeMs) = (friend.remark, friend.remarkTimeMs)
        }
        if old.groups != friend.groups || !emptied.isDisjoint(with: friend.groups) {
            row.groups = .with { $0.values = friend.groups }
        }
        if old.source != friend.source { row.source = friend.source }
        if old.wording != friend.wording { row.wording = friend.wording }
        let kept = Set(friend.custom.map(\.key))
        row.custom = friend.custom.filter { !old.custom.contains($0) }
        // An empty text removes a value of any type.
        row.custom += old.custom.filter { !kept.contains($0.key) }
            .map { CustomValue(key: $0.key, value: .text("")) }
        if old.starred != friend.starred { row.starred = friend.starred }
        if old.pinOrder != friend.pinOrder { row.pinOrder = friend.pinOrder }
        if old.muteUntilMs != friend.muteUntilMs { row.muteUntilMs = friend.muteUntilMs }
        if old.ignored != friend.ignored { row.ignored = friend.ignored }
        return row == nothing ? nil : row
    }

    private mutating func compareBlacklists(
        _ old: AccountState, _ new: AccountState, _ times: PassTimes
    ) {
        let known = Self.byUser(old.blacklist, \.userID)
        let wanted = Set(new.blacklist.map(\.userID))
        var leaving = old.blacklist.map(\.userID).filter { !wanted.contains($0) }
        count("blacklist entries that went", leaving.count)
        for entry in new.blacklist {
            if let before = known[entry.userID] {
                guard times.differ(before.addTimeMs, entry.addTimeMs) else { continue }
                leaving.append(entry.userID)
                count("blacklist entries that changed")
            } else {
                count("blacklist entries that came")
            }
            blacklist.append(
                .with {
                    ($0.userID, $0.blockedUserID) = (user, entry.userID)
                    $0.addTimeMs = entry.addTimeMs
                })
        }
        for part in leaving.parts { calls.append(.unblock(part)) }
    }

    private mutating func compareFollows(
        _ old: AccountState, _ new: AccountState, _ times: PassTimes
    ) {
        let known = Self.byUser(old.follows, \.userID)
        let wanted = Set(new.follows.map(\.userID))
        var leaving = old.follows.map(\.userID).filter { !wanted.contains($0) }
        count("follows that went", leaving.count)
        for entry in new.follows {
            if let before = known[entry.userID] {
                guard times.differ(before.followTimeMs, entry.followTimeMs) else { continue }
                leaving.append(entry.userID)
                count("follows that changed")
            } else {
                count("follows that came")
            }
            follows.append(
                .with {
                    ($0.userID, $0.followedUserID) = (user, entry.userID)
                    $0.followTimeMs = entry.followTimeMs
                })
        }
        for part in leaving.parts { calls.append(.unfollow(part)) }
    }

    /// Reports applications that came or went: no call writes one with its time.
    ///
    /// An application between users that became friends ends by itself.
    private mutating func compareApplications(_ old: AccountState, _ new: AccountState) {
        let friends = Set(new.friends.map(\.userID))
        for application in new.applications where !old.applications.contains(application) {
            losses.append(
                MigrationLoss(
                    user, "application", application.userID,
                    because: "came or changed: the user applies again here"))
        }
        let wanted = Set(new.applications.map(\.userID))
        for application in old.applications
        where !wanted.contains(application.userID) && !friends.contains(application.userID) {
            losses.append(
                MigrationLoss(
                    user, "application", application.userID,
                    because: "went: it waits here until it is answered or ends"))
        }
    }

    private static func byUser<Row>(_ rows: [Row], _ user: KeyPath<Row, String>) -> [String: Row] {
        var found: [String: Row] = [:]
        for row in rows { found[row[keyPath: user]] = row }
        return found
    }
}

/// The times at which two passes began.
struct PassTimes {
    let before: Int64
    let after: Int64

    /// Whether a time that both passes have differs.
    ///
    /// A time of the pass itself did not come from the source.
    func differ(_ old: Int64, _ new: Int64) -> Bool { old != new && new != after }
}

extension Array {
    /// Parts with as many items as a call takes.
    fileprivate var parts: [[Element]] {
        stride(from: 0, to: count, by: Limits.itemsOfCall).map {
            Array(self[$0..<Swift.min($0 + Limits.itemsOfCall, count)])
        }
    }
}
