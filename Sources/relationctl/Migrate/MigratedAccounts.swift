import Migrations
import TextFiles

/// The file of the accounts that a migration reads, and their order.
enum MigratedAccounts {
    private static let columns = ["userid", "user_id", "identifier"]

    /// The user ids of a file in the order of their bytes, each once.
    ///
    /// - Parameter column: The column of a csv; nil takes the one that has such a name.
    /// - Throws: ``Failure`` if the file cannot be read, or has no user.
    static func users(_ path: String, column: String?) throws -> [String] {
        let file = try InputFile.opened(path)
        let isTable = column != nil || path.lowercased().hasSuffix(".csv")
        var users = isTable ? try table(file, column) : try lines(file)
        guard !users.isEmpty else { throw Failure("\(file.name): has no user id") }
        users.sort(by: MigratedUser.precedes)
        var kept: [String] = []
        kept.reserveCapacity(users.count)
        for user in users where kept.last != user { kept.append(user) }
        return kept
    }

    private static func lines(_ file: InputFile) throws -> [String] {
        var reader = LineReader(file)
        var users: [String] = []
        var count = AccountCount()
        while let line = try reader.next() {
            try add(to: &count, file)
            users.append(line.text)
        }
        return users
    }

    private static func table(_ file: InputFile, _ column: String?) throws -> [String] {
        let reader = CSVReader(file, nil)
        var index: Int?
        var users: [String] = []
        var count = AccountCount()
        while let record = try reader.next() {
            switch record {
            case .broken(let line): throw Failure("\(line)")
            case .cells(let cells, let location):
                guard let place = index else {
                    index = cells.firstIndex { cell in
                        column.map { $0 == cell } ?? columns.contains(cell.lowercased())
                    }
                    guard index != nil else {
                        throw Failure(
                            "\(location): names no column \(column ?? "UserID"): see --column")
                    }
                    continue
                }
                guard place < cells.count, !cells[place].isEmpty else {
                    throw Failure("\(location): has no user id")
                }
                try add(to: &count, file)
                users.append(cells[place])
            }
        }
        return users
    }

    /// Counts a user of a file.
    static func add(to count: inout AccountCount, _ file: InputFile) throws(Failure) {
        do throws(MigrationError) {
            try count.add(in: file.name)
        } catch {
            throw Failure("\(error.description)")
        }
    }
}
