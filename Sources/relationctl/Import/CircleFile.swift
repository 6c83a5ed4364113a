import RelationAPI
import TextFiles

/// The circles of a file: `OWNER <tab> NAME <tab> MEMBER MEMBER …` a line, with blanks or tabs
/// between members.
///
/// A row names all circles of one member. So the lines of one owner stand together, and only they
/// are kept.
struct CircleFile: RowFile {
    let file: InputFile

    func open() throws -> any RowReader<FriendRow> {
        CircleReader(file)
    }
}

private final class CircleReader: RowReader {
    private var lines: LineReader
    private var circles = OwnerCircles(owner: "")
    private var owners: Set<String> = []
    /// The rows of the owner before, which are reported first.
    private var ready: ArraySlice<FriendRow> = []
    private var isAtEnd = false

    init(_ file: InputFile) {
        lines = LineReader(file)
    }

    func next() throws -> FileRow<FriendRow>? {
        while true {
            if let row = ready.popFirst() { return .row(row) }
            guard !isAtEnd else { return nil }
            guard let line = try lines.next() else {
                isAtEnd = true
                ready = circles.rows[...]
                continue
            }
            if let error = add(line.text) { return .broken(line, error) }
        }
    }

    /// Takes a line, and returns why it is none.
    private func add(_ line: String) -> String? {
        let parts = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty else {
            return "must be an owner, a circle and its members, with a tab after the first two"
        }
        let members = LineWords.words(of: parts[2])
        if let error = members.lazy.compactMap({ LineWords.error(in: $0) }).first { return error }
        let owner = String(parts[0])
        if owner != circles.owner {
            guard owners.insert(owner).inserted else {
                return "must stand with the other lines of \(owner)"
            }
            ready = circles.rows[...]
            circles = OwnerCircles(owner: owner)
        }
        circles.add(String(parts[1]), of: members)
        return nil
    }
}

/// The circles of one owner: a row for each member, in the order in which they are named first.
private struct OwnerCircles {
    let owner: String
    private(set) var rows: [FriendRow] = []
    private var indices: [String: Int] = [:]

    init(owner: String) {
        self.owner = owner
    }

    mutating func add(_ circle: String, of members: [String]) {
        for member in members {
            if let index = indices[member] {
                rows[index].groups?.values.append(circle)
                continue
            }
            indices[member] = rows.count
            var row = FriendRow()
            row.userID = owner
            row.friendUserID = member
            row.groups = StringList()
            row.groups?.values = [circle]
            rows.append(row)
        }
    }
}
