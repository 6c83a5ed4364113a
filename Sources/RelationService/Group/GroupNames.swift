import RelationCore
import RelationModel

/// The names of the groups that a friend is to be in.
enum GroupNames {
    /// Whether a group could have that name: whatever the app allows today, it may have allowed
    /// longer ones before.
    static func mayExist(_ name: String) -> Bool {
        !name.isEmpty && AppLimits.maxGroupName.allows(name)
    }

    /// Whether every name is legal, none is given twice, and they are no more than a list may hold.
    static func areLegal(_ names: [String], _ limits: AppLimits) -> Bool {
        guard names.count <= ServiceLimits.groupNames else { return false }
        var seen: Set<[UInt8]> = []
        return names.allSatisfy { name in
            !name.isEmpty && limits.groupName.allows(name)
                && seen.insert(Array(name.utf8)).inserted
        }
    }
}
