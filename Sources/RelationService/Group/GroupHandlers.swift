import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime

/// The calls of FriendGroupService.
package enum GroupHandlers {
    package static func register(in router: Router) {
        router.write(GroupMethods.createFriendGroups, create)
        router.write(GroupMethods.deleteFriendGroups, delete)
        router.write(GroupMethods.addFriendsToGroup, addFriends)
        router.write(GroupMethods.removeFriendsFromGroup, removeFriends)
        router.write(GroupMethods.renameFriendGroup, rename)
        let profiles = router.committer.memory.profiles
        router.read(GroupMethods.getFriendGroups) { request, call, violations in
            get(request, profiles, call, &violations)
        }
    }

    // MARK: Groups as a whole

    static func create(
        _ request: CreateFriendGroupsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<CreateFriendGroupsResponse> {
        let names = request.names
        let ids = request.userIDs
        violations.count(names.count, "names", 1...Limits.groupNames)
        violations.count(
            ids.count, "user_ids",
            0...min(Limits.groupMembers, Limits.groupMemberships / max(1, names.count)))
        let owner = call.user
        let limit = call.app.settings.limits.groupName
        let groups = names.prepared(illegal: Reason.GroupAdd.nameIllegal) { name in
            !name.isEmpty && limit.allows(name)
        }
        let members = ids.prepared(illegal: Reason.GroupAdd.userIDIllegal)
        let users = members.compactMap { if case .value(let user) = $0 { user } else { nil } }
        var work = Work<CreateFriendGroupsResponse>.each(groups) {
            (name, ledger) throws(StorageError) in
            var outcome = try GroupRules.create(name, with: users, of: owner, in: ledger)
            // A group that was not made has no outcomes of members.
            if outcome.code == .success { outcome.parts = members.outcomes(of: outcome.parts) }
            return outcome
        } answering: { outcomes in
            var response = CreateFriendGroupsResponse()
            for (name, outcome) in zip(names, outcomes) {
                var result = CreateFriendGroupResult(name, outcome)
                result.members = zip(ids, outcome.parts).map(FriendResult.init)
                response.results.append(result)
            }
            return response
        }
        work.cost = max(1, names.count) * (1 + users.count)
        GroupRules.keys(
            of: groups.values(), with: users, of: owner, app: call.app, into: &work.keys)
        return work
    }

    static func delete(
        _ request: DeleteFriendGroupsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<DeleteFriendGroupsResponse> {
        let names = request.names
        violations.count(names.count, "names", 1...Limits.groupNames)
        let owner = call.user
        let groups = names.prepared(
            illegal: Reason.GroupUpdate.nameIllegal, GroupNames.mayExist)
        var work = Work<DeleteFriendGroupsResponse>.each(groups) {
            (name, ledger) throws(StorageError) in
            try GroupRules.delete(name, of: owner, in: ledger)
        } answering: { outcomes in
            var response = DeleteFriendGroupsResponse()
            response.results = zip(names, outcomes).map(FriendGroupResult.init)
            return response
        }
        work.cost = max(1, names.count) * RuntimeLimits.operationsPerCommit
        GroupRules.keys(of: groups.values(), with: [], of: owner, app: call.app, into: &work.keys)
        return work
    }

    static func rename(
        _ request: RenameFriendGroupRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<RenameFriendGroupResponse> {
        let (name, newName, owner) = (request.name, request.newName, call.user)
        var item = ValidatedItem<String, FriendStatus>.value(name)
        if !GroupNames.mayExist(name) {
            item = .refused(Outcome(.invalidParameter, Reason.GroupUpdate.nameIllegal))
        } else if newName.isEmpty || !call.app.settings.limits.groupName.allows(newName) {
            item = .refused(Outcome(.invalidParameter, Reason.GroupUpdate.newNameIllegal))
        }
        var work = Work<RenameFriendGroupResponse>.each([item]) {
            (name, ledger) throws(StorageError) in
            try GroupRules.rename(name, to: newName, of: owner, in: ledger)
        } answering: { outcomes in
            var response = RenameFriendGroupResponse()
            response.result = FriendGroupResult(name, outcomes[0])
            return response
        }
        work.cost = RuntimeLimits.operationsPerCommit
        if case .value(let name) = item {
            GroupRules.keys(
                of: [name, newName], with: [], of: owner, app: call.app, into: &work.keys)
        }
        return work
    }

    // MARK: Members

    static func addFriends(
        _ request: AddFriendsToGroupRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<AddFriendsToGroupResponse> {
        members(request.userIDs, of: request.name, call, &violations) {
            (user, name, owner, ledger) throws(StorageError) in
            try GroupRules.add(user, to: name, of: owner, in: ledger)
        }
    }

    static func removeFriends(
        _ request: RemoveFriendsFromGroupRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<RemoveFriendsFromGroupResponse> {
        members(request.userIDs, of: request.name, call, &violations) {
            (user, name, owner, ledger) throws(StorageError) in
            try GroupRules.remove(user, from: name, of: owner, in: ledger)
        }
    }

    private static func members<Response: ItemsResponse<FriendResult>>(
        _ ids: [String], of name: String, _ call: Call, _ violations: inout Violations,
        _ apply:
            @escaping (UserID, String, UserID, Ledger) throws(StorageError) -> FriendOutcome
    ) -> Work<Response> {
        if !GroupNames.mayExist(name) {
            violations.add("name", "must have 1 to \(AppLimits.maxGroupName.count) bytes")
        }
        violations.count(ids.count, "user_ids", 1...Limits.groupMembers)
        let owner = call.user
        let items = ids.prepared(illegal: Reason.GroupUpdate.userIDIllegal)
        var work = Work<Response>.each(items, named: ids) {
            (user, ledger) throws(StorageError) in
            try apply(user, name, owner, ledger)
        }
        GroupRules.keys(
            of: [name], with: items.values(), of: owner, app: call.app, into: &work.keys)
        return work
    }
}

extension FriendGroupResult: ChangeMessage {
    fileprivate init(_ name: String, _ outcome: FriendOutcome) {
        self.init()
        self.name = name.echoed()
        set(outcome)
    }
}

extension CreateFriendGroupResult: ChangeMessage {
    fileprivate init(_ name: String, _ outcome: FriendOutcome) {
        self.init()
        self.name = name.echoed()
        set(outcome)
    }
}

extension [String] {
    /// The names of groups as items.
    ///
    /// The same name twice has the same answer, whatever the rule is.
    fileprivate func prepared(
        illegal reason: Reason, _ isLegal: (String) -> Bool
    ) -> [ValidatedItem<String, FriendStatus>] {
        var items = FriendItemValidator<ExactText, String>(duplicate: reason)
        for name in self {
            if isLegal(name) {
                items.add(name, for: ExactText(name))
            } else {
                items.refuse(Outcome(.invalidParameter, reason), for: ExactText(name))
            }
        }
        return items.prepared
    }
}

extension [ValidatedItem<UserID, FriendStatus>] {
    /// The outcomes of all items, made from the outcomes of the valid ones, in order.
    fileprivate func outcomes(of values: [FriendOutcome]) -> [FriendOutcome] {
        var next = values.makeIterator()
        var outcomes: [FriendOutcome] = []
        for item in self {
            switch item {
            case .value: outcomes.append(next.next() ?? .success)
            case .refused(let outcome): outcomes.append(outcome)
            case .same(let earlier): outcomes.append(outcomes[earlier])
            }
        }
        return outcomes
    }
}
