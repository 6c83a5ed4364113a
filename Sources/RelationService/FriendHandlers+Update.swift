import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import Storage

extension FriendHandlers {
    static func updateFriends(
        _ request: UpdateFriendsRequest, _ call: Call, _ faults: inout Violations
    ) -> Work<UpdateFriendsResponse> {
        faults.count(request.items.count, "items", 1...Limits.updateFriendsItems)
        var items = ItemSorter<String, FriendRules.Change>(
            duplicate: Reason.FriendUpdate.duplicate)
        for item in request.items {
            switch change(item, call.app.settings.limits) {
            case .success(let change): items.add(change, for: item.userID)
            case .failure(let refusal): items.refuse(refusal, for: item.userID)
            }
        }
        let owner = call.user
        var work = Work<UpdateFriendsResponse>.each(
            items.prepared, named: request.items.map(\.userID)
        ) { (change, ledger) throws(StorageError) in
            try FriendRules.update(change, of: owner, in: ledger)
        }
        let partition = call.app.partition(of: owner)
        for case .value(let change) in items.prepared {
            Accounts.heads(of: [change.user], app: call.app, into: &work.keys)
            work.keys.append(Tables.friends.key(partition, change.user))
            for group in change.groups ?? [] {
                work.keys.append(Tables.groups.key(partition, GroupName(group)))
            }
        }
        return work
    }

    private static func change(
        _ item: FriendUpdate, _ limits: AppLimits
    ) -> Result<FriendRules.Change, Refusal> {
        guard let user = UserID(item.userID) else {
            return .failure(Refusal(Reason.FriendUpdate.userIDIllegal))
        }
        var change = FriendRules.Change(user: user)
        do throws(Refusal) {
            switch (item.updateMask, item.tags.isEmpty) {
            case (let mask?, true): try read(mask.paths, of: item, into: &change)
            case (nil, false): try read(item.tags, into: &change)
            default: throw Refusal(Reason.FriendUpdate.maskIllegal)
            }
            try check(change, limits)
        } catch {
            return .failure(error)
        }
        return .success(change)
    }

    private static func read(
        _ paths: [String], of item: FriendUpdate, into change: inout FriendRules.Change
    ) throws(Refusal) {
        guard (1...Limits.maskPaths).contains(paths.count) else {
            throw Refusal(Reason.FriendUpdate.maskIllegal)
        }
        for path in paths {
            switch path {
            case "remark": change.remark = item.remark
            case "groups": change.groups = item.groups
            default: throw Refusal(Reason.FriendUpdate.maskIllegal)
            }
        }
    }

    private static func read(
        _ tags: [TagValue], into change: inout FriendRules.Change
    ) throws(Refusal) {
        guard tags.count <= Limits.tagValues, Set(tags.map(\.tag)).count == tags.count else {
            throw Refusal(Reason.FriendUpdate.tagIllegal)
        }
        for tag in tags {
            switch FriendTag(tag.tag) {
            case .remark:
                guard case .text(let remark) = tag.value else {
                    throw Refusal(Reason.FriendUpdate.valueIllegal)
                }
                guard change.remark == nil else {
                    throw Refusal(Reason.FriendUpdate.tagIllegal)
                }
                change.remark = remark
            case .groups:
                guard case .texts(let groups) = tag.value else {
                    throw Refusal(Reason.FriendUpdate.valueIllegal)
                }
                guard change.groups == nil else {
                    throw Refusal(Reason.FriendUpdate.tagIllegal)
                }
                change.groups = groups.values
            case .custom:
                // No app has registered a custom field, so every key is one that it does not have.
                throw Refusal(
                    Outcome(.tagNotFound, Reason.FriendUpdate.customTagNotExist))
            case nil:
                throw Refusal(Reason.FriendUpdate.tagIllegal)
            }
        }
    }

    private static func check(
        _ change: FriendRules.Change, _ limits: AppLimits
    ) throws(Refusal) {
        guard limits.remark.allows(change.remark ?? "") else {
            throw Refusal(Reason.FriendUpdate.remarkIllegal)
        }
        guard GroupNames.areLegal(change.groups ?? [], limits) else {
            throw Refusal(Reason.FriendUpdate.groupIllegal)
        }
    }
}

/// What may be changed on a friend, by the tags of the server and the names of the client SDK.
enum FriendTag {
    case remark, groups, custom

    init?(_ tag: String) {
        switch tag {
        case "Tag_SNS_IM_Remark", "TIMFriendTypeKey_Remark": self = .remark
        case "Tag_SNS_IM_Group", "TIMFriendTypeKey_Group": self = .groups
        case _ where tag.hasPrefix("Tag_SNS_Custom_"): self = .custom
        case _ where tag.hasPrefix("TIMFriendTypeKey_Custom_"): self = .custom
        default: return nil
        }
    }
}
