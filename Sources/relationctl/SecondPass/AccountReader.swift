import Migrations
import RelationAPI
import TextFiles

/// The rows of one account, as its lines have them.
struct AccountLines {
    let user: String
    /// The lines after that of the account.
    fileprivate(set) var lines: [String] = []
    /// The rows of the lines.
    fileprivate(set) var rows: [ExportAppResponse] = []
    /// The kinds that the pass has not read whole of the account.
    fileprivate(set) var unread = UnreadKinds()
}

/// Reads the accounts of a file that was checked, one after another: no more than one is kept.
final class AccountReader {
    private var reader: LineReader
    private let file: PassFile
    /// The account whose line was read last, and whose rows come next.
    private var next: ExportedAccount?
    private var isBegun = false
    /// How many accounts were read.
    private var accounts = 0

    init(_ file: PassFile) {
        reader = LineReader(file.input)
        self.file = file
    }

    /// The next account; nil at the end.
    ///
    /// - Throws: ``Failure`` if the file cannot be read, or has other accounts than when it was
    ///   checked.
    func nextAccount() throws -> AccountLines? {
        if !isBegun {
            isBegun = true
            while next == nil, let line = try reader.next() {
                let row = try ExportAppResponse(line: line.text, at: line.location)
                if case .account(let account) = row.row { next = account }
            }
        }
        guard let account = next else {
            guard accounts == file.accounts else {
                throw Failure("\(file.input.name): has changed meanwhile")
            }
            return nil
        }
        accounts += 1
        next = nil
        var found = AccountLines(user: account.userID)
        while next == nil, let line = try reader.next() {
            let row = try ExportAppResponse(line: line.text, at: line.location)
            switch row.row {
            case .point(let point):
                if let unread = UnreadKinds(token: point.resumeToken) { found.unread = unread }
            case .account(let account): next = account
            default:
                found.lines.append(line.text)
                found.rows.append(row)
            }
        }
        return found
    }
}
