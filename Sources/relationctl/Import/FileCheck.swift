import Backups
import RelationAPI
import RelationModel
import TextFiles

/// The findings of a look at all files before the first row is sent.
struct FileCheck {
    private(set) var brokenLines: [BrokenLine] = []
    /// Rows that break a rule of every app: only a dry run looks for them.
    private(set) var errors = 0

    /// Counts the rows, and notes the lines that are none.
    ///
    /// - Parameter isAgain: Whether the same lines were looked at before.
    /// - Throws: ``Failure`` if the file cannot be read, or too many of its lines are not rows.
    mutating func count<Rows: RowFile>(
        _ rows: Rows, isAgain: Bool = false, error: (Rows.Row) -> String? = { _ in nil }
    ) throws -> Int {
        var count = 0
        let reader = try rows.open()
        while let next = try reader.next() {
            switch next {
            case .row(let row):
                count += 1
                if let error = error(row) {
                    errors += 1
                    StandardError.print("row \(count): \(error)")
                }
            case .broken(let line):
                if isAgain { continue }
                guard brokenLines.count < Limits.brokenLines else {
                    throw Failure(
                        "\(line); \(Limits.brokenLines) lines before it are not rows either, so "
                            + "nothing is imported")
                }
                brokenLines.append(line)
            }
        }
        return count
    }

    /// The rule of every app that a row breaks; nil if it breaks none.
    ///
    /// The length of texts, groups and custom fields are left to the app, which has its own.
    static func error(of row: FriendRow) -> String? {
        if UserID(row.userID) == nil { return "\(row.userID) is not a user's id" }
        if UserID(row.friendUserID) == nil { return "\(row.friendUserID) is not a user's id" }
        if row.userID == row.friendUserID { return "\(row.userID) would be its own friend" }
        if let time = row.addTimeMs, time < 0 { return "add_time_ms is before 1970" }
        if let time = row.remarkTimeMs, time < 0 { return "remark_time_ms is before 1970" }
        if let order = row.pinOrder, order < 0 { return "pin_order is negative" }
        if let time = row.muteUntilMs, time < 0 { return "mute_until_ms is before 1970" }
        return nil
    }

    /// A name for the import of these files, which follows from their bytes and from `options`.
    static func name(of files: [InputFile], options: String) throws -> String {
        var sum = FileSum()
        Array(options.utf8).withUnsafeBytes { sum.add($0) }
        for file in files {
            var lines = LineReader(file)
            while let line = try lines.nextBytes() {
                sum.add(line)
                [UInt8(ascii: "\n")].withUnsafeBytes { sum.add($0) }
            }
        }
        return "file-" + sum.text.prefix(32)
    }
}
