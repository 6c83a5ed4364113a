import Protobuf
import RelationAPI
import RelationModel

/// Reads users of a RongCloud app with their lists.
package struct RongCloudReader: Sendable {
    package let calls: RongCloudRequests
    private let fields: CustomFields
    private let lists: RongCloudLists
    private let readsProfiles: Bool
    private let readsFriends: Bool
    private let timeMs: Int64
    private let accounts: KnownUsers

    /// - Parameters:
    ///   - readsProfiles: Whether the app hosts profiles.
    ///   - readsFriends: Whether the app hosts friends.
    ///   - accounts: The users of the file: rows about others are losses.
    ///   - timeMs: The time of the pull, which entries of blacklists get, and accounts whose
    ///     registration is not known.
    package init(
        _ calls: RongCloudRequests, _ fields: CustomFields, readsProfiles: Bool, readsFriends: Bool,
        among accounts: KnownUsers, timeMs: Int64
    ) {
        self.accounts = accounts
        (self.calls, self.fields, self.timeMs) = (calls, fields, timeMs)
        (self.readsProfiles, self.readsFriends) = (readsProfiles, readsFriends)
        lists = RongCloudLists(
            calls: calls, fields: fields, readsFriends: readsFriends, timeMs: timeMs)
    }

    /// The users of these accounts, which are at most ``MigrationLimits/usersAtOnce``, in their
    /// order.
    ///
    /// - Throws: ``MigrationError`` if the pull cannot go on.
    package func read(_ accounts: [RongCloudAccount]) async throws -> MigratedUsers {
        var users = MigratedUsers(among: self.accounts)
        let asked = accounts.filter { account in
            // Calls about several users name them with commas between them.
            if UserID(account.id) != nil, !account.id.contains(",") { return true }
            let rule = "is not a user id of RongCloud"
            users.losses.append(MigrationLoss(account.id, "account", because: rule))
            return false
        }
        let ids = asked.map(\.id)
        let profiles = try await profiles(of: ids)
        let permissions = try await permissions(of: ids)
        let begun = asked.map { begin($0, profiles[$0.id], permissions[$0.id]) }
        try await users.add(begun) { user in try await lists.read(&user) }
        return users
    }

    /// A user with its profile.
    private func begin(
        _ account: RongCloudAccount, _ profile: AnswerObject?, _ permission: Int64?
    ) -> MigratedUser {
        var user = MigratedUser(
            account.id, createTimeMs: account.registrationMs ?? timeMs)
        if !account.registration.isEmpty, account.registrationMs == nil {
            user.addLoss(
                "account", field: "RegTime", because: "is not a time: \(account.registration)")
        }
        var row = RongCloudProfileRow(account.id, fields)
        for (name, value) in profile?.object("userProfile")?.byName ?? [] { row.set(name, value) }
        for (name, value) in profile?.object("userExtProfile")?.byName ?? [] {
            row.setOwn(name, value)
        }
        row.set(account)
        if let permission { row.setAllowType(permission) }
        user.visibility = account.chosenVisibility
        if !account.visibility.isEmpty, user.visibility == nil {
            let rule = "is not a visibility: \(account.visibility)"
            user.addLoss("profile", field: "Visibility", because: rule)
        }
        for (field, rule) in row.lost { user.addLoss("profile", field: field, because: rule) }
        if !row.isEmpty || user.visibility != nil { user.profile = row.profile }
        return user
    }

    /// The hosted profiles by their users; those that have none are missing.
    private func profiles(of ids: [String]) async throws -> [String: AnswerObject] {
        guard readsProfiles, !ids.isEmpty else { return [:] }
        let answer = try await calls.answer(
            "user/profile/batch/query", [("userId", ids.joined(separator: ","))])
        guard let items = answer.objects("userList") else {
            throw MigrationError("user/profile/batch/query has no list of objects userList")
        }
        return Dictionary(items.map { ($0.text("userId"), $0) }) { first, _ in first }
    }

    /// The permissions to add the users as friends.
    private func permissions(of ids: [String]) async throws -> [String: Int64] {
        guard readsFriends, !ids.isEmpty else { return [:] }
        let answer = try await calls.answer(
            "friend/permission/get", [("userIds", ids.joined(separator: ","))])
        var found: [String: Int64] = [:]
        guard let items = answer.objects("permissionSettings") else {
            throw MigrationError("friend/permission/get has no list of objects permissionSettings")
        }
        for item in items {
            found[item.text("userId")] = item.number("type")
        }
        return found
    }
}
