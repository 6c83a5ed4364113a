import RelationModel

/// The users of a dump in the order of exports, with the extents of their documents.
struct DumpUsers {
    let ids: [String]
    let extents: [DumpFile.Extent]
    private var numbers: [String: UInt32] = [:]

    /// - Parameters:
    ///   - key: The member that has a user's id.
    ///   - ignored: An id that is not a user's; empty for none.
    ///   - accounts: The count of the users.
    /// - Throws: ``MigrationError`` if the file is not a dump, or has too many users.
    init(
        _ file: DumpFile, key: String, ignoring ignored: String = "",
        counting accounts: AccountCount = AccountCount(), _ losses: inout [MigrationLoss]
    ) throws {
        var accounts = accounts
        var found: [String: DumpFile.Extent] = [:]
        var lost: [MigrationLoss] = []
        try file.forEach { document, extent in
            let id = document.text(key)
            if !ignored.isEmpty, id == ignored { return }
            guard UserID(id) != nil else {
                return lost.append(
                    MigrationLoss(id, "account", because: "is not a user id of this service"))
            }
            guard found[id] == nil else {
                return lost.append(
                    MigrationLoss(
                        id, "account", field: key, because: "comes twice, and the first counts"))
            }
            found[id] = extent
            try accounts.add(in: "the dump")
        }
        losses += lost
        let sorted = found.keys.sorted(by: MigratedUser.precedes)
        ids = sorted
        extents = sorted.compactMap { found[$0] }
        for (number, id) in sorted.enumerated() { numbers[id] = UInt32(number) }
    }

    /// The number of a user in the order of exports; nil if the dump has no such user.
    func number(of id: String) -> UInt32? { numbers[id] }
}

/// The extent of a document of a list, with the number of the user that owns it.
struct OwnedExtent {
    let owner: UInt32
    let extent: DumpFile.Extent

    /// The order of owners, and of the file.
    static func precedes(_ one: OwnedExtent, _ other: OwnedExtent) -> Bool {
        (one.owner, one.extent.offset) < (other.owner, other.extent.offset)
    }
}

extension Array {
    /// The part of a sorted list that belongs to a user.
    func range(of owner: UInt32, _ key: KeyPath<Element, UInt32>) -> ArraySlice<Element> {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle][keyPath: key] < owner { low = middle + 1 } else { high = middle }
        }
        return self[low...].prefix { $0[keyPath: key] == owner }
    }
}
