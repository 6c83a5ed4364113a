import ArgumentParser
import Glibc
import Protobuf
import RelationAPI
import RelationClient
import RelationModel
import Support

struct ExportChanges: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export-changes",
        abstract: "Write the changes of an app between two moments, for apply-changes.",
        discussion: """
            The file has one entry of ListHistory a line, in JSON, the latest first. Its first \
            line names the app and the two moments, and its last one says how many entries there \
            are. It needs the scope admin, and an app whose history reaches back to --since. \
            Changes of the millisecond of --since are in it, those of --until are not. It also has \
            those of the hour before --since, since calls of that time may have been stored after \
            the export. They change nothing that the export has already.

            relationctl export-changes --since 2026-11-29T18:00:00Z --to changes.jsonl
            relationctl apply-changes monday.jsonl changes.jsonl --to tuesday.jsonl
            """)

    @OptionGroup var connection: Connection

    @Option(
        help: """
            The earlier moment, as in 2026-11-29T18:00:00Z or in milliseconds since 1970: that of \
            the export, or before it.
            """)
    var since: Moment

    @Option(help: "The later moment; now if absent.")
    var until: Moment?

    @Option(name: .customLong("to"), help: "The file to write.", completion: .file())
    var path: String

    func validate() throws {
        if let until, until.milliseconds <= since.milliseconds {
            throw ValidationError("--until must be later than --since")
        }
        try NamedFiles.mustDiffer(
            reading: connection.security.files, writing: NamedFiles.growing("--to", path))
    }

    func run() async throws {
        let partial = path + ".part"
        let file = try LineWriter(partial)
        let count = try await connection.calling { client in
            try await Self.read(at: since.milliseconds, client)
            let first = try await Self.first(before: since.milliseconds, client)
            let request = ListHistoryRequest.with {
                $0.sinceTimeMs = first
                $0.untilTimeMs = until?.milliseconds ?? 0
                $0.pageSize = 1_000
            }
            let header = try await header(client)
            try file.write(header.json + "\n")
            var count = 0
            for try await entry in client.items(of: MaintenanceMethods.listHistory, request) {
                try file.write(try entry.json() + "\n")
                count += 1
            }
            try file.write(ChangesEnd.json(entries: count) + "\n")
            return count
        }
        try file.close()
        guard rename(partial, path) == 0 else {
            throw Failure("\(path): \(String(cString: strerror(errno)))")
        }
        _ = try StandardOutput.print("export-changes: \(count) entries")
    }

    /// The first line of the file, made before its entries are read.
    ///
    /// - Throws: An error of the calls.
    private func header(_ client: Client) async throws -> ChangesHeader {
        let since = since.milliseconds
        let passed = try await Self.passedMoment(since: since, client)
        let answer = try await client.call(AppMethods.getApp, GetAppRequest())
        let app = answer.app ?? AppDescription()
        return ChangesHeader(
            appID: app.appID, appCreateTimeMs: app.createTimeMs, sinceTimeMs: since,
            // Changes that are yet to come are not in the file.
            untilTimeMs: min(until?.milliseconds ?? passed, passed))
    }

    /// The time of the first changes in the file: ``Limits/lateChangesMilliseconds`` before
    /// `since`, but not before the history has each change.
    ///
    /// Rows may have changed without an entry before that, so an older entry may undo them.
    private static func first(before since: Int64, _ client: Client) async throws -> Int64 {
        let first = max(1, since - Limits.lateChangesMilliseconds)
        do {
            try await read(at: first, client)
            return first
        } catch let error as CallError where error.knownReason == .historyNotKept {
            // A change in the millisecond of the beginning may stand before it.
            let beginning = error.metadata["since_time_ms"].flatMap { Int64($0) } ?? since
            return min(since, max(first, beginning + 1))
        }
    }

    /// The present moment, or one shortly before, that has passed by the server's clock too.
    ///
    /// No answer has the server's time, but a read at a moment that is to come is refused. If the
    /// clock here is ahead, the moment lies back by at most twice of that.
    private static func passedMoment(since: Int64, _ client: Client) async throws -> Int64 {
        let now = SystemClock.wall.milliseconds
        var back: Int64 = 0
        while since < now - back {
            do {
                try await read(at: now - back, client)
                return now - back
            } catch let error as CallError
                where error.violations.contains(where: { $0.field == "options.as_of_ms" })
            {
                back = max(1, back * 2)
            }
        }
        return since
    }

    /// Reads at a moment, which fails unless the history has each change since, and the moment has
    /// passed.
    ///
    /// A read of one user says so, whether the user is an account or not.
    private static func read(at moment: Int64, _ client: Client) async throws {
        let request = GetProfilesRequest.with {
            $0.userID = "administrator"
            $0.userIDs = ["administrator"]
            $0.options = ReadOptions.with { $0.asOfMs = moment }
        }
        do {
            _ = try await client.call(ProfileMethods.getProfiles, request)
        } catch let error as CallError
            where ["USER_NOT_FOUND", "TOO_MANY_CHANGES"].contains(error.reason)
        {
            // Both are found after the moment: a busy account of that name says nothing else.
            return
        }
    }
}

/// A moment that a command is given: as a day and a time, or as milliseconds since 1970.
struct Moment: ExpressibleByArgument {
    /// The rule that errors of an option of a moment give.
    static let form = "it takes a time as in 2026-11-29T18:00:00Z or in milliseconds since 1970"

    let milliseconds: Int64

    init?(argument: String) {
        let number = Int64(argument).flatMap { Limits.likelyMilliseconds.contains($0) ? $0 : nil }
        guard let milliseconds = number ?? DayClock.milliseconds(argument) else { return nil }
        self.milliseconds = milliseconds
    }
}
