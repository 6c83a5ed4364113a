import Protobuf
import RelationAPI
import RelationCalls
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
            switch change(item, call) {
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
        FriendRules.keysForUpdating(
            items.prepared.values(), of: owner, app: call.app, into: &work.keys)
        return work
    }

    private static func change(
        _ item: FriendUpdate, _ call: Call
    ) -> Result<FriendRules.Change, Refusal> {
        guard let user = UserID(item.userID) else {
            return .failure(Refusal(Reason.FriendUpdate.userIDIllegal))
        }
        var change = FriendRules.Change(user: user)
        var custom = CustomValues(call.app.settings, isAdmin: call.isAdmin, .update)
        do throws(Refusal) {
            switch (item.updateMask, item.tags.isEmpty) {
            case (let mask?, true): try read(mask.paths, of: item, into: &change, &custom)
            case (nil, false): try read(item.tags, into: &change, &custom)
            default: throw Refusal(Reason.FriendUpdate.maskIllegal)
            }
            try check(change, call.app.settings.limits)
            change.custom = try custom.checked()
        } catch {
            return .failure(error)
        }
        return .success(change)
    }

    private static func read(
        _ paths: [String], of item: FriendUpdate, into change: inout FriendRules.Change,
        _ custom: inout CustomValues
    ) throws(Refusal) {
        guard (1...Limits.maskPaths).contains(paths.count) else {
            throw Refusal(Reason.FriendUpdate.maskIllegal)
        }
        for path in paths {
            switch path {
            case "remark": change.remark = item.remark
            case "groups": change.groups = item.groups
            // A path that is named twice means the same as one that is named once.
            case "custom": if custom.isEmpty { try custom.take(item.custom) }
            default: throw Refusal(Reason.FriendUpdate.maskIllegal)
            }
        }
    }

    private static func read(
        _ tags: [TagValue], into change: inout FriendRules.Change, _ custom: inout CustomValues
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
            case .custom(let key): try custom.take(key, tag.value)
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

/// The changeable fields of a friend, by the tags of the server and the names of the client SDK.
enum FriendTag {
    case remark, groups
    case custom(key: String)

    private static let customPrefixes = ["Tag_SNS_Custom_", "TIMFriendTypeKey_Custom_"]

    init?(_ tag: String) {
        switch tag {
        case "Tag_SNS_IM_Remark", "TIMFriendTypeKey_Remark": self = .remark
        case "Tag_SNS_IM_Group", "TIMFriendTypeKey_Group": self = .groups
        default:
            guard let prefix = Self.customPrefixes.first(where: { tag.hasPrefix($0) }) else {
                return nil
            }
            self = .custom(key: String(tag.dropFirst(prefix.count)))
        }
    }
}
