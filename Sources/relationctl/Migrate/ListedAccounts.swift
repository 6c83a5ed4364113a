import Migrations
import TextFiles

/// The accounts of a file, with the lines on which they stand.
struct ListedAccounts<Account> {
    private let file: InputFile
    private let id: KeyPath<Account, String>
    private var listed: [(account: Account, line: Int)] = []
    private var count = AccountCount()

    /// - Parameter id: Where an account has its user id.
    init(_ file: InputFile, _ id: KeyPath<Account, String>) {
        (self.file, self.id) = (file, id)
    }

    /// - Throws: ``Failure`` if the file has too many accounts.
    mutating func add(_ account: Account, line: Int) throws(Failure) {
        do throws(MigrationError) {
            try count.add(in: file.name)
        } catch {
            throw Failure("\(error.description)")
        }
        listed.append((account, line))
    }

    /// The accounts in the order of their bytes, each once: of a user's lines the first one counts,
    /// and standard error names the others.
    ///
    /// - Parameter field: The field of the user id, in words for people.
    /// - Throws: ``Failure`` if the file has none.
    func sorted(_ field: String) throws(Failure) -> [Account] {
        guard !listed.isEmpty else { throw Failure("\(file.name): has no user id") }
        let id = id
        let sorted = listed.sorted { one, other in
            let (first, second) = (one.account[keyPath: id], other.account[keyPath: id])
            guard !Self.isEqual(first, second) else { return one.line < other.line }
            return MigratedUser.precedes(first, second)
        }
        var kept: [Account] = []
        kept.reserveCapacity(sorted.count)
        var last = (user: "", line: 0)
        var repeated = 0
        for (account, line) in sorted {
            let user = account[keyPath: id]
            guard last.line > 0, Self.isEqual(last.user, user) else {
                kept.append(account)
                last = (user, line)
                continue
            }
            repeated += 1
            guard repeated <= Limits.shownLosses else { continue }
            StandardError.print(
                "\(file.name):\(line): \(field): \(user) stands on line \(last.line) too, and "
                    + "the first line counts")
        }
        if repeated > Limits.shownLosses {
            StandardError.print(
                "\(file.name): \(repeated) lines name a user of an earlier line, which counts")
        }
        return kept
    }

    /// Whether two ids have the same bytes, which equal texts need not have.
    private static func isEqual(_ one: String, _ other: String) -> Bool {
        one.utf8.elementsEqual(other.utf8)
    }
}
