import RelationCore
import RelationModel

/// The names of the groups that a friend is to be in.
enum GroupNames {
    /// Whether a group could have that name.
    ///
    /// The app may have allowed longer names in the past than it allows today.
    static func mayExist(_ name: String) -> Bool {
        !name.isEmpty && AppLimits.maxGroupName.allows(name)
    }

    /// Whether there are more names than any app lets a user have groups.
    ///
    /// The app's own limit is checked against the groups that there are.
    static func areTooMany(_ names: [String]) -> Bool {
        names.count > AppLimits.mostGroups
    }

    /// Whether every name is legal, and no name is given twice.
    static func areLegal(_ names: [String], _ limits: AppLimits) -> Bool {
        guard names.count > 1 else {
            return names.allSatisfy { !$0.isEmpty && limits.groupName.allows($0) }
        }
        var seen: Set<ExactText> = []
        return names.allSatisfy { name in
            !name.isEmpty && limits.groupName.allows(name)
                && seen.insert(ExactText(name)).inserted
        }
    }
}
