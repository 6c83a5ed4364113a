import ArgumentParser
import Glibc
import Logging
import RelationCalls
import RelationCore
import RelationRuntime
import RelationService
import Storage
import StoragePostgres

struct MoveApp: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move-app",
        abstract: "Move an app from one database to another while servers serve it.",
        discussion: """
            --store names the database with the directory of a fleet, or the one that has the app. \
            The app's rows are copied, its changes follow, and then it is switched: for a moment \
            its calls get UNAVAILABLE with a time to retry. Sequences, tokens, request ids, \
            credentials and positions of hooks stay as they are. A command that ended early is \
            run again, and goes on. A password stands in RELATIOND_STORE_PASSWORD, or in the file \
            that PGPASSFILE names.
            """)

    @OptionGroup var database: DatabaseFlags

    @Option(help: ArgumentHelp("The number of the app.", valueName: "number"))
    var app: UInt32?

    @Option(
        help: ArgumentHelp(
            "The database to which it goes: its name in the directory, or its URL without one.",
            valueName: "database"))
    var to: String?

    @Option(
        help: ArgumentHelp(
            "The most rows that are copied in a second, 1 to \(MoveLimits.mostRowsPerSecond).",
            valueName: "rows"))
    var rate = MoveLimits.rowsPerSecond

    @Flag(help: "End a move that did not come to its end: the app stays where it is.")
    var cancel = false

    @Flag(
        help: ArgumentHelp(
            "Remove what moves that ended have left of the app in the database of --to, where it "
                + "does not live."))
    var clear = false

    @Flag(help: "Take over from a mover that was there just now, and may hang.")
    var takeOver = false

    @Flag(help: "List the moves that the database of --store knows of.")
    var list = false

    func validate() throws {
        guard !list else {
            guard app == nil, to == nil, !cancel, !clear, !takeOver else {
                throw ValidationError("--list goes with no other option of a move")
            }
            return
        }
        guard let app, app > 0 else { throw ValidationError("--app takes the number of an app") }
        guard let to, !to.isEmpty else {
            throw ValidationError("--to takes the name of a database, or its URL")
        }
        guard !cancel || !clear else {
            throw ValidationError("--cancel and --clear exclude each other")
        }
        guard (1...MoveLimits.mostRowsPerSecond).contains(rate) else {
            throw ValidationError(
                "--rate takes a number from 1 to \(MoveLimits.mostRowsPerSecond)")
        }
    }

    func run() throws {
        let (settings, logger) = try database.configuration { _ in
            "an app moves between databases: --store names a folder"
        }
        guard let app, let to else {
            let store = try PostgresStore.opened(settings.database, logger)
            defer { store.close() }
            return try printMoves(of: store)
        }
        guard !clear else {
            let database = try ClearedDatabase(app: app, home: settings.database, to: to)
            return try clear(database, app, logger)
        }
        try move(try MoveEnds(app: app, home: settings.database, to: to), logger)
    }

    private func move(_ ends: MoveEnds, _ logger: Logger) throws {
        let app = ends.route.app
        let source = try PostgresStore.opened(ends.source, logger)
        defer { source.close() }
        // A cancelled move leaves a target alone that is not there.
        let opened: PostgresStore?
        do throws(StorageError) {
            opened = try PostgresStore(ends.target)
        } catch {
            guard cancel, error.code == .unavailable else {
                throw FatalError(
                    "the database \(ends.route.target) cannot be opened: \(error.message)")
            }
            opened = nil
        }
        defer { opened?.close() }
        let target = opened ?? source
        let log = PostgresMoveLog(
            ends.source, target: ends.target, app: app,
            sessions: [source.sessionName, target.sessionName])
        let mover = AppMover(
            ends.route, from: source, to: target, log: log, id: .random(in: 1 ... .max),
            rate: rate, clock: .system, isAbout: { PlacedAppCalls.isAnswer($0, about: $1) },
            settle: { () throws(StorageError) in try ends.settle() },
            notify: { note in print(note, of: app) })
        do throws(StorageError) {
            if cancel {
                try mover.cancel(takingOver: takeOver, reachesTarget: opened != nil)
            } else {
                try ends.begin()
                try mover.run(takingOver: takeOver)
            }
            try ends.clear(source)
        } catch {
            if error.code == .foreign { try? ends.clear(source) }
            let advice =
                error.code == .foreign ? "" : "; run the same command again, which goes on"
            throw FatalError("app \(app) has not moved to the end: \(error.message)\(advice)")
        }
    }

    private func clear(_ database: ClearedDatabase, _ app: UInt32, _ logger: Logger) throws {
        let store = try PostgresStore.opened(database.options, logger)
        defer { store.close() }
        let log = PostgresMoveLog(
            database.options, target: database.options, app: app, sessions: [store.sessionName])
        let remains = MoveRemains(
            of: app, in: database.name, store, log: log, others: database.others, rate: rate,
            clock: .system, notify: { note in print(note, of: app) })
        do throws(StorageError) {
            try remains.clear(takingOver: takeOver)
        } catch {
            throw FatalError(
                "\(database.name) is not cleared of app \(app): \(error.message)")
        }
    }

    /// A line at a time, for one who follows it and for a log.
    private func print(_ note: MoveNote, of app: UInt32) {
        Swift.print("app \(app): \(note.text)")
        fflush(nil)
    }

    private func printMoves(of store: PostgresStore) throws {
        let moves: [(app: UInt32, record: AppMoveRecord)]
        do throws(StorageError) {
            moves = try store.read { (transaction) throws(StorageError) in
                try MovedApps.all(in: transaction)
            }
        } catch {
            throw FatalError("the moves cannot be read: \(error.message)")
        }
        for (app, record) in moves { Swift.print(Self.line(app, record)) }
    }

    private static func line(_ app: UInt32, _ record: AppMoveRecord) -> String {
        let words =
            switch record.state {
            case .leaving: "is on its way to \(record.other), and served here"
            case .closed: "is on its way to \(record.other), and closed"
            case .left:
                "lives in \(record.other)" + (record.isEmptied ? "" : "; rows of it are left here")
            case .arriving: "comes from \(record.other): \(record.rows) rows"
            case .arrived: "came from \(record.other)"
            case nil: "is in a state of a later version"
            }
        return "app \(app) \(words)"
    }
}
