import GRPC
import Meters
import RelationAdmission

// The calls of apps, of which a bounded number is counted each by itself.
extension MetricText {
    /// The value of the label `app` for all apps that are not counted each by itself.
    private static let otherApps = "other"

    /// Adds the calls of apps; nothing if they are not counted.
    mutating func addApps(_ apps: Apps, _ groups: [ServerReading.Group]) {
        guard !groups.isEmpty else { return }
        let counted = apps.counted.all.filter { $0.group <= groups.count }
        let rows =
            counted.map { ("\($0.app)", groups[$0.group - 1]) }
            + [(Self.otherApps, groups[CountedApps.otherGroup - 1])]
        family(
            "relation_app_calls_total", .counter,
            "Calls of an app that have ended, by outcome: ok, refused, exhausted, failed.")
        for (app, group) in rows {
            for outcome in CallOutcome.allCases {
                let count = group.outcomes[outcome.rawValue]
                sample(count, ["app": app, "outcome": outcome.name])
            }
        }
        family(
            "relation_app_call_duration_seconds", .histogram,
            "How long calls of an app took, in few steps; without calls of streams.")
        for (app, group) in rows { histogram(group.latency, unit: 1e9, ["app": app]) }
        family(
            "relation_app_sent_bytes_total", .counter,
            "Bytes of messages that answer calls of an app, before they are compressed.")
        for (app, group) in rows { sample(group.sentBytes, ["app": app]) }
        addHeld(counted.map { ("\($0.app)", apps.held(by: $0.app)) })
    }

    private mutating func addHeld(_ rows: [(app: String, held: (calls: Int, connections: Int))]) {
        family(
            "relation_app_open_calls", .gauge,
            "Streams of an app, and calls that wait, by callers with credentials.")
        for row in rows { sample(row.held.calls, ["app": row.app]) }
        family(
            "relation_app_connections", .gauge,
            "Connections on which callers of an app have shown credentials.")
        for row in rows { sample(row.held.connections, ["app": row.app]) }
    }
}
