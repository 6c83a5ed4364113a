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

    /// Reads the whole file once, and keeps only its header.
    ///
    /// - Throws: ``Failure`` that names the line and the rule if the file is not a complete export
    ///   in the order of exports, or of a form that this program does not know. The same if a row
    ///   breaks a rule of all rows.
    init(_ path: String) throws {
        input = try InputFile.opened(path)
        var reader = LineReader(input)
        var position: ExportPosition?
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
                throw Failure("\(line.location): stands after the point that ends the export")
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
            if let position, next < position {
                throw Failure(
                    "\(line.location): stands out of the order of exports: \(ExportPosition.words)")
            }
            if next == position, next.isOfOneRow {
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
            position = next
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
