/// The page of `relationctl top`: the numbers of a server between two moments.
struct TopPage {
    let now: Samples
    let before: Samples
    private let address: PageAddress

    init(_ now: Samples, since before: Samples, at address: PageAddress) {
        self.now = now
        self.before = before
        self.address = address
    }

    /// The lines of the page, none of which is wider than a terminal.
    ///
    /// - Parameters:
    ///   - methods: The number of methods to list, the busiest first.
    ///   - rows: How many lines a terminal shows at once, for which methods are left out; nil
    ///     shows all.
    ///   - columns: How wide the terminal is.
    func lines(
        methods: Int, rows: Int? = nil, columns: Int = Limits.terminalColumns
    ) -> [PlainText] {
        let all = [header, calls, refusals, commits, streams, memory] + storage + [processors]
        let figures: [PlainText] = all.flatMap { Self.fitted($0, columns) } + [""]
        // The header of the table and the line of the cursor take a line each.
        let left = rows.map { max(1, $0 - figures.count - 2) } ?? methods
        return figures + table(min(methods, left), columns)
    }

    /// A line as several of at most so many columns; those after the first stand below its
    /// figures.
    private static func fitted(_ line: PlainText, _ columns: Int) -> [PlainText] {
        let text = line.description
        guard text.count > columns else { return [line] }
        var lines = [String(text.prefix(nameColumns))]
        let margin = String(repeating: " ", count: nameColumns)
        for (number, part) in text.dropFirst(nameColumns).split(separator: "  ").enumerated() {
            let last = lines.count - 1
            if number == 0 {
                lines[last] += String(part)
            } else if lines[last].count + 2 + part.count <= columns {
                lines[last] += "  \(part)"
            } else {
                lines.append("\(margin)\(part)")
            }
        }
        return lines.map { line in
            guard line.count > columns else { return PlainText(own: line) }
            return PlainText(own: "\(line.prefix(columns - 1))…")
        }
    }

    /// The columns of the names of lines, such as `commits`.
    private static let nameColumns = 10
    /// The titles of the numbers in the table of calls, each as wide as its column.
    private static let headers = ["       /s", "    p50 ≤", "    p99 ≤", "   not OK/s"]

    private var header: PlainText {
        let version = now["relation_build_info"].first?.labels["version"] ?? "?"
        let isReady = now.sum("relation_ready") == 1
        let uptime = now.sum("relation_uptime_seconds").map { Self.span(Int($0)) } ?? "?"
        let standing = isReady ? "ready" : "NOT READY"
        return "relationd \(version)  \(standing)  up \(uptime)  at \(address.server)"
    }

    private var calls: PlainText {
        let all = now.rate("relation_calls_total", since: before)
        let failed = now.rate("relation_calls_total", since: before) { Self.isServerError($0) }
        let name = "relation_call_duration_seconds"
        return "calls     \(Self.number(all))/s  p50 \(time(0.5, name))  p99 \(time(0.99, name))"
            + "  our faults \(Self.number(failed))/s"
    }

    private var refusals: PlainText {
        let reasons = now["relation_call_failures_total"].compactMap { sample -> String? in
            let reason = sample.labels["reason"] ?? ""
            let rate = now.rate("relation_call_failures_total", since: before) {
                $0.labels["reason"] == reason
            }
            return rate > 0 ? "\(reason) \(Self.number(rate))/s" : nil
        }
        return "failed    \(reasons.isEmpty ? "none" : reasons.joined(separator: "  "))"
    }

    private var commits: PlainText {
        let rate = now.rate("relation_commits_total", since: before)
        let operations = now.rate("relation_commit_batch_operations_sum", since: before)
        let waiting = now.sum("relation_waiting_operations") ?? 0
        return "commits   \(Self.number(rate))/s  operations \(Self.number(operations))/s"
            + "  p99 wait \(time(0.99, "relation_commit_wait_seconds"))"
            + "  p99 length \(time(0.99, "relation_commit_duration_seconds"))"
            + "  waiting \(Int(waiting))"
    }

    private var streams: PlainText {
        let streams = now.sum("relation_watch_streams") ?? 0
        let events = now.rate("relation_watch_events_total", since: before)
        let behind = now.rate("relation_watch_behind_total", since: before)
        let connections = now.sum("relation_connections") ?? 0
        let most = now.sum("relation_connections_max") ?? 0
        return "streams   \(Int(streams))  events \(Self.number(events))/s"
            + "  p99 lag \(time(0.99, "relation_watch_lag_seconds"))"
            + "  behind \(Self.number(behind))/s"
            + "  connections \(Int(connections)) of \(Int(most))"
    }

    private var memory: PlainText {
        "memory    \(bytes("process_resident_memory_bytes"))"
            + "  kept \(bytes("relation_cache_bytes"))"
            + (hasFolder ? engineMemory : "")
            + "  files \(Int(now.sum("process_open_fds") ?? 0))"
            + " of \(Int(now.sum("process_max_fds") ?? 0))"
    }

    /// Whether the rows are in a folder of the server: a database has its own memory and disk.
    private var hasFolder: Bool { !now["relation_store_disk_bytes"].isEmpty }

    private var engineMemory: PlainText {
        "  blocks \(bytes("relation_store_block_cache_bytes"))"
            + "  write buffers \(bytes("relation_store_write_buffer_bytes"))"
    }

    /// The line about the disk, or about the database; none of a server that has neither.
    private var storage: [PlainText] {
        if hasFolder { return [disk] }
        return now["relation_database_round_trips_total"].isEmpty ? [] : [database]
    }

    private var database: PlainText {
        let trips = now.rate("relation_database_round_trips_total", since: before)
        let reruns = now.rate("relation_database_reruns_total", since: before)
        let used = now.sum("relation_database_connections_used") ?? 0
        let most = now.sum("relation_database_connections_max") ?? 0
        return "database  round trips \(Self.number(trips))/s  reruns \(Self.number(reruns))/s"
            + "  connections \(Int(used)) of \(Int(most))"
    }

    private var disk: PlainText {
        let merges = now.sum("relation_store_running_compactions") ?? 0
        let stalls = now.sum("relation_store_stalls_total") ?? 0
        return "disk      \(bytes("relation_store_disk_bytes"))"
            + "  free \(bytes("relation_store_free_bytes"))"
            + "  reserve \(bytes("relation_store_reserve_bytes"))"
            + "  merges \(Int(merges))  stalls \(Int(stalls))"
    }

    private var processors: PlainText {
        let name = "relation_thread_cpu_seconds_total"
        let kinds = now[name].compactMap { sample -> String? in
            guard let kind = sample.labels["kind"] else { return nil }
            let rate = now.rate(name, since: before) { $0.labels["kind"] == kind }
            return rate >= 0.005 ? "\(kind) \(Self.percent(rate))" : nil
        }
        return "processor \(kinds.isEmpty ? "idle" : kinds.joined(separator: "  "))"
    }

    /// The methods that are called, with their rates: the busiest first.
    func busiest(_ count: Int) -> [(method: String, rate: Double)] {
        let name = "relation_calls_total"
        let methods = Set(now[name].compactMap { $0.labels["method"] })
        let rows = methods.map { method in
            (method, now.rate(name, since: before) { $0.labels["method"] == method })
        }
        let sorted = rows.filter { $0.1 > 0 }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
        return sorted.prefix(count).map { (method: $0.0, rate: $0.1) }
    }

    private func table(_ count: Int, _ columns: Int) -> [PlainText] {
        let name = "relation_calls_total"
        let rows = busiest(count)
        guard !rows.isEmpty else { return ["no calls"] }
        // The names of calls leave the numbers their columns.
        let longest = rows.map { Self.short($0.method).count }.max() ?? 0
        let width = min(longest, columns - Self.headers.joined().count)
        let header: PlainText = PlainTable.padded("call", width) + "\(Self.headers.joined())"
        return [header]
            + rows.map { method, rate in
                let failed = now.rate(name, since: before) {
                    $0.labels["method"] == method && $0.labels["code"] != "OK"
                }
                let isOf: (Samples.Sample) -> Bool = { $0.labels["method"] == method }
                let family = "relation_call_duration_seconds"
                let figures = [
                    Self.number(rate), time(0.5, family, where: isOf),
                    time(0.99, family, where: isOf), Self.number(failed),
                ]
                let cells = zip(figures, Self.headers).map {
                    PlainTable.padded("\($0)", $1.count, isRight: true)
                }
                let name = Self.short(method)
                let shown = name.count > width ? "\(name.prefix(width - 1))…" : name
                return PlainTable.padded("\(shown)", width) + cells.joined("")
            }
    }

    // MARK: Texts

    private static func isServerError(_ sample: Samples.Sample) -> Bool {
        ["INTERNAL", "UNKNOWN", "UNAVAILABLE", "DATA_LOSS"].contains(sample.labels["code"] ?? "")
    }

    /// The name of a method without its package and service.
    private static func short(_ method: String) -> String {
        method.split(separator: "/").last.map(String.init) ?? method
    }

    private func time(
        _ share: Double, _ name: String,
        where isWanted: @escaping (Samples.Sample) -> Bool = { _ in true }
    ) -> String {
        let end = now.upperEnd(of: share, name, since: before, where: isWanted)
        return end.map { $0.isInfinite ? "> 10 s" : Self.seconds($0) } ?? "-"
    }

    private func bytes(_ name: String) -> String {
        guard let bytes = now.sum(name) else { return "?" }
        return bytes < 10_485_760 ? "\(Int(bytes / 1_024)) KiB" : "\(Int(bytes / 1_048_576)) MiB"
    }

    static func seconds(_ seconds: Double) -> String {
        if seconds < 0.001 { return "\(Int((seconds * 1e6).rounded())) µs" }
        if seconds < 1 { return "\(number(seconds * 1e3)) ms" }
        return "\(number(seconds)) s"
    }

    /// A time in days, hours, minutes or seconds: the largest of them that there is.
    private static func span(_ seconds: Int) -> String {
        if seconds >= 86_400 { return "\(seconds / 86_400) d \(seconds % 86_400 / 3_600) h" }
        if seconds >= 3_600 { return "\(seconds / 3_600) h \(seconds % 3_600 / 60) min" }
        return seconds >= 60 ? "\(seconds / 60) min" : "\(seconds) s"
    }

    private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }

    /// A number with one digit after the point if it is small.
    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return value >= 100 || tenths % 10 == 0
            ? "\(Int(value.rounded()))" : "\(tenths / 10).\(tenths % 10)"
    }
}
