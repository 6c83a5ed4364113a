/// The users that a file of a migration is about.
///
/// It keeps the bytes of their ids, and eight more for each.
package struct KnownUsers: Sendable {
    private var bytes: [UInt8] = []
    /// Where the ids end, one after another.
    private var ends: [Int] = []

    package init() {}

    /// - Parameter ids: Their ids in the order of their bytes.
    package init(sorted ids: [String]) {
        for id in ids { add(id) }
    }

    /// Adds a user after the others.
    ///
    /// - Precondition: No user that was added has an id with later bytes.
    package mutating func add(_ id: String) {
        bytes += id.utf8
        ends.append(bytes.count)
    }

    package func has(_ id: String) -> Bool {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].lexicographicallyPrecedes(id.utf8) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low < ends.count && self[low].elementsEqual(id.utf8)
    }

    private subscript(index: Int) -> ArraySlice<UInt8> {
        bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
    }
}
