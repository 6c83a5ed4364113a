import Collation
import RelationModel

/// The members of a list in one order, with their sections.
///
/// A key is the section and then the sort key of the text. So the rows of a section stand together,
/// Latin names beside Han names of the same letter, and section `#` is last. A text that is missing
/// or hidden is empty, and stands first in `#`.
package struct SortedNames: Sendable {
    package struct Row: Sendable {
        /// The index in the list's members.
        package let member: Int
        fileprivate let start: Int
        fileprivate let end: Int
    }

    /// How many rows stand in one section.
    package struct SectionCount: Equatable, Sendable {
        package let letter: String
        package let count: Int
    }

    /// The version of the rules by which names are sorted; keys made under another version mean
    /// nothing.
    package static let version = Collators.shared.use(\.version) + "+3"

    package private(set) var rows: [Row] = []
    /// Sections that have rows, in order.
    package private(set) var sections: [SectionCount] = []
    private var keys: [UInt8] = []
    private var users: [UserID] = []

    init(_ members: [NamedFriendList.Member], by order: NameOrder, _ collator: Collator) {
        var unsorted: [Row] = []
        unsorted.reserveCapacity(members.count)
        for (index, member) in members.enumerated() {
            let start = keys.count
            Self.append(member, order, collator, to: &keys)
            unsorted.append(Row(member: index, start: start, end: keys.count))
        }
        users = members.map(\.user)
        // Members are in the order of their ids, which decides between equal keys.
        rows = keys.withUnsafeBytes { bytes in
            unsorted.sorted { one, other in
                let order = bytes[one.start..<one.end].compared(to: bytes[other.start..<other.end])
                return order == 0 ? one.member < other.member : order < 0
            }
        }
        var counts: [UInt8: Int] = [:]
        for row in rows { counts[keys[row.start], default: 0] += 1 }
        sections = counts.keys.sorted().map {
            SectionCount(letter: Section(rank: $0).letter, count: counts[$0] ?? 0)
        }
    }

    private static func append(
        _ member: NamedFriendList.Member, _ order: NameOrder, _ collator: Collator,
        to keys: inout [UInt8]
    ) {
        let names = member.names
        let texts: [String]
        switch order {
        case .firstName: texts = [names.firstName, names.middleName, names.lastName]
        case .lastName: texts = [names.lastName, names.firstName, names.middleName]
        case .displayName(let order): texts = [member.displayName(order)]
        }
        let first = collator.sortKey(ofName: texts[0])
        let end = keys.count + CoreLimits.sortKeyBytes
        keys.append(collator.section(ofKey: first).rank)
        keys.append(contentsOf: first)
        for text in texts.dropFirst() {
            keys.append(0)
            keys.append(contentsOf: collator.sortKey(ofName: text))
        }
        if keys.count > end { keys.removeLast(keys.count - end) }
    }

    // MARK: Reading

    /// The sections of `rows`, which are in ascending order.
    package func sections(of rows: [Row]) -> [SectionCount] {
        var counts: [SectionCount] = []
        for row in rows {
            let letter = letter(of: row)
            if let last = counts.last, last.letter == letter {
                counts[counts.count - 1] = SectionCount(letter: letter, count: last.count + 1)
            } else {
                counts.append(SectionCount(letter: letter, count: 1))
            }
        }
        return counts
    }

    package func nameKey(of row: Row) -> NameKey {
        NameKey(key: Array(keys[row.start..<row.end]), user: users[row.member])
    }

    package func letter(of row: Row) -> String {
        Section(rank: keys[row.start]).letter
    }

    /// The number of rows before `nameKey`, and with `including` also the row at it.
    func count(upTo nameKey: NameKey, including: Bool) -> Int {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            let order = compare(rows[middle], nameKey)
            if order < 0 || (including && order == 0) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The rows after `nameKey` in ascending or descending order.
    package func rows(after nameKey: NameKey?, descending: Bool) -> [Row] {
        if descending {
            let end = nameKey.map { count(upTo: $0, including: false) } ?? rows.count
            return rows[..<end].reversed()
        }
        let start = nameKey.map { count(upTo: $0, including: true) } ?? 0
        return Array(rows[start...])
    }

    /// Compares keys: below 0 if `row` stands before `nameKey`, 0 if at it, above 0 if after it.
    package func compare(_ row: Row, _ nameKey: NameKey) -> Int {
        let order = keys.withUnsafeBytes { bytes in
            nameKey.key.withUnsafeBytes { bytes[row.start..<row.end].compared(to: $0[...]) }
        }
        guard order == 0 else { return order }
        let user = users[row.member]
        return user == nameKey.user ? 0 : user < nameKey.user ? -1 : 1
    }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate func compared(to other: Slice<UnsafeRawBufferPointer>) -> Int {
        let common = Swift.min(count, other.count)
        var offset = 0
        while offset < common {
            let (one, two) = (self[startIndex + offset], other[other.startIndex + offset])
            if one != two { return one < two ? -1 : 1 }
            offset += 1
        }
        return count - other.count
    }
}
