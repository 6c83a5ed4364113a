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
        return isTable ? try table(file, column) : try lines(file, \.self) { $0 }
    }

    /// The accounts of a file that has one user id a line.
    static func lines<Account>(
        _ file: InputFile, _ id: KeyPath<Account, String>, _ account: (String) -> Account
    ) throws -> [Account] {
        var reader = LineReader(file)
        var listed = ListedAccounts(file, id)
        while let line = try reader.next() {
            try listed.add(account(line.text), line: reader.number)
        }
        return try listed.sorted("the user id")
    }

    private static func table(_ file: InputFile, _ column: String?) throws -> [String] {
        let reader = CSVReader(file, nil)
        var found: (index: Int, name: String)?
        var listed = ListedAccounts(file, \String.self)
        while let record = try reader.next() {
            switch record {
            case .broken(let line): throw Failure("\(line)")
            case .cells(let cells, let location):
                guard let known = found else {
                    let index = cells.firstIndex { cell in
                        column.map { $0 == cell } ?? columns.contains(cell.lowercased())
                    }
                    guard let index else {
                        throw Failure(
                            "\(location): names no column \(column ?? "UserID"): see --column")
                    }
                    found = (index, cells[index])
                    continue
                }
                guard known.index < cells.count, !cells[known.index].isEmpty else {
                    throw Failure("\(location): has no user id")
                }
                try listed.add(cells[known.index], line: reader.line)
            }
        }
        return try listed.sorted(found?.name ?? "")
    }
}
