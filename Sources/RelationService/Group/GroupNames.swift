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

    /// Whether every name is legal, no name is given twice, and there are no more than a list may
    /// hold.
    static func areLegal(_ names: [String], _ limits: AppLimits) -> Bool {
        guard names.count <= ServiceLimits.groupNames else { return false }
        var seen: Set<[UInt8]> = []
        return names.allSatisfy { name in
            !name.isEmpty && limits.groupName.allows(name)
                && seen.insert(Array(name.utf8)).inserted
        }
    }
}
