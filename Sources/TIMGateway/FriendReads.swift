import Protobuf
import RelationAPI
import RelationModel

/// The commands of `sns` that read friends.
enum FriendReads {
    // MARK: friend_check

    static func check(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        var message = CheckFriendsRequest()
        message.userID = try request.actor
        message.userIDs = try request.users(atMost: TIMLimits.items)
        guard let type = try request.body.word("CheckType", checkTypes) else {
            throw request.body.missing("CheckType")
        }
        message.checkType = type
        let answer = try await request.calls.call(FriendMethods.checkFriends, message)
        let results = answer.results.map { result in
            let word = relations[(result.relation ?? .none).rawValue] ?? "NoRelation"
            return TIMResult(
                result.userID, TIMResult.code(of: result.code), result.info,
                [("Relation", .string("CheckResult_Type_\(word)"))])
        }
        return TIMAnswer("InfoItem", results)
    }

    private static let checkTypes: [String: CheckType] = [
        "CheckResult_Type_Single": .unidirection, "CheckResult_Type_Both": .bidirection,
    ]

    private static let relations: [Int32: String] = [
        FriendRelation.none.rawValue: "NoRelation", FriendRelation.myUni.rawValue: "AWithB",
        FriendRelation.otherUni.rawValue: "BWithA", FriendRelation.bothWay.rawValue: "BothWay",
    ]

    // MARK: friend_get

    /// Answers one page of the service's longest, from any index on.
    static func get(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        let start = try request.body.number("StartIndex")
        let standard = try request.body.numberIfAny("StandardSequence") ?? 0
        let custom = try request.body.numberIfAny("CustomSequence") ?? 0
        let page = try await page(at: start, request)
        let sequence = page.sequence.clientSequence
        // One sequence stands for both halves of a row.
        let hasStandard = standard == 0 || Int64(standard) != sequence
        let hasCustom = custom == 0 || Int64(custom) != sequence
        var rows: [JSONValue] = []
        if hasStandard || hasCustom {
            rows = page.friends.map { friend in
                let values = TIMTag.values(of: friend).filter { tag, _ in
                    let isCustom = tag.hasPrefix(TIMTag.friendPrefix)
                    return isCustom ? hasCustom : hasStandard && !unlisted.contains(tag)
                }
                return .object([
                    ("To_Account", .string(friend.userID)),
                    ("ValueItem", .array(values.map { .tag($0, $1) })),
                ])
            }
        }
        let isComplete = rows.isEmpty || page.nextPageToken.isEmpty
        return TIMAnswer([
            ("UserDataItem", .array(rows)),
            ("StandardSequence", .whole(sequence)),
            ("CustomSequence", .whole(sequence)),
            ("FriendNum", .whole(page.totalSize)),
            ("CompleteFlag", .whole(isComplete ? 1 : 0)),
            ("NextStartIndex", .whole(isComplete ? 0 : start + rows.count)),
        ])
    }

    /// The tags that a list does not show; friend_get_list does.
    private static let unlisted: Set<String> = ["Tag_SNS_IM_AddWording", "Tag_SNS_IM_RemarkTime"]

    /// The page from `start` on: the pages before it are read and left out.
    private static func page(
        at start: Int, _ request: TIMRequest
    ) async throws(TIMError) -> ListFriendsResponse {
        var message = ListFriendsRequest()
        message.userID = try request.actor
        var before = 0
        while true {
            message.pageSize = Int32(Swift.min(Swift.max(start - before, 0), Limits.maxPageRows))
            let isSkipped = message.pageSize > 0
            if !isSkipped { message.pageSize = Int32(Limits.maxPageRows) }
            var page = try await request.calls.call(FriendMethods.listFriends, message)
            guard isSkipped else { return page }
            before += page.friends.count
            message.pageToken = page.nextPageToken
            guard !page.nextPageToken.isEmpty else {
                page.friends = []
                return page
            }
        }
    }

    // MARK: friend_get_list

    static func getList(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        let actor = try request.actor
        let users = try request.users(atMost: TIMLimits.readUsers)
        let tags = try request.body.texts("TagList", atMost: TIMLimits.tags)
        var namesProfiles = false
        for tag in tags {
            let isOfProfile = TIMTag.isKnown(tag, request.settings, of: .profile)
            guard isOfProfile || TIMTag.isKnown(tag, request.settings, of: .friend) else {
                throw request.body.wrong("TagList", "a list of tags of the app")
            }
            namesProfiles = namesProfiles || isOfProfile
        }
        var message = GetFriendsRequest()
        message.userID = actor
        message.userIDs = users
        let answer = try await request.calls.call(FriendMethods.getFriends, message)
        var results: [TIMResult] = []
        for result in answer.results {
            let code = TIMResult.code(of: result.code)
            guard code == 0, let friend = result.friendEntry else {
                results.append(TIMResult(result.userID, code, result.info))
                continue
            }
            var values = TIMTag.values(of: friend)
            if namesProfiles, let profile = try await request.profile(of: result.userID) {
                values = TIMTag.values(of: profile) + values
            }
            let shown = values.filter { tags.contains($0.tag) }.map { JSONValue.tag($0, $1) }
            results.append(
                TIMResult(result.userID, 0, "", [("SnsProfileItem", .array(shown))]))
        }
        return TIMAnswer("InfoItem", results)
    }
}

extension TIMRequest {
    /// The whole profile of a user, as the user sees it; nil if it is not an account.
    ///
    /// A read for another user would hide what the user hides from that one.
    func profile(of user: String) async throws(TIMError) -> Profile? {
        var message = GetSelfProfileRequest()
        message.userID = user
        do throws(TIMError) {
            return try await calls.call(ProfileMethods.getSelfProfile, message).profile
        } catch {
            guard error.code == body.service.accountUnknown else { throw error }
            return nil
        }
    }
}
