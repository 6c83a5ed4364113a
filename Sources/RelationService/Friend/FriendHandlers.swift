import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime

/// The calls of FriendService: requests become rules, and the outcomes of rules become responses.
package enum FriendHandlers {
    package static func register(in router: Router) {
        router.write(FriendMethods.addFriends, asking: .addFriends, subject: subject) {
            request, call, judgement, violations in
            addFriendsJudged(request, call, &violations, judgement)
        }
        router.write(FriendMethods.deleteFriends, deleteFriends)
        router.write(FriendMethods.deleteAllFriends, deleteAllFriends)
        router.read(
            FriendMethods.checkFriendsView, validating: validateCheck, fromCache: cachedCheck,
            fromRows: checkFriends)
        let names = router.committer.memory.names
        let profiles = router.committer.memory.profiles
        router.read(FriendMethods.listFriendsView) { request, call, violations in
            if call.isPast { return listPastFriends(request, call, &violations) }
            return request.isJoined
                ? listJoinedFriends(request, names, profiles, call, &violations)
                : listFriends(request, call, &violations)
        }
        router.read(FriendMethods.searchFriendsView) { request, call, violations in
            searchFriends(request, names, profiles, call, &violations)
        }
        router.read(FriendMethods.getFriends) { request, call, violations in
            getFriends(request, profiles, call, &violations)
        }
        router.write(FriendMethods.updateFriends, asking: .updateFriends, subject: updateSubject) {
            request, call, judgement, violations in
            updateFriendsJudged(request, call, &violations, judgement)
        }
        router.read(FriendMethods.syncFriendsView, syncFriends)
        let memory = router.committer.memory
        router.read(
            FriendMethods.getRelationsView, validating: validateRelations,
            fromCache: cachedRelations(memory.friends), fromRows: getRelations)
        router.read(FriendMethods.listMutualFriends) { request, call, violations in
            listMutualFriends(request, profiles, call, &violations, memory)
        }
        router.read(FriendMethods.suggestFriends) { request, call, violations in
            suggestFriends(request, profiles, call, &violations, memory)
        }
        router.read(FriendMethods.listReverseFriends) { request, call, violations in
            listReverseFriends(request, profiles, call, &violations)
        }
        router.read(FriendMethods.getMutualFriendCounts) { request, call, violations in
            getMutualFriendCounts(request, call, &violations, memory)
        }
        router.write(FriendMethods.dismissSuggestions, dismissSuggestions)
        router.write(FriendMethods.restoreSuggestions, restoreSuggestions)
        router.read(FriendMethods.listDismissedSuggestions) { request, call, violations in
            listDismissedSuggestions(request, profiles, call, &violations)
        }
    }

    // MARK: DeleteFriends, CheckFriends

    static func deleteFriends(
        _ request: DeleteFriendsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<DeleteFriendsResponse> {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.deleteFriendsItems)
        violations.known(request.deleteType, "delete_type")
        let type = request.deleteType == .both ? DeleteType.both : .single
        let owner = call.user
        let items = request.userIDs.prepared(illegal: Reason.FriendDelete.userIDIllegal)
        var work = Work<DeleteFriendsResponse>.each(items, named: request.userIDs) {
            (user, ledger) throws(StorageError) in
            try FriendRules.delete(user, from: owner, type, in: ledger)
        }
        FriendRules.keysForDeleting(
            items.values(), from: owner, type, app: call.app, into: &work.keys)
        return work
    }

    static func deleteAllFriends(
        _ request: DeleteAllFriendsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<DeleteAllFriendsResponse> {
        violations.known(request.deleteType, "delete_type")
        let type = request.deleteType == .both ? DeleteType.both : .single
        let owner = call.user
        var work = Work<DeleteAllFriendsResponse>(
            .one { (ledger) throws(StorageError) in
                let deleted = try FriendRules.deleteAll(of: owner, type, in: ledger)
                var response = DeleteAllFriendsResponse()
                response.removedRows = Int64(deleted.mine)
                response.removedReverseRows = Int64(deleted.theirs)
                return .success(
                    WriteResult(response: response, applied: deleted.mine + deleted.theirs > 0))
            })
        // It fills a transaction by itself: a write after it waits for the next one.
        work.cost = RuntimeLimits.operationsPerCommit
        FriendRules.keysForDeletingAll(of: owner, app: call.app, into: &work.keys)
        return work
    }

    /// - Returns: The type of the check, which is of both sides unless the request says otherwise.
    static func validateCheck(
        _ request: borrowing CheckFriendsRequestView, _ call: Call, _ violations: inout Violations
    ) -> CheckType {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.checkFriendsItems)
        violations.known(request.checkType, "check_type")
        return request.checkType == .unidirection ? .unidirection : .bidirection
    }

    static func cachedCheck(
        _ request: borrowing CheckFriendsRequestView, _ type: CheckType, _ call: Call,
        _ adjacency: AdjacencyCache
    ) throws(StorageError) -> CacheResult<Encoded<CheckFriendsResponseView>> {
        try request.userIDs.withUnsafeBufferPointer { (names) throws(StorageError) in
            try FriendCheck.cached(
                names, of: call.user, type, app: call.app, from: adjacency, call.arena
            ).map { (findings) throws(StorageError) in
                try CheckAnswer.fitting(names, findings, call.arena)
            }
        }
    }

    static func checkFriends(
        _ request: borrowing CheckFriendsRequestView, _ type: CheckType, _ call: Call,
        _ adjacency: CacheLookup?, _ transaction: any ReadTransaction
    ) throws(StorageError) -> ReadAnswer<CheckFriendsResponseView>? {
        try request.userIDs.withUnsafeBufferPointer { (names) throws(StorageError) in
            let findings = try FriendCheck.run(
                names, of: call.user, type, app: call.app, asking: adjacency, in: transaction,
                call.arena)
            guard let findings else { return nil }
            return .encoded(try CheckAnswer.fitting(names, findings, call.arena))
        }
    }

    // MARK: GetFriends

    static func getFriends(
        _ request: GetFriendsRequest, _ profiles: StoredProfiles, _ call: Call,
        _ violations: inout Violations
    ) -> Reading<GetFriendsResponse> {
        let sizes = RowSizes(call.app.settings)
        violations.count(
            request.userIDs.count, "user_ids",
            1...(request.withProfiles ? sizes.joinedFriendsPerCall : sizes.friendsPerCall))
        let mask = FriendMask(
            request.readMask, "read_mask", of: .all.subtracting(.ofLists), call, &violations)
        let joined = JoinedProfiles(request, profiles, call, &violations)
        let ids = request.userIDs.map { UserID($0) }
        let names = request.userIDs
        return reading(call) { (_, transaction) throws(StorageError) in
            let rows = try FriendList.records(
                of: ids.compactMap { $0 }, of: call.user, app: call.app, in: transaction)
            var next = rows.makeIterator()
            var response = GetFriendsResponse()
            for (name, id) in zip(names, ids) {
                var result = GetFriendResult(name, .success)
                if id == nil {
                    result.set(.invalidParameter, Reason.FriendGetList.userIDIllegal)
                } else if let row = next.next() {
                    if !row.exists {
                        result.set(.accountNotFound, Reason.FriendGetList.accountNotExist)
                    } else if let record = row.record {
                        result.friendEntry = Friend(record, mask)
                    } else {
                        result.set(.invalidParameter, Reason.FriendGetList.friendNotExist)
                    }
                }
                response.results.append(result)
            }
            if let joined, mask.contains(.profile) {
                let found = response.results.indices.filter {
                    response.results[$0].friendEntry != nil
                }
                let users = found.compactMap { ids[$0] }
                for (index, profile) in zip(found, try joined.decoded(of: users, in: transaction)) {
                    response.results[index].friendEntry?.profile = profile
                }
            }
            return response
        }
    }
}

extension GetFriendResult: OutcomeMessage {
    fileprivate init(_ name: String, _ code: FriendStatus, _ reason: Reason = .none) {
        self.init()
        userID = name.echoed()
        set(code, reason)
    }
}
