import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationHooks
import RelationModel
import RelationRuntime

/// The calls of FollowService.
package enum FollowHandlers {
    package static func register(in router: Router) {
        router.write(FollowMethods.follow, asking: .follow, subject: subject) {
            request, call, judgement, violations in
            followJudged(request, call, &violations, judgement)
        }
        router.write(FollowMethods.unfollow, unfollow)
        let profiles = router.committer.memory.profiles
        router.read(FollowMethods.listFollowing) { request, call, violations in
            list(.following, "ListFollowing", request, profiles, call, &violations)
        }
        router.read(FollowMethods.listFollowers) { request, call, violations in
            list(.followers, "ListFollowers", request, profiles, call, &violations)
        }
        router.read(FollowMethods.listMutualFollows) { request, call, violations in
            list(.mutual, "ListMutualFollows", request, profiles, call, &violations)
        }
        router.read(FollowMethods.checkFollows, check)
        router.read(FollowMethods.getFollowCounts, counts)
    }

    static func follow(
        _ request: FollowRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<FollowResponse> {
        followJudged(request, call, &violations, .none)
    }

    private static func items(_ request: FollowRequest) -> [ValidatedItem<UserID, FollowStatus>] {
        request.userIDs.prepared(
            refusing: FollowOutcome(.invalidParameter, Reason.FollowAdd.userIDIllegal))
    }

    /// The part of Follow that a hook is asked about.
    static func subject(
        _ request: FollowRequest, _ call: Call, _ judgement: HookJudgement
    ) -> HookSubject? {
        HookSubject(.follow, call, items(request).distinct()) { index in
            HookAsk.Item(request.userIDs[index])
        }
    }

    static func followJudged(
        _ request: FollowRequest, _ call: Call, _ violations: inout Violations,
        _ judgement: HookJudgement
    ) -> Work<FollowResponse> {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.followItems)
        let owner = call.user
        let names = request.userIDs
        let items = items(request).judged(by: judgement)
        var work = Work<FollowResponse>.each(
            items,
            { (user, ledger) throws(StorageError) in
                try FollowRules.follow(owner, user, in: ledger)
            },
            answering: { outcomes in
                FollowResponse.with { response in
                    response.results = zip(names, outcomes).map { FollowResult($0, $1) }
                }
            })
        work.action = .reach
        FollowRules.keysForFollowing(items.values(), by: owner, app: call.app, into: &work.keys)
        return work.quoting(judgement)
    }

    static func unfollow(
        _ request: UnfollowRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<UnfollowResponse> {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.followItems)
        let owner = call.user
        let names = request.userIDs
        let items = names.prepared(
            refusing: FollowOutcome(.invalidParameter, Reason.FollowDelete.userIDIllegal))
        var work = Work<UnfollowResponse>.each(
            items,
            { (user, ledger) throws(StorageError) in
                try FollowRules.unfollow(owner, user, in: ledger)
            },
            answering: { outcomes in
                UnfollowResponse.with { response in
                    response.results = zip(names, outcomes).map { FollowResult($0, $1) }
                }
            })
        FollowRules.keysForUnfollowing(items.values(), by: owner, app: call.app, into: &work.keys)
        return work
    }

    // MARK: Lists

    static func list<List: FollowListNames>(
        _ list: FollowList, _ name: String, _ request: FollowListRequest<List>,
        _ profiles: StoredProfiles, _ call: Call, _ violations: inout Violations
    ) -> Reading<FollowListResponse<List>> {
        let page = FollowPage(request, list, name, profiles, call, &violations)
        return reading(call) { (userRecord, transaction) throws(StorageError) in
            let found = try page.read(userRecord, in: transaction)
            var response = FollowListResponse<List>()
            response.entries = found.entries
            response.nextPageToken = found.nextToken
            response.totalSize = found.total
            response.sequence = userRecord.lastChange(of: list)
            return response
        }
    }

    // MARK: Questions about several users

    static func check(
        _ request: CheckFollowsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<CheckFollowsResponse> {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.followItems)
        let names = request.userIDs
        let users = names.map { UserID($0) }
        return reading(call) { (_, transaction) throws(StorageError) in
            let relations = try Follows.check(
                users.compactMap { $0 }, of: call.user, app: call.app, in: transaction)
            var next = relations.makeIterator()
            var response = CheckFollowsResponse()
            for (name, user) in zip(names, users) {
                var result = CheckFollowsResult()
                result.userID = name.echoed()
                if user == nil {
                    result.set(.invalidParameter, Reason.FollowCheck.userIDIllegal)
                } else if let relation = next.next() ?? nil {
                    result.set(.success, .none)
                    result.relation = relation
                } else {
                    result.set(.accountNotFound, Reason.FollowCheck.accountNotExist)
                }
                response.results.append(result)
            }
            return response
        }
    }

    static func counts(
        _ request: GetFollowCountsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<GetFollowCountsResponse> {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.followItems)
        let names = request.userIDs
        let users = names.map { UserID($0) }
        return reading(call) { (_, transaction) throws(StorageError) in
            let counts = try Follows.counts(
                of: users.compactMap { $0 }, app: call.app, in: transaction)
            var next = counts.makeIterator()
            var response = GetFollowCountsResponse()
            for (name, user) in zip(names, users) {
                var result = FollowCountsResult()
                result.userID = name.echoed()
                if user == nil {
                    result.set(.invalidParameter, Reason.FollowCheck.userIDIllegal)
                } else if let counts = next.next() ?? nil {
                    result.set(.success, .none)
                    result.counts = FollowCounts.with {
                        $0.followers = counts.followers
                        $0.following = counts.following
                        $0.mutual = counts.mutual
                    }
                } else {
                    result.set(.accountNotFound, Reason.FollowCheck.accountNotExist)
                }
                response.results.append(result)
            }
            return response
        }
    }
}

extension FollowResult: ChangeMessage {
    fileprivate init(_ name: String, _ outcome: FollowOutcome) {
        self.init()
        userID = name.echoed()
        set(outcome)
    }
}

extension CheckFollowsResult: OutcomeMessage {}

extension FollowCountsResult: OutcomeMessage {}

extension UserRecord {
    /// The user's sequence when `list`, or one that it is made of, last changed.
    fileprivate func lastChange(of list: FollowList) -> Int64 {
        switch list {
        case .following: followingSequence
        case .followers: followersSequence
        case .mutual: max(followingSequence, followersSequence)
        }
    }
}
