import Protobuf
import RelationAPI
import RelationModel

/// The commands of `follow`.
enum FollowCommands {
    static func add(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        var message = FollowRequest()
        message.userID = try request.actor
        message.userIDs = try request.body.objects("FollowItem", atMost: TIMLimits.followItems)
            .map { (item) throws(TIMError) in try item.text("To_Account") }
        let answer = try await request.calls.write(FollowMethods.follow, message)
        return TIMAnswer("ResultItem", answer.results.map(result))
    }

    static func delete(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        var message = UnfollowRequest()
        message.userID = try request.actor
        message.userIDs = try request.users(atMost: TIMLimits.followItems)
        let answer = try await request.calls.write(FollowMethods.unfollow, message)
        return TIMAnswer("ResultItem", answer.results.map(result))
    }

    private static func result(_ result: FollowResult) -> TIMResult {
        TIMResult(result.userID, Int((result.code ?? .success).rawValue), result.info)
    }

    // MARK: follow_get

    static func get(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        let body = request.body
        let actor = try request.actor
        let count = try body.number("WantNum")
        guard (1...Limits.maxPageRows).contains(count) else {
            throw body.wrong("WantNum", "a number from 1 to \(Limits.maxPageRows)")
        }
        let cursor = try body.textIfAny("StartCursor") ?? ""
        let page: (entries: [FollowEntry], next: String)
        switch try body.number("FollowType") {
        case 1:
            var message = ListFollowersRequest()
            (message.userID, message.withProfiles) = (actor, true)
            (message.pageSize, message.pageToken) = (Int32(count), cursor)
            let answer = try await request.calls.call(FollowMethods.listFollowers, message)
            page = (answer.entries, answer.nextPageToken)
        case 2:
            var message = ListFollowingRequest()
            (message.userID, message.withProfiles) = (actor, true)
            (message.pageSize, message.pageToken) = (Int32(count), cursor)
            let answer = try await request.calls.call(FollowMethods.listFollowing, message)
            page = (answer.entries, answer.nextPageToken)
        case 3:
            var message = ListMutualFollowsRequest()
            (message.userID, message.withProfiles) = (actor, true)
            (message.pageSize, message.pageToken) = (Int32(count), cursor)
            let answer = try await request.calls.call(FollowMethods.listMutualFollows, message)
            page = (answer.entries, answer.nextPageToken)
        default: throw body.wrong("FollowType", "1, 2 or 3")
        }
        return TIMAnswer([
            ("FollowItem", .array(page.entries.map(row))), ("NextCursor", .string(page.next)),
        ])
    }

    private static func row(_ entry: FollowEntry) -> JSONValue {
        let values = (entry.profile.map { TIMTag.values(of: $0) } ?? []).map {
            JSONValue.tag($0, $1)
        }
        return .object([
            ("To_Account", .string(entry.userID)),
            ("FollowTime", .whole(entry.followTimeMs / 1_000)),
            ("ProfileItem", .array(values)),
        ])
    }

    // MARK: follow_check, follow_get_info

    static func check(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        var message = CheckFollowsRequest()
        message.userID = try request.actor
        message.userIDs = try request.users(atMost: TIMLimits.readUsers)
        let answer = try await request.calls.call(FollowMethods.checkFollows, message)
        let results = answer.results.map { result in
            TIMResult(
                result.userID, Int((result.code ?? .success).rawValue), result.info,
                [("FollowType", .whole(number(of: result.relation ?? .none)))])
        }
        return TIMAnswer("ResultItem", results)
    }

    /// The numbers of this command are not those of the vendor's client, which are ours.
    private static func number(of relation: FollowRelation) -> Int {
        switch relation {
        case .followedBy: 1
        case .following: 2
        case .mutual: 3
        default: 0
        }
    }

    static func getInfo(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        var message = GetFollowCountsRequest()
        message.userID = try request.actor
        message.userIDs = try request.users(atMost: TIMLimits.followItems)
        let answer = try await request.calls.call(FollowMethods.getFollowCounts, message)
        let infos = answer.results.map { result in
            let code = Int((result.code ?? .success).rawValue)
            var members: [TIMAnswer.Member] = [
                ("To_Account", .string(result.userID)), ("ResultCode", .whole(code)),
                ("ResultInfo", .string(code == 0 ? "" : result.info)),
            ]
            if let counts = result.counts {
                members.append(("FollowerCount", .whole(counts.followers)))
                members.append(("FollowingCount", .whole(counts.following)))
                members.append(("MutualFollowingCount", .whole(counts.mutual)))
            }
            return JSONValue.object(members)
        }
        return TIMAnswer([("FollowInfo", .array(infos))])
    }
}
