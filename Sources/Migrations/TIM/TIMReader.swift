import Protobuf
import RelationAPI
import RelationModel

/// Reads users of a TIM app with their lists.
package struct TIMReader: Sendable {
    package let calls: TIMRequests
    private let fields: CustomFields
    private let lists: TIMLists
    private let timeMs: Int64
    private let isStrict: Bool
    private let accounts: KnownUsers?

    /// - Parameters:
    ///   - readsFollows: Whether to ask whom users follow, which only some apps may.
    ///   - readsWordings: Whether to ask for what the lists of friends do not show: the wordings of
    ///     applications, and the times of remarks.
    ///   - isStrict: Whether birthdays that are not a day, and sources with other characters than
    ///     letters, are losses.
    ///   - accounts: The users of the file: rows about others are losses. Nil knows all.
    ///   - timeMs: The time of the pull, which accounts get as that of their making.
    package init(
        _ calls: TIMRequests, _ fields: CustomFields, readsFollows: Bool, readsWordings: Bool,
        isStrict: Bool, among accounts: KnownUsers?, timeMs: Int64
    ) {
        self.accounts = accounts
        (self.calls, self.fields, self.timeMs) = (calls, fields, timeMs)
        self.isStrict = isStrict
        lists = TIMLists(
            calls: calls, fields: fields, readsFollows: readsFollows,
            readsWordings: readsWordings, isStrict: isStrict)
    }

    /// The users of these ids, which are at most ``MigrationLimits/usersAtOnce``, in their order.
    ///
    /// A user that TIM does not know has no row.
    ///
    /// - Throws: ``MigrationError`` if the pull cannot go on.
    package func read(_ ids: [String]) async throws -> MigratedUsers {
        var users = MigratedUsers(among: accounts)
        var asked: [String] = []
        for id in ids {
            guard UserID(id) != nil, id.utf8.count <= MigrationLimits.timUserIDBytes else {
                users.losses.append(
                    MigrationLoss(id, "account", because: "is not a user id of TIM"))
                continue
            }
            asked.append(id)
        }
        let known = try await known(asked, &users.losses)
        let profiled = try await profiles(of: known)
        try await users.add(profiled) { user in try await lists.read(&user) }
        return users
    }

    /// The users that are accounts of the app.
    ///
    /// - Throws: ``MigrationError`` also if TIM does not tell it of a user, who would else be taken
    ///   for gone.
    private func known(
        _ ids: [String], _ losses: inout [MigrationLoss]
    ) async throws -> [String] {
        guard !ids.isEmpty else { return [] }
        let items = ids.map { "{\"UserID\":\(JSONQuote.text($0))}" }.joined(separator: ",")
        let answer = try await calls.answer(
            "im_open_login_svc/account_check", "{\"CheckItem\":[\(items)]}", items: "ResultItem")
        let found = answer.objects("ResultItem") ?? []
        let byUser = Dictionary(found.map { ($0.text("UserID"), $0) }) { first, _ in first }
        var known: [String] = []
        for id in ids {
            let code = byUser[id]?.number("ResultCode") ?? 0
            switch byUser[id]?.text("AccountStatus") {
            case "Imported": known.append(id)
            case "NotImported" where code == 0:
                losses.append(MigrationLoss(id, "account", because: "is not an account of the app"))
            default:
                throw MigrationError(
                    "im_open_login_svc/account_check does not tell whether \(id) is an account: "
                        + "ResultCode \(code)")
            }
        }
        return known
    }

    /// The users with their profiles.
    private func profiles(of ids: [String]) async throws -> [MigratedUser] {
        guard !ids.isEmpty else { return [] }
        let answer = try await portraits(of: ids, allowing: [40003])
        if answer.number("ErrorCode") == 0 { return users(ids, answer) }
        // One user that is gone may refuse all of them, so each is asked for alone.
        var users: [MigratedUser] = []
        for id in ids {
            let answer = try await portraits(of: [id], allowing: [40003])
            users += self.users([id], answer)
        }
        return users
    }

    private func portraits(
        of ids: [String], allowing codes: Set<Int64>
    ) async throws -> AnswerObject {
        let tags =
            TIMProfileRow.standard.map { TIMProfileRow.prefix + $0 }
            + fields.keys(of: .profile).map { TIMProfileRow.customPrefix + $0 }
        return try await calls.answer(
            "profile/portrait_get",
            "{\"To_Account\":\(Self.list(ids)),\"TagList\":\(Self.list(tags))}",
            items: "UserProfileItem",
            allowing: codes)
    }

    private func users(_ ids: [String], _ answer: AnswerObject) -> [MigratedUser] {
        let items = answer.objects("UserProfileItem") ?? []
        let byUser = Dictionary(items.map { ($0.text("To_Account"), $0) }) { first, _ in first }
        return ids.map { id in
            var user = MigratedUser(id, createTimeMs: timeMs)
            guard let item = byUser[id], item.number("ResultCode") ?? 0 == 0,
                let tags = item.tags("ProfileItem")
            else {
                let code = byUser[id]?.number("ResultCode") ?? answer.number("ErrorCode") ?? 0
                user.addLoss("profile", because: "was not returned by TIM: \(code)")
                return user
            }
            var row = TIMProfileRow(id, fields, isStrict: isStrict)
            for (tag, value) in tags { row.set(tag, value) }
            for (tag, rule) in row.lost { user.addLoss("profile", field: tag, because: rule) }
            if !row.isEmpty { user.profile = row.profile }
            return user
        }
    }

    static func list(_ texts: [String]) -> String {
        "[" + texts.map { JSONQuote.text($0) }.joined(separator: ",") + "]"
    }
}
