/// The users that a file of a migration is about.
package struct KnownUsers: Sendable {
    private let ids: [String]

    /// - Parameter ids: Their ids in the order of their bytes.
    package init(sorted ids: [String]) {
        self.ids = ids
    }

    func has(_ id: String) -> Bool {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if MigratedUser.precedes(ids[middle], id) { low = middle + 1 } else { high = middle }
        }
        return low < ids.count && ids[low].utf8.elementsEqual(id.utf8)
    }
}
