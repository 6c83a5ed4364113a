import Glibc

/// A PostgreSQL of its own, for the time of a measurement.
///
/// It syncs its log before each answer, as it does by itself. It listens on the loopback address,
/// and lets everyone in.
final class PostgresServer {
    /// The user that may do everything, and the database of the peer.
    static let name = "bench"

    let process: ServerProcess
    private let programs: String
    private let scripts: String
    private let folder: String

    /// - Parameters:
    ///   - scripts: The folder of the peer's SQL.
    ///   - parent: The folder in which its data folder is made.
    /// - Throws: ``FloodError`` if PostgreSQL is missing or does not start.
    init(scripts: String, in parent: String) throws(FloodError) {
        let programs = try Self.programs()
        let folder = try Tool.makeFolder(in: parent)
        (self.programs, self.scripts, self.folder) = (programs, scripts, folder)
        do throws(FloodError) {
            if geteuid() == 0 {
                try Tool.run("/bin/chown", [StoreLimits.postgresUser, folder])
            }
            let data = folder + "/data"
            let make = Self.command([
                programs + "/initdb", "--pgdata", data, "--username", Self.name, "--auth", "trust",
                "--encoding", "UTF8", "--no-locale",
            ])
            try Tool.run(make[0], Array(make.dropFirst()))
            process = try QuietServer.start { port in
                Self.command([
                    programs + "/postgres", "-D", data, "-p", "\(port)", "-c",
                    "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c",
                    "log_min_messages=panic",
                ])
            }
        } catch {
            Tool.removeFolder(folder)
            throw error
        }
        let ready = ["--quiet"] + address
        try QuietServer.retry(StoreLimits.databaseSeconds) { () throws(FloodError) in
            try Tool.run(programs + "/pg_isready", ready)
        }
        try make(Self.name)
    }

    deinit { Tool.removeFolder(folder) }

    /// The command as another user, since PostgreSQL refuses to run as root.
    ///
    /// `setpriv` runs it in its own place, so a signal to the process reaches it. It keeps root's
    /// right to go through folders that others may not enter.
    private static func command(_ words: [String]) -> [String] {
        guard geteuid() == 0 else { return words }
        let user = StoreLimits.postgresUser
        return [
            "/usr/bin/setpriv", "--reuid", user, "--regid", user, "--init-groups",
            "--inh-caps=+dac_override", "--ambient-caps=+dac_override", "--",
        ] + words
    }

    /// The folder with the programs of the newest version.
    private static func programs() throws(FloodError) -> String {
        guard let newest = names(in: StoreLimits.postgresFolder).compactMap({ Int($0) }).max()
        else { throw FloodError("there is no PostgreSQL: `make peer-packages` installs it") }
        return "\(StoreLimits.postgresFolder)/\(newest)/bin"
    }

    private var address: [String] { ["--host", "127.0.0.1", "--port", "\(process.port)"] }

    /// The address of a database, as libpq reads it.
    func url(of name: String) -> String {
        "postgresql://\(Self.name)@127.0.0.1:\(process.port)/\(name)"
    }

    /// Makes another database.
    func make(_ name: String) throws(FloodError) {
        try Tool.run(programs + "/createdb", address + ["--username", Self.name, name])
    }

    /// Does the work that the database would otherwise do during the measurement.
    func settle(_ name: String) throws(FloodError) {
        try psql(name, ["--command", "VACUUM ANALYZE", "--command", "CHECKPOINT"])
    }

    /// Makes the tables, and the user records of `pairs` pairs of users who have no friends.
    func fill(pairs: Int) throws(FloodError) {
        try psql(Self.name, ["--set", "pairs=\(pairs)", "--file", scripts + "/schema.sql"])
    }

    /// The lines that commands answer.
    @discardableResult
    private func psql(_ name: String, _ words: [String]) throws(FloodError) -> [String] {
        try Tool.lines(
            programs + "/psql",
            address + [
                "--username", Self.name, "--dbname", name, "--quiet", "--no-psqlrc",
                "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1",
            ] + words, seconds: BenchLimits.longestSeconds)
    }

    /// Makes `count` additions in each of `sessions`, from pair number `first` on.
    ///
    /// - Parameter script: The name of the file with the transaction.
    func add(
        _ script: String, first: Int, count: Int, sessions: Int
    ) throws(FloodError) -> FloodReport {
        let log = folder + "/times"
        try Tool.run("/bin/rm", ["-f", log])
        let begin = FloodRun.now()
        let lines = try Tool.lines(
            "/bin/sh",
            [
                // The log's name ends with the number of pgbench's process.
                "-c", "\"$@\" && mv \"$0\".* \"$0\"", log, programs + "/pgbench",
            ] + address + [
                "--username", Self.name, "--no-vacuum", "--protocol", "prepared", "--client",
                "\(sessions)", "--jobs", "1", "--transactions", "\(count)", "--define",
                "first=\(first)", "--define", "each=\(count)", "--define", "n=0", "--log",
                "--log-prefix", log, "--file", "\(scripts)/\(script)", Self.name,
            ])
        let seconds = Double(FloodRun.now() - begin) / 1e9
        return try Self.report(lines, log: log, calls: sessions * count, seconds: seconds)
    }

    /// The figures of one run of pgbench.
    private static func report(
        _ lines: [String], log: String, calls: Int, seconds: Double
    ) throws(FloodError) -> FloodReport {
        guard let text = readText(log) else { throw FloodError(system: log) }
        var times = LatencyHistogram()
        for line in text.split(separator: "\n") {
            // A line is the session, its transaction, and the time in microseconds.
            let words = line.split(separator: " ")
            guard words.count > 2, let microseconds = UInt64(words[2]) else {
                throw FloodError("pgbench has printed no time: \(line)")
            }
            times.add(nanoseconds: microseconds * 1_000)
        }
        guard times.total == calls else {
            throw FloodError("pgbench made \(times.total) of \(calls) transactions")
        }
        var report = FloodReport()
        report.calls = calls
        let rate = lines.first { $0.hasPrefix("tps = ") }?.split(separator: " ")
            .dropFirst(2).first.flatMap { Double($0) }
        report.seconds = rate.map { Double(calls) / $0 } ?? seconds
        report.merge(times)
        return report
    }

    /// Checks that exactly `pairs` friendships are stored, with all their rows.
    func check(pairs: Int) throws(FloodError) {
        let lines = try psql(Self.name, ["--file", scripts + "/check.sql"])
        let sum = 2 * pairs
        let expected = "\(sum)|\(sum)|\(sum)|\(sum)|0"
        guard lines == [expected] else {
            throw FloodError("PostgreSQL has \(lines.joined(separator: " ")) rows, not \(expected)")
        }
    }

    /// The use of time and of the device, after the processes of ended sessions have ended too.
    func usage(children: Int? = nil) throws(FloodError) -> ProcessTree {
        let root = process.process
        let tree = try Tool.poll(StoreLimits.restSeconds) { () throws(FloodError) in
            let tree = try ProcessTree(of: root)
            return tree.children <= children ?? .max ? tree : nil
        }
        guard let tree else { throw FloodError("sessions of PostgreSQL do not end") }
        return tree
    }
}
