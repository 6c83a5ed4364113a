import Glibc
import Migrations
import Protobuf
import RelationAPI
import TextFiles

/// A file of export that grows by the rows of some users at a time.
///
/// It has another name until it is complete. A point after each part says how many users are in the
/// file, so that a command which ended early is gone on with after the last point.
struct MigrationFile {
    private let path: String
    private let name: String
    private var file: LineWriter
    private var rows: Int64 = 0
    /// The users whose rows the file has.
    private(set) var users = 0
    /// When the file was begun.
    let timeMs: Int64
    /// The kinds of rows that the file has for no user.
    private let unread: UnreadKinds

    private var partial: String { path + ".part" }

    /// Begins the file, whatever there is of it.
    ///
    /// - Parameters:
    ///   - unread: The kinds of rows that the file has for no user.
    ///   - beginning: The rows before the first user.
    /// - Throws: ``Failure`` if the file cannot be written.
    init(
        _ path: String, at now: Int64, unread: UnreadKinds, beginning: [ExportAppResponse]
    ) throws {
        self.path = path
        self.unread = unread
        name = Self.hash(of: [path, "\(now)"])
        timeMs = now
        file = try LineWriter(path + ".part")
        try write([point(lacking: unread)] + beginning)
    }

    /// Begins the file, or goes on with it.
    ///
    /// - Parameters:
    ///   - identity: All that decides what the file holds: a file of another one is left alone.
    ///   - unread: The kinds of rows that the file has for no user.
    ///   - beginning: The rows before the first user, by the time at which the file is begun.
    /// - Throws: ``Failure`` if the file cannot be read or written, or is of another identity.
    init(
        _ path: String, _ identity: [String], at now: Int64, unread: UnreadKinds,
        beginning: (Int64) -> [ExportAppResponse]
    ) throws {
        self.path = path
        self.unread = unread
        name = Self.hash(of: identity)
        let partial = path + ".part"
        guard let last = try Self.lastPoint(of: partial, name), last.users > 0 else {
            timeMs = now
            file = try LineWriter(partial)
            try write([point(lacking: unread)] + beginning(now))
            return
        }
        guard truncate(partial, off_t(last.end)) == 0 else {
            throw Failure("\(partial): \(String(cString: strerror(errno)))")
        }
        (timeMs, rows, users) = (last.point.timeMs, last.point.rows, last.users)
        file = try LineWriter(partial, isGoingOn: true)
    }

    /// Adds the rows of more users.
    ///
    /// - Parameter users: How many users the file then has in all.
    mutating func add(_ added: [ExportAppResponse], users: Int) throws {
        self.users = users
        try write(added, end: true)
    }

    /// Ends the file, and gives it its name.
    ///
    /// - Returns: How many rows it has.
    mutating func finish() throws -> Int64 {
        try write([point(complete: true)])
        try file.close()
        guard rename(partial, path) == 0 else {
            throw Failure("\(path): \(String(cString: strerror(errno)))")
        }
        return rows
    }

    private mutating func write(_ added: [ExportAppResponse], end: Bool = false) throws {
        var lines = ""
        for row in added {
            if case .point(let point) = row.row, !point.complete, point.format == 0,
                let unread = UnreadKinds(token: point.resumeToken)
            {
                // The mark of a user, to which the file adds what its points have.
                lines += try self.point(lacking: unread).json() + "\n"
                continue
            }
            lines += try row.json() + "\n"
            if case .point = row.row { continue }
            rows += 1
        }
        if end { lines += try point().json() + "\n" }
        try file.write(lines)
    }

    /// - Parameter unread: The kinds that the file, or the user above, lacks, and the source has.
    private func point(
        complete: Bool = false, lacking unread: UnreadKinds = UnreadKinds()
    ) -> ExportAppResponse {
        var point = ExportPoint()
        point.resumeToken = "\(name)-\(timeMs)-\(users)"
        if !unread.isEmpty { point.resumeToken += "-\(unread.mark)" }
        (point.timeMs, point.rows, point.complete, point.format) = (timeMs, rows, complete, 1)
        return .with { $0.row = .point(point) }
    }

    // MARK: Going on

    /// A point of the file, from which a migration can go on.
    private struct SavedPoint {
        let point: ExportPoint
        /// The users whose rows come before it.
        let users: Int
        /// The byte after the point's line.
        let end: Int64
    }

    /// The last whole point of a file; nil if there is no file.
    private static func lastPoint(of path: String, _ name: String) throws -> SavedPoint? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > 0 else { return nil }
        var reader = LineReader(try InputFile.opened(path))
        let begin = Array("{\"point\"".utf8)
        var end: Int64 = 0
        var last: SavedPoint?
        while let line = try reader.nextBytes() {
            end += Int64(line.count) + 1
            // The last line may have been cut off.
            guard end <= Int64(status.st_size), line.starts(with: begin),
                let row = ExportAppResponse(line: String(decoding: line, as: UTF8.self)),
                case .point(let point) = row.row
            else { continue }
            let parts = point.resumeToken.split(separator: "-")
            // A mark stands among the rows of a part, which are read again as a whole.
            let isMark = UnreadKinds(token: point.resumeToken) != nil
            guard parts.count == (isMark ? 4 : 3), parts[0] == name, let users = Int(parts[2])
            else {
                throw Failure(
                    "\(path) is of other accounts or options: remove it, or write another file")
            }
            if isMark { continue }
            last = SavedPoint(point: point, users: users, end: end)
        }
        return last
    }

    static func hash(of texts: [String]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for text in texts {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
            hash = (hash ^ 0xff) &* 0x0000_0100_0000_01b3
        }
        return String(hash, radix: 16)
    }
}
