import ArgumentParser
import RelationAPI
import RelationClient
import RelationModel
import TextFiles

struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load a friendship graph: its users, its friendships, and friend circles.",
        discussion: """
            FRIENDSHIPS has one of three forms, given by --format or by the file's ending:

            edges: one "A B" a line, with blanks or a tab between. A and B become each other's \
            friends. Blank lines and lines that begin with # are skipped.

            csv (.csv): a line that names the columns, then one friendship a line, with ',', ';' \
            or a tab between cells, as the first line has it. Columns have \
            the names of the fields of FriendRow, or those that --columns names: user_id, \
            friend_user_id, both_ways, add_time_ms, remark, remark_time_ms, groups (with ';' \
            between), source, wording, starred, pin_order, mute_until_ms, ignored, custom.KEY, \
            and custom.KEY.number. An empty cell leaves its field out.

            jsonl (.jsonl): one FriendRow in JSON a line, such as --refused writes it.

            CIRCLES has one "OWNER <tab> NAME <tab> MEMBER MEMBER …" a line: the friend groups of \
            OWNER. The lines of one OWNER stand together.

            Each file may be a stream, such as a pipe, or - for standard input. Files are read \
            several times from their beginnings, and never kept in memory: a stream is kept in \
            TMPDIR meanwhile, or in /var/tmp. Each line is looked at before the first row is \
            sent, and rows that the server refuses do not stop the others. If an import breaks \
            off, the same command goes on where it stood, for 7 days; after its end, the same \
            command imports all rows again.
            """)

    @OptionGroup var connection: Connection

    @Argument(help: "The file of friendships.", completion: .file())
    var friendships: String

    @Option(help: "The file of circles.", completion: .file())
    var circles: String?

    @Option(help: "The form of FRIENDSHIPS: edges, csv or jsonl; if absent, its ending decides.")
    var format: FriendshipFormat?

    @Option(
        help: """
            The columns of a csv to read, as FIELD=COLUMN,FIELD=COLUMN; columns that are not \
            named are passed over.
            """)
    var columns: String?

    @Option(
        help: """
            The character between the cells of a csv: ',', ';', '|' or tab; if absent, the first \
            line shows it.
            """)
    var separator: CSVSeparator?

    @Option(
        help: """
            The unit of the times of a csv or of jsonl: milliseconds or seconds; if absent, times \
            that are likely no milliseconds are refused.
            """)
    var times: RowTimes?

    @Flag(help: "Make both users friends of each other in every row; rows of edges always do.")
    var bothWays = false

    @Flag(
        help: """
            Write nothing and ask no server: check the form of every line, the form of users' ids \
            and times, and that no user is its own friend. The app's limits, its custom fields \
            and its words are not checked.
            """)
    var dryRun = false

    @Option(
        help: """
            Write friendships and circles that were refused, and lines that are not rows, into \
            this file, each with its reason: as JSON lines, which can be corrected and imported.
            """)
    var refused: String?

    @Option(help: "Names the import, to go on with it; if absent, the name follows from the files.")
    var importID: String?

    @Flag(help: "Name each refused row, by its number and code.")
    var verbose = false

    @Flag(help: "End with status 5 if the server refused any row.")
    var failOnRefused = false

    @Flag(help: "Notify each owner of each new friend, and not only once that its list changed.")
    var notify = false

    private var form: FriendshipFormat { format ?? FriendshipFormat(ofFileAt: friendships) }

    func validate() throws {
        if let columns {
            guard form == .csv else {
                throw ValidationError("--columns is for csv, and the file is read as \(form)")
            }
            _ = try ColumnName.list(columns)
        }
        guard separator == nil || form == .csv else {
            throw ValidationError("--separator is for csv, and the file is read as \(form)")
        }
        guard times == nil || form != .edges else {
            throw ValidationError("--times is for csv and jsonl: edges have no times")
        }
        let length = (importID ?? "id").utf8.count
        guard length > 0, length <= Limits.importIDBytes else {
            throw ValidationError("--import-id takes 1 to \(Limits.importIDBytes) bytes")
        }
        guard !dryRun || refused == nil else {
            throw ValidationError("--refused has nothing to write in a --dry-run")
        }
        if let refused { try NamedFiles.mustBeFile("--refused", refused) }
    }

    func run() async throws {
        let file = FriendshipFile(
            file: try InputFile.opened(friendships), format: form,
            columns: try columns.map { try ColumnName.list($0) } ?? [],
            separator: separator, times: times, bothWays: bothWays)
        let circleFile = try circles.map { CircleFile(file: try InputFile.opened($0)) }
        // Every line is looked at before the first row is sent.
        var check = FileCheck()
        let error: (FriendRow) -> String? = { [dryRun] row in
            dryRun ? FileCheck.error(of: row) : nil
        }
        let friendCount = try check.count(file, error: error)
        guard friendCount > 0 || check.brokenLines.isEmpty else {
            throw Failure(
                "\(file.file.name) is not a list of friendships: \(check.brokenLines[0]); "
                    + "a file of \(form) has \(file.lineInWords)"
                    + (isFormGiven ? "" : "; see --format"))
        }
        var circleCount = 0
        if let circleFile { circleCount = try check.count(circleFile, error: error) }
        guard friendCount + circleCount > 0 else {
            throw Failure("\(file.file.name) has no row, so nothing is imported")
        }
        for line in check.brokenLines { StandardError.print("\(line)") }
        guard !dryRun else { return try show(check, of: friendCount + circleCount) }
        let userCount = try check.count(UserFile(friendships: file), isAgain: true)

        let client = try connection.client()
        var run = ImportRun(
            client: client, notify: notify, isVerbose: verbose, refusedPath: refused)
        run.users = run.stage(UserFile(friendships: file), userCount)
        run.friendships = run.stage(file, friendCount, as: "friendships")
        if let circleFile, circleCount > 0 {
            run.circles = run.stage(circleFile, circleCount, as: "circle members")
        }
        do {
            try await run.send(
                as: try importID ?? name(file, circleFile), isGiven: importID != nil,
                check.brokenLines)
        } catch let error as CallError {
            await client.close()
            throw Failure(error)
        }
        await client.close()
        guard check.brokenLines.isEmpty else { throw ExitCode.failure }
        if failOnRefused, run.hasRefused { throw ExitCode(ExitStatus.itemsRefused.rawValue) }
    }

    /// Whether an option or the file's ending says the form.
    private var isFormGiven: Bool {
        format != nil || FriendshipFormat(ofFileAt: friendships) != .edges
    }

    /// The name of the import, which follows from all that decides on its rows.
    private func name(_ rows: FriendshipFile, _ circles: CircleFile?) throws -> String {
        var options = "\(form) \(columns ?? "") \(bothWays)"
        if let separator { options += " \(separator.name)" }
        if let times { options += " \(times)" }
        return try FileCheck.name(
            of: [rows.file] + (circles.map { [$0.file] } ?? []), options: options)
    }

    /// Reports the findings of a dry run.
    private func show(_ check: FileCheck, of count: Int) throws {
        let broken = check.brokenLines.count
        _ = try StandardOutput.print(
            "dry run: \(count - check.errors) rows are good, \(check.errors + broken) are not; "
                + "nothing was written")
        guard check.errors + broken == 0 else { throw ExitCode.failure }
    }
}

extension FriendshipFormat: ExpressibleByArgument {}
