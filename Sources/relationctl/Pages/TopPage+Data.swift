import Protobuf

// The page for programs: times are in seconds, sizes in bytes, and rates a second.
extension TopPage {
    /// The figures of the page, and those of its busiest methods.
    ///
    /// A figure that the server does not have is null.
    func data(methods: Int) -> JSONValue {
        let figures: [(key: String, value: JSONValue)] = [
            ("version", .string(now["relation_build_info"].first?.labels["version"] ?? "")),
            ("isReady", .bool(now.sum("relation_ready") == 1)),
            ("uptimeSeconds", sum("relation_uptime_seconds")),
            ("callsPerSecond", rate("relation_calls_total")),
            ("p50Seconds", end(0.5, "relation_call_duration_seconds")),
            ("p99Seconds", end(0.99, "relation_call_duration_seconds")),
            ("commitsPerSecond", rate("relation_commits_total")),
            ("waitingOperations", sum("relation_waiting_operations")),
            ("watchStreams", sum("relation_watch_streams")),
            ("eventsPerSecond", rate("relation_watch_events_total")),
            ("connections", sum("relation_connections")),
            ("memoryBytes", sum("process_resident_memory_bytes")),
            ("diskBytes", sum("relation_store_disk_bytes")),
            ("freeBytes", sum("relation_store_free_bytes")),
        ]
        let reasons = Set(now["relation_call_failures_total"].map { $0.labels["reason"] ?? "" })
        let failures = reasons.sorted().map { reason -> JSONValue in
            .object([
                ("reason", .string(reason)),
                (
                    "perSecond",
                    rate("relation_call_failures_total") { $0.labels["reason"] == reason }
                ),
            ])
        }
        return .object(
            figures + [
                ("failures", .array(failures)),
                ("methods", .array(busiest(methods).map { data(of: $0.method) })),
            ])
    }

    private func data(of method: String) -> JSONValue {
        let isOf: (Samples.Sample) -> Bool = { $0.labels["method"] == method }
        let name = "relation_call_duration_seconds"
        return .object([
            ("method", .string(method)), ("perSecond", rate("relation_calls_total", where: isOf)),
            ("p50Seconds", end(0.5, name, where: isOf)),
            ("p99Seconds", end(0.99, name, where: isOf)),
            (
                "failedPerSecond",
                rate("relation_calls_total") { isOf($0) && $0.labels["code"] != "OK" }
            ),
        ])
    }

    private func sum(_ name: String) -> JSONValue { Self.number(now.sum(name)) }

    private func rate(
        _ name: String, where isWanted: (Samples.Sample) -> Bool = { _ in true }
    ) -> JSONValue {
        Self.number(now.rate(name, since: before, where: isWanted))
    }

    /// The end of a share of the times; null without calls, or above the last end.
    private func end(
        _ share: Double, _ name: String,
        where isWanted: (Samples.Sample) -> Bool = { _ in true }
    ) -> JSONValue {
        Self.number(now.upperEnd(of: share, name, since: before, where: isWanted))
    }

    /// A number as JSON has it; null for none, and for one that JSON cannot have.
    private static func number(_ value: Double?) -> JSONValue {
        guard let value, value.isFinite else { return .null }
        let whole = value.rounded()
        if whole == value, abs(value) < 1e15 { return .number("\(Int64(value))") }
        return .number("\(value)")
    }
}
