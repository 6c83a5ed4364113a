import GRPC
import RPC
import RelationAPI
import RelationCalls
import RelationCore
import RelationHooks
import RelationModel

extension FriendHandlers {
    static func addFriends(
        _ request: AddFriendsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<AddFriendsResponse> {
        addFriendsJudged(request, call, &violations, .none)
    }

    /// The items of AddFriends, with the texts that a hook gives them.
    private static func items(
        _ request: AddFriendsRequest, _ call: Call, _ judgement: HookJudgement
    ) -> [ValidatedItem<FriendItem, FriendStatus>] {
        let validator = FriendValuesValidator(.add, call.app, isAdmin: call.isAdmin)
        var items = FriendItemValidator<ExactText, FriendItem>(
            duplicate: Reason.FriendAdd.duplicate)
        for (index, friend) in request.items.enumerated() {
            items.add(for: ExactText(friend.userID)) { () throws(FriendRefusal) in
                var item = FriendItem(user: try validator.user(friend.userID))
                item.isReviewed = !call.isAdmin
                item.values.remark = judgement.text("remark", of: index, or: friend.remark)
                item.values.wording = judgement.text("wording", of: index, or: friend.wording)
                item.values.source = friend.source
                item.values.groups = friend.group.isEmpty ? [] : [friend.group]
                item.values.groups? += friend.groups
                try validator.check(
                    &item.values, custom: judgement.custom(friend.custom, of: index))
                return item
            }
        }
        return items.prepared
    }

    /// The part of AddFriends that a hook is asked about.
    static func subject(
        _ request: AddFriendsRequest, _ call: Call, _ judgement: HookJudgement
    ) -> HookSubject? {
        let items = items(request, call, judgement)
        let keywords = AddSource.Keywords(call.app.settings)
        var subject = HookSubject(.addFriends, call, items.distinct()) { index in
            let friend = request.items[index]
            var item = HookAsk.Item(friend.userID)
            if case .value(let checked) = items[index] {
                item.texts = call.app.settings.texts(of: checked.values.custom, .friend)
            }
            item.texts["remark"] = friend.remark
            item.texts["wording"] = friend.wording
            item.source = AddSource.stored(friend.source, keywords) ?? ""
            item.groups = (friend.group.isEmpty ? [] : [friend.group]) + friend.groups
            return item
        }
        subject?.ask.addType = request.addType == .unspecified ? .both : request.addType
        subject?.ask.isForced = request.force
        return subject
    }

    static func addFriendsJudged(
        _ request: AddFriendsRequest, _ call: Call, _ violations: inout Violations,
        _ judgement: HookJudgement
    ) -> Work<AddFriendsResponse> {
        violations.count(request.items.count, "items", 1...Limits.addFriendsItems)
        violations.count(
            request.items.reduce(0) { $0 + $1.groups.count }, "items.groups",
            0...Limits.groupMemberships)
        violations.known(request.addType, "add_type")
        if request.force && !call.isAdmin {
            violations.refuse(
                RPCError(.permissionDenied, .scopeMissing, "force: needs the scope admin"))
        }
        let items = items(request, call, judgement).judged(by: judgement)
        let type = request.addType == .unspecified ? AddType.both : request.addType
        let force = request.force
        let owner = call.user
        var work = Work<AddFriendsResponse>.each(
            items, named: request.items.map(\.userID)
        ) { (addition, ledger) throws(StorageError) in
            if force { ledger.isForced = true }
            return try FriendRules.add(addition, to: owner, type, force: force, in: ledger)
        }
        work.action = force ? .free : .reach
        FriendRules.keysForAdding(items.values(), to: owner, app: call.app, into: &work.keys)
        return work.quoting(judgement)
    }
}
