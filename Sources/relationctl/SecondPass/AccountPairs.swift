import Digests
import Migrations
import Protobuf
import RelationAPI
import TextFiles

/// A file of export that a pass over another system has made.
struct PassFile {
    let input: InputFile
    /// The first point of the file.
    let begin: ExportPoint
    let app: ExportedApp
    /// The definitions of custom fields, in the order of the file.
    let fields: [CustomFieldMessage]
    /// How many accounts the file has.
    private(set) var accounts = 0
    /// The SHA-256 of the lines.
    let digest: [UInt8]

    /// The kinds of rows that the pass has read of no user.
    var unread: UnreadKinds { UnreadKinds(token: begin.resumeToken) ?? UnreadKinds() }

    /// Reads the whole file once, and keeps only its head.
    ///
    /// - Throws: ``Failure`` that names the line and the rule if the file is not a complete export
    ///   in the order of exports, or of a form that this program does not know. The same if a row
    ///   breaks a rule of all rows.
    init(_ path: String) throws {
        input = try InputFile.opened(path)
        var reader = LineReader(input)
        var place: ExportPosition?
        var user: String?
        var first: ExportPoint?
        var app: ExportedApp?
        var fields: [CustomFieldMessage] = []
        var isComplete = false
        var hash = SHA256()
        var rows = PassRowCheck()
        while let line = try reader.next() {
            var text = line.text + "\n"
            text.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
            let row = try ExportAppResponse(line: line.text, at: line.location)
            guard !isComplete else {
                throw Failure("\(line.location): stands behind the point that ends the export")
            }
            switch row.row {
            case .point(let point):
                isComplete = point.complete && first != nil
                if first == nil {
                    try Self.check(point, at: line.location)
                    first = point
                } else if !point.complete {
                    continue
                }
            case .app(let row): app = row
            case .customField(let field): fields.append(field)
            case .account(let account):
                accounts += 1
                user = account.userID
            case nil:
                throw Failure("\(line.location): must have a row, such as account or profile")
            default: break
            }
            guard first != nil else {
                throw Failure(
                    "\(line.location): must be a point: it is the first line of an export")
            }
            let next = ExportPosition(row, isLast: isComplete)
            if let place, next < place {
                throw Failure(
                    "\(line.location): stands out of the order of exports: \(ExportPosition.words)")
            }
            if next == place, next.isOfOneRow {
                let field = AccountChange.path(of: try row.kind)
                throw Failure("\(line.location): \(field) comes twice: the row above has its key")
            }
            if let owner = next.owner, owner != user {
                let field = try row.ownerField
                let above: PlainText =
                    user.map { "the account above is \($0)" } ?? "no account is above"
                throw Failure(
                    "\(line.location): \(field) is \(owner), and \(above): the rows of "
                        + "a user stand after its account")
            }
            try rows.check(row, at: line.location)
            place = next
        }
        guard isComplete, let first else {
            throw Failure("\(input.name): is cut off: its last line must be a point with complete")
        }
        guard let app else { throw Failure("\(input.name): must have a row app") }
        (begin, self.app, self.fields) = (first, app, fields)
        digest = hash.digest()
    }

    /// The form of exports that is read.
    private static let format: Int32 = 1

    private static func check(_ point: ExportPoint, at location: String) throws {
        guard point.format <= format else {
            throw Failure(
                "\(location): point.format is \(point.format), and this program knows forms up to "
                    + "\(format)")
        }
    }

    /// Checks that the other file is a later pass over the same app, which reads as much.
    ///
    /// - Throws: ``Failure`` that names the field and the rule.
    func check(isFollowedBy later: PassFile) throws {
        let names: PlainText = "\(later.input.name): "
        guard app.appID == later.app.appID else {
            throw Failure(
                names + "app.app_id is \(later.app.appID), and \(input.name) has \(app.appID): "
                    + "both files must be of one app")
        }
        guard app.preset == later.app.preset else {
            throw Failure(
                names + "app.preset differs from that of \(input.name): both files must be of one "
                    + "app")
        }
        guard begin.timeMs <= later.begin.timeMs else {
            throw Failure(
                names + "point.time_ms is \(later.begin.timeMs), before that of \(input.name): "
                    + "--before takes the earlier pass")
        }
        // Rows that the later pass has not asked for would be taken for gone.
        let lacking = later.unread.kinds.subtracting(unread.kinds).sorted()
        guard lacking.isEmpty else {
            throw Failure(
                names + "was read without \(lacking.joined(separator: ", ")), and \(input.name) "
                    + "with it: read the later pass with the options of the first")
        }
    }
}

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

/// An account as two passes have it.
struct AccountPair {
    let user: String
    /// Nil if the first pass lacks the account.
    let before: AccountLines?
    /// Nil if the second pass lacks the account.
    let after: AccountLines?
}

/// Reads the accounts of two files in the order of both: those that differ.
final class AccountPairs {
    private let earlier: AccountReader
    private let later: AccountReader
    private var before: AccountLines?
    private var after: AccountLines?
    private var isBegun = false
    /// How many accounts of the second file were read.
    private(set) var read = 0

    init(_ before: PassFile, _ after: PassFile) {
        (earlier, later) = (AccountReader(before), AccountReader(after))
    }

    /// The next account whose lines differ; nil at the end.
    func next() throws -> AccountPair? {
        if !isBegun {
            isBegun = true
            before = try earlier.nextAccount()
            after = try later.nextAccount()
        }
        while before != nil || after != nil {
            let pair = try nextPair()
            // Most accounts are as they were, and nothing of them is compared row by row.
            if let one = pair.before, let other = pair.after, one.lines == other.lines { continue }
            return pair
        }
        return nil
    }

    private func nextPair() throws -> AccountPair {
        if let one = before, let other = after, one.user == other.user {
            try moveBefore()
            try moveAfter()
            return AccountPair(user: one.user, before: one, after: other)
        }
        if let one = before, after.map({ Self.precedes(one.user, $0.user) }) ?? true {
            try moveBefore()
            return AccountPair(user: one.user, before: one, after: nil)
        }
        let other = after
        try moveAfter()
        return AccountPair(user: other?.user ?? "", before: nil, after: other)
    }

    private func moveBefore() throws { before = try earlier.nextAccount() }

    private func moveAfter() throws {
        after = try later.nextAccount()
        read += 1
    }

    private static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}
