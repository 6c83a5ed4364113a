import RelationCore
import RelationModel

/// A rule for one of the values that a caller gives to a friend.
enum FriendValueRule {
    /// The text is not too long.
    case remark, wording
    /// It is a source, and is brought into the stored form.
    case source
    /// There are not more groups than any app allows, each has a legal name, and stands there once.
    case boundedGroups
    /// There are not more groups than any app allows.
    case groupCount
    /// Each group has a legal name, and stands there once.
    case groups
    /// The position among pinned friends and the end of a mute are not negative.
    case marks

    /// Whether `values` keep the rule; a value that is absent keeps it.
    func allows(
        _ values: inout FriendValues, _ limits: AppLimits, _ keywords: AddSource.Keywords
    ) -> Bool {
        switch self {
        case .remark: return limits.remark.allows(values.remark ?? "")
        case .wording: return limits.wording.allows(values.wording ?? "")
        case .source:
            guard let source = values.source else { return true }
            values.source = AddSource.stored(source, keywords)
            return values.source != nil
        case .boundedGroups:
            let groups = values.groups ?? []
            return !GroupNames.areTooMany(groups) && GroupNames.areLegal(groups, limits)
        case .groupCount: return !GroupNames.areTooMany(values.groups ?? [])
        case .groups: return GroupNames.areLegal(values.groups ?? [], limits)
        case .marks: return (values.pinOrder ?? 0) >= 0 && (values.muteUntilMs ?? 0) >= 0
        }
    }
}
