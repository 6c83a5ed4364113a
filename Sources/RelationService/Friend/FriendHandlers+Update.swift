import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationHooks
import RelationModel

extension FriendHandlers {
    static func updateFriends(
        _ request: UpdateFriendsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<UpdateFriendsResponse> {
        updateFriendsJudged(request, call, &violations, .none)
    }

    /// The items of UpdateFriends, with the texts that a hook gives them.
    private static func items(
        _ request: UpdateFriendsRequest, _ call: Call, _ judgement: HookJudgement
    ) -> [ValidatedItem<FriendItem, FriendStatus>] {
        let validator = FriendValuesValidator(.update, call.app, isAdmin: call.isAdmin)
        var items = FriendItemValidator<ExactText, FriendItem>(
            duplicate: Reason.FriendUpdate.duplicate)
        for (index, item) in request.items.enumerated() {
            items.add(for: ExactText(item.userID)) { () throws(FriendRefusal) in
                // A field that a hook empties is written all the same.
                var change = try change(
                    judgement.texts[index].map(item.replacing) ?? item, item.paths, validator)
                change.isReviewed = !call.isAdmin
                return change
            }
        }
        return items.prepared
    }

    /// The part of UpdateFriends that a hook is asked about.
    static func updateSubject(
        _ request: UpdateFriendsRequest, _ call: Call, _ judgement: HookJudgement
    ) -> HookSubject? {
        let items = items(request, call, judgement)
        return HookSubject(.updateFriends, call, items.distinct()) { index in
            var item = HookAsk.Item(request.items[index].userID)
            guard case .value(let change) = items[index] else { return item }
            item.fields = change.values.fields
            item.groups = change.values.groups ?? []
            item.texts = call.app.settings.texts(of: change.values.custom, .friend)
            item.texts[FriendPath.remark.rawValue] = change.values.remark
            return item
        }
    }

    static func updateFriendsJudged(
        _ request: UpdateFriendsRequest, _ call: Call, _ violations: inout Violations,
        _ judgement: HookJudgement
    ) -> Work<UpdateFriendsResponse> {
        violations.count(request.items.count, "items", 1...Limits.updateFriendsItems)
        let groups = request.items.reduce(0) { $0 + $1.groupCount }
        violations.count(groups, "items.groups", 0...Limits.groupMemberships)
        for (index, item) in request.items.enumerated() {
            item.checkMask("items[\(index)].update_mask", &violations)
        }
        let items = items(request, call, judgement).judged(by: judgement)
        let owner = call.user
        var work = Work<UpdateFriendsResponse>.each(
            items, named: request.items.map(\.userID)
        ) { (change, ledger) throws(StorageError) in
            try FriendRules.update(change, of: owner, in: ledger)
        }
        FriendRules.keysForUpdating(
            items.values(), of: owner, app: call.app, into: &work.keys)
        return work.quoting(judgement)
    }

    private static func change(
        _ item: FriendUpdate, _ paths: Set<FriendPath>, _ validator: FriendValuesValidator
    ) throws(FriendRefusal) -> FriendItem {
        var change = FriendItem(user: try validator.user(item.userID))
        change.expectedSequence = item.expectedSequence
        var custom = validator.customValues()
        // An item has new values in its fields or in its tags, not in both and not in neither.
        guard paths.isEmpty != item.tags.isEmpty else {
            throw FriendRefusal(Reason.FriendUpdate.maskIllegal)
        }
        try read(paths, of: item, into: &change.values, &custom)
        try read(item.tags, into: &change.values, &custom)
        try validator.check(&change.values)
        change.values.custom = try custom.checked()
        return change
    }

    private static func read(
        _ paths: Set<FriendPath>, of item: FriendUpdate, into values: inout FriendValues,
        _ custom: inout CustomValues
    ) throws(FriendRefusal) {
        for path in paths {
            switch path {
            case .remark: values.remark = item.remark
            case .groups: values.groups = item.groups
            case .custom: try custom.add(item.custom)
            case .starred: values.starred = item.starred
            case .pinOrder: values.pinOrder = item.pinOrder
            case .muteUntil: values.muteUntilMs = item.muteUntilMs
            case .ignored: values.ignored = item.ignored
            }
        }
    }

    private static func read(
        _ tags: [TagValue], into values: inout FriendValues, _ custom: inout CustomValues
    ) throws(FriendRefusal) {
        let different = Set(tags.map { ExactText($0.tag) })
        guard tags.count <= Limits.tagValues, different.count == tags.count else {
            throw FriendRefusal(Reason.FriendUpdate.tagIllegal)
        }
        for tag in tags {
            switch FriendTag(tag.tag) {
            case .remark:
                guard case .text(let remark) = tag.value else {
                    throw FriendRefusal(Reason.FriendUpdate.valueIllegal)
                }
                guard values.remark == nil else {
                    throw FriendRefusal(Reason.FriendUpdate.tagIllegal)
                }
                values.remark = remark
            case .groups:
                guard case .texts(let groups) = tag.value else {
                    throw FriendRefusal(Reason.FriendUpdate.valueIllegal)
                }
                guard values.groups == nil else {
                    throw FriendRefusal(Reason.FriendUpdate.tagIllegal)
                }
                values.groups = groups.values
            case .custom(let key): try custom.add(key, tag.value)
            case nil:
                throw FriendRefusal(Reason.FriendUpdate.tagIllegal)
            }
        }
    }
}

/// The changeable fields of a friend, by their names in update masks.
private enum FriendPath: String {
    case remark, groups, custom, starred
    case pinOrder = "pin_order"
    case muteUntil = "mute_until_ms"
    case ignored
}

extension FriendValues {
    /// The paths of the fields that an update writes, in the order of the contract.
    fileprivate var fields: [String] {
        var paths: [FriendPath] = []
        if remark != nil { paths.append(.remark) }
        if groups != nil { paths.append(.groups) }
        if starred != nil { paths.append(.starred) }
        if pinOrder != nil { paths.append(.pinOrder) }
        if muteUntilMs != nil { paths.append(.muteUntil) }
        if ignored != nil { paths.append(.ignored) }
        return paths.map(\.rawValue) + custom.map { CustomPath.prefix + $0.key }
    }
}

extension FriendUpdate {
    /// The item with other texts, by the paths of their fields.
    fileprivate func replacing(_ texts: [String: String]) -> FriendUpdate {
        var item = self
        item.remark = texts[FriendPath.remark.rawValue] ?? remark
        item.custom = custom.replacing(texts)
        for index in tags.indices {
            let path: String
            switch FriendTag(tags[index].tag) {
            case .remark: path = FriendPath.remark.rawValue
            case .custom(let key): path = CustomPath.prefix + key
            case .groups, nil: continue
            }
            guard let text = texts[path] else { continue }
            item.tags[index].value = .text(text)
        }
        return item
    }

    /// How many groups the item names, in its field and in its tags.
    fileprivate var groupCount: Int {
        tags.reduce(groups.count) { count, tag in
            guard case .texts(let texts) = tag.value else { return count }
            return count + texts.values.count
        }
    }

    /// The fields to write: those of the mask or, without a mask, all that are set.
    ///
    /// A path that is named twice means the same as one that is named once.
    fileprivate var paths: Set<FriendPath> {
        if let mask = updateMask, !mask.paths.isEmpty {
            return Set(mask.paths.compactMap { FriendPath(rawValue: $0) })
        }
        var paths: Set<FriendPath> = []
        if !remark.isEmpty { paths.insert(.remark) }
        if !groups.isEmpty { paths.insert(.groups) }
        if !custom.isEmpty { paths.insert(.custom) }
        if starred { paths.insert(.starred) }
        if pinOrder != 0 { paths.insert(.pinOrder) }
        if muteUntilMs != 0 { paths.insert(.muteUntil) }
        if ignored { paths.insert(.ignored) }
        return paths
    }

    /// Checks that the mask names only fields that an update writes.
    fileprivate func checkMask(_ field: String, _ violations: inout Violations) {
        for path in violations.paths(of: updateMask, field) where FriendPath(rawValue: path) == nil
        {
            violations.add(path: path, in: field, "is not a field that an update writes") {
                FriendPath(rawValue: $0) != nil
            }
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
