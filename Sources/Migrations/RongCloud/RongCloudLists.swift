import Protobuf
import RelationAPI
import RelationModel

/// Reads the lists of a user of a RongCloud app, page by page.
///
/// An answer that cannot be, such as a page that was there before, ends the list and not the pull:
/// it is reported as a loss.
struct RongCloudLists: Sendable {
    let calls: RongCloudRequests
    let fields: CustomFields
    let readsFriends: Bool
    /// The time that blacklist entries get, which RongCloud does not tell.
    let timeMs: Int64

    func read(_ user: inout MigratedUser) async throws {
        if readsFriends { try await readFriends(&user) }
        try await readBlacklist(&user)
    }

    // MARK: Friends

    private struct FriendList {
        var rows: [AnswerObject] = []
        var error = ""
        var hasChanged = false
    }

    private func readFriends(_ user: inout MigratedUser) async throws {
        var list = FriendList()
        for _ in 0..<MigrationLimits.listAttempts {
            list = try await friendList(of: user.id)
            if !list.hasChanged { break }
        }
        if list.hasChanged { list.error = "changed while it was read" }
        if !list.error.isEmpty { user.addLoss("friend", because: list.error) }
        for row in list.rows { user.friends.append(friend(row, of: &user)) }
    }

    private func friendList(of user: String) async throws -> FriendList {
        var list = FriendList()
        var (token, total) = ("", Int64?.none)
        var known: Set<String> = []
        for _ in 0..<MigrationLimits.pages {
            let answer = try await calls.answer(
                "friend/get",
                [
                    ("userId", user), ("pageToken", token),
                    ("size", "\(MigrationLimits.rongCloudPage)"), ("order", "0"),
                ], isOfUser: true)
            guard let rows = Self.rows(answer, "friendList", &list.error) else { return list }
            let count = answer.number("totalCount")
            if let total, let count, total != count {
                list.hasChanged = true
                return list
            }
            total = count ?? total
            list.rows += rows
            token = answer.text("pageToken")
            if token.isEmpty {
                if let total, total != Int64(list.rows.count) {
                    list.error = "has \(list.rows.count) rows, and RongCloud counts \(total)"
                }
                return list
            }
            guard known.insert(token).inserted else {
                list.error = "has a page that leads back, after \(list.rows.count) rows"
                return list
            }
        }
        list.error = "has no end after \(MigrationLimits.pages) pages"
        return list
    }

    private func friend(_ row: AnswerObject, of user: inout MigratedUser) -> Friend {
        var friend = Friend()
        friend.userID = row.text("userId")
        let limit = AppLimits.rongCloud.remark
        let remark = row.text("remarkName")
        if limit.allows(remark) {
            friend.remark = remark
        } else {
            let rule = "has more than \(limit.count) characters"
            user.addLoss("friend", friend.userID, field: "remarkName", because: rule)
        }
        friend.addTimeMs = min(
            max(row.number("time") ?? 0, 0), MigrationLimits.latestMilliseconds)
        for (name, value) in row.object("friendExtProfile")?.byName ?? [] {
            var rule = ""
            let custom = RongCloudProfileRow.custom(name, value, .friend, fields, &rule)
            if let custom { friend.custom.append(custom) }
            if !rule.isEmpty { user.addLoss("friend", friend.userID, field: name, because: rule) }
        }
        return friend
    }

    // MARK: The blacklist

    private func readBlacklist(_ user: inout MigratedUser) async throws {
        var token = ""
        var known: Set<String> = []
        for _ in 0..<MigrationLimits.pages {
            var form = [("userId", user.id), ("size", "\(MigrationLimits.rongCloudPage)")]
            if !token.isEmpty { form.append(("pageToken", token)) }
            let answer = try await calls.answer("user/blacklist/query", form, isOfUser: true)
            let code = answer.number("code") ?? 0
            guard RongCloudRequests.done.contains(code),
                let ids = answer["users"].map(AnswerObject.texts) ?? []
            else {
                return user.addLoss("blacklist", because: "was not returned by RongCloud: \(code)")
            }
            for id in ids {
                var entry = BlacklistEntry()
                (entry.userID, entry.addTimeMs) = (id, timeMs)
                user.blacklist.append(entry)
            }
            token = answer.text("next")
            if token.isEmpty { return }
            guard known.insert(token).inserted else {
                return user.addLoss(
                    "blacklist",
                    because: "has a page that leads back, after \(user.blacklist.count) rows")
            }
        }
        user.addLoss("blacklist", because: "has no end after \(MigrationLimits.pages) pages")
    }

    /// The objects of a list; nil, and an error, if RongCloud tells none.
    private static func rows(
        _ answer: AnswerObject, _ name: String, _ error: inout String
    ) -> [AnswerObject]? {
        let code = answer.number("code") ?? 0
        if RongCloudRequests.done.contains(code), let rows = answer.objects(name) { return rows }
        error = "was not returned by RongCloud: \(code)"
        return nil
    }
}
