import Glibc
import RelationAPI

/// A friendship graph from its files, in the order of their lines.
struct Graph {
    private(set) var users: [String] = []
    private(set) var friendshipRows: [FriendRow] = []
    /// One row for each member of an owner's circles, with all circles of the member.
    private(set) var circleRows: [FriendRow] = []
    /// The lines that cannot be read, by file and line number; the other lines are read all the
    /// same.
    private(set) var brokenLines: [String] = []

    private var seen: Set<String> = []

    mutating func readFriendships(_ path: String) throws {
        try forEachLine(of: path) { graph, line, location in
            let ids = line.split(separator: " ", omittingEmptySubsequences: true)
            guard ids.count == 2 else {
                graph.brokenLines.append("\(location): must be two users with a space between them")
                return
            }
            for id in ids { graph.add(String(id)) }
            var row = FriendRow()
            row.userID = String(ids[0])
            row.friendUserID = String(ids[1])
            row.bothWays = true
            graph.friendshipRows.append(row)
        }
    }

    mutating func readCircles(_ path: String) throws {
        var rows: [[String]: Int] = [:]
        try forEachLine(of: path) { graph, line, location in
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty else {
                graph.brokenLines.append("\(location): must be an owner, a circle and its members")
                return
            }
            for member in parts[2].split(separator: " ") {
                let pair = [String(parts[0]), String(member)]
                if let number = rows[pair] {
                    graph.circleRows[number].groups?.values.append(String(parts[1]))
                    continue
                }
                rows[pair] = graph.circleRows.count
                var row = FriendRow()
                row.userID = pair[0]
                row.friendUserID = pair[1]
                row.groups = StringList()
                row.groups?.values = [String(parts[1])]
                graph.circleRows.append(row)
            }
        }
    }

    private mutating func add(_ user: String) {
        if seen.insert(user).inserted { users.append(user) }
    }

    private mutating func forEachLine(
        of path: String, _ body: (inout Graph, Substring, String) -> Void
    ) throws {
        let text = try Self.read(path)
        // A file from elsewhere may end its lines with two characters, which Swift treats as one.
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (number, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
            body(&self, line, "\(path):\(number + 1)")
        }
    }

    private static func read(_ path: String) throws -> String {
        guard let file = fopen(path, "r") else {
            throw Failure("\(path): \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            guard count > 0 else { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        guard ferror(file) == 0 else { throw Failure("\(path): cannot be read to its end") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure("\(path): is not UTF-8")
        }
        return text
    }
}
