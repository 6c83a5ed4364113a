import Protobuf
import RelationAPI

/// Reads the lists of a user of a TIM app, page by page.
///
/// An answer that cannot be, such as a page that is the one before again, ends the list and not the
/// pull: it is reported as a loss.
struct TIMLists: Sendable {
    let calls: TIMRequests
    let fields: CustomFields
    let readsFollows: Bool
    let readsWordings: Bool
    let isStrict: Bool

    /// Codes that say that the user is gone.
    private static let gone: Set<Int64> = [30003, 70107]

    func read(_ user: inout MigratedUser) async throws {
        try await readFriends(&user)
        try await readGroups(&user)
        try await readBlacklist(&user)
        if readsFollows { try await readFollows(&user) }
    }

    private func body(_ user: String, _ rest: String) -> String {
        "{\"From_Account\":\(JSONQuote.text(user)),\(rest)}"
    }

    // MARK: Friends

    private struct FriendList {
        var rows: [TIMFriendRow] = []
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
        if readsWordings { try await addWordings(&list.rows, of: user.id) }
        for row in list.rows {
            for (tag, rule) in row.lost {
                user.addLoss("friend", row.friend.userID, field: tag, because: rule)
            }
            user.friends.append(row.friend)
        }
    }

    private func friendList(of user: String) async throws -> FriendList {
        var list = FriendList()
        var start: Int64 = 0
        var sequence: Int64?
        var count: Int64 = 0
        for _ in 0..<MigrationLimits.pages {
            let answer = try await calls.answer(
                "sns/friend_get", body(user, "\"StartIndex\":\(start)"), allowing: Self.gone)
            guard answer.number("ErrorCode") == 0, let items = answer.objects("UserDataItem")
            else {
                list.error = "was not returned by TIM: \(answer.number("ErrorCode") ?? 0)"
                return list
            }
            let found = answer.number("StandardSequence")
            if let sequence, sequence != found {
                list.hasChanged = true
                return list
            }
            sequence = found
            for item in items {
                var row = TIMFriendRow(item.text("To_Account"), fields, isStrict: isStrict)
                for (tag, value) in item.tags("ValueItem") ?? [] { row.set(tag, value) }
                list.rows.append(row)
            }
            count = answer.number("FriendNum") ?? count
            let next = answer.number("NextStartIndex") ?? 0
            if answer.number("CompleteFlag") ?? 0 != 0 {
                if count != Int64(list.rows.count) {
                    list.error = "has \(list.rows.count) rows, and TIM counts \(count)"
                }
                return list
            }
            guard next > start else {
                list.error = "has a page that leads back, after \(list.rows.count) rows"
                return list
            }
            start = next
        }
        list.error = "has no end after \(MigrationLimits.pages) pages"
        return list
    }

    private static let unlisted = ["Tag_SNS_IM_AddWording", "Tag_SNS_IM_RemarkTime"]

    /// Asks for the tags that lists do not show: those of a friend that TIM does not tell are lost.
    private func addWordings(_ rows: inout [TIMFriendRow], of user: String) async throws {
        var begin = 0
        while begin < rows.count {
            let end = min(begin + MigrationLimits.friendsAtOnce, rows.count)
            let ids = TIMReader.list(rows[begin..<end].map(\.friend.userID))
            let tags = TIMReader.list(Self.unlisted)
            let answer = try await calls.answer(
                "sns/friend_get_list", body(user, "\"To_Account\":\(ids),\"TagList\":\(tags)"),
                items: "InfoItem", allowing: Self.gone)
            let items = answer.objects("InfoItem") ?? []
            let byUser = Dictionary(items.map { ($0.text("To_Account"), $0) }) { first, _ in
                first
            }
            for index in begin..<end {
                let item = byUser[rows[index].friend.userID]
                let code = item?.number("ResultCode") ?? answer.number("ErrorCode") ?? 0
                guard let item, code == 0, let values = item.tags("SnsProfileItem") else {
                    for tag in Self.unlisted {
                        rows[index].addLoss(tag, because: "was not returned by TIM: \(code)")
                    }
                    continue
                }
                for (tag, value) in values { rows[index].set(tag, value) }
            }
            begin = end
        }
    }

    // MARK: Groups

    private func readGroups(_ user: inout MigratedUser) async throws {
        let answer = try await calls.answer(
            "sns/group_get", body(user.id, "\"NeedFriend\":\"Need_Friend_Type_No\""),
            allowing: Self.gone)
        guard answer.number("ErrorCode") == 0, let items = answer.objects("ResultItem") else {
            return user.addLoss(
                "group", because: "was not returned by TIM: \(answer.number("ErrorCode") ?? 0)")
        }
        user.groups = items.map { $0.text("GroupName") }.filter { !$0.isEmpty }
    }

    // MARK: The blacklist

    private func readBlacklist(_ user: inout MigratedUser) async throws {
        var start: Int64 = 0
        for _ in 0..<MigrationLimits.pages {
            let page =
                "\"StartIndex\":\(start),\"MaxLimited\":\(MigrationLimits.blacklistedAtOnce),"
                + "\"LastSequence\":0"
            let answer = try await calls.answer(
                "sns/black_list_get", body(user.id, page), allowing: Self.gone)
            guard answer.number("ErrorCode") == 0, let items = answer.objects("BlackListItem")
            else {
                return user.addLoss(
                    "blacklist",
                    because: "was not returned by TIM: \(answer.number("ErrorCode") ?? 0)")
            }
            for item in items {
                var entry = BlacklistEntry()
                entry.userID = item.text("To_Account")
                entry.addTimeMs = Self.time(
                    item, "AddBlackTimeStamp", "blacklist", entry.userID, &user)
                user.blacklist.append(entry)
            }
            let next = answer.number("StartIndex") ?? 0
            if next == 0 { return }
            guard next > start else {
                return user.addLoss(
                    "blacklist",
                    because: "has a page that leads back, after \(user.blacklist.count) rows")
            }
            start = next
        }
        user.addLoss("blacklist", because: "has no end after \(MigrationLimits.pages) pages")
    }

    // MARK: Follows

    private func readFollows(_ user: inout MigratedUser) async throws {
        var cursor = ""
        var known: Set<String> = []
        for _ in 0..<MigrationLimits.pages {
            let page =
                "\"FollowType\":2,\"WantNum\":\(MigrationLimits.followsAtOnce),"
                + "\"StartCursor\":\(JSONQuote.text(cursor))"
            let answer = try await calls.answer(
                "follow/follow_get", body(user.id, page), allowing: Self.gone)
            guard answer.number("ErrorCode") == 0, let items = answer.objects("FollowItem") else {
                return user.addLoss(
                    "follow",
                    because: "was not returned by TIM: \(answer.number("ErrorCode") ?? 0)")
            }
            for item in items {
                var entry = FollowEntry()
                entry.userID = item.text("To_Account")
                entry.followTimeMs = Self.time(
                    item, "FollowTime", "follow", entry.userID, &user)
                user.follows.append(entry)
            }
            cursor = answer.text("NextCursor")
            if cursor.isEmpty { return }
            guard known.insert(cursor).inserted else {
                return user.addLoss(
                    "follow",
                    because: "has a page that leads back, after \(user.follows.count) rows")
            }
        }
        user.addLoss("follow", because: "has no end after \(MigrationLimits.pages) pages")
    }

    /// A time of a row; 0, and a loss, if it is none in seconds, as one in milliseconds.
    private static func time(
        _ item: AnswerObject, _ field: String, _ kind: String, _ other: String,
        _ user: inout MigratedUser
    ) -> Int64 {
        let seconds = item.number(field) ?? 0
        guard (0...Int64(UInt32.max)).contains(seconds) else {
            user.addLoss(kind, other, field: field, because: "is not a time in seconds")
            return 0
        }
        return seconds * 1_000
    }
}
