import GRPC
import RPC

/// Tables for an operator: columns with tabs between them, and their names in the first line.
enum OperatorTables {
    static func slowCalls(_ calls: [(path: String, call: SlowCall)], at now: UInt64) -> String {
        let userRecord = "call\tcode\tms\tloop\tqueue\twork\tanswer\tseconds ago\n"
        return userRecord
            + calls.map { path, call in
                let times = call.times
                let ago = max(0, Int64(clamping: now) - call.end) / 1_000_000_000
                let code = Status.Code(rawValue: call.code) ?? .unknown
                let columns = [
                    String(path.dropFirst()), "\(code)", milliseconds(call.nanoseconds),
                    milliseconds(span(times.arrival, times.handed, else: call.nanoseconds)),
                    milliseconds(span(times.handed, times.began)),
                    milliseconds(span(times.began, times.returned)),
                    milliseconds(span(times.returned, call.end)), "\(ago)",
                ]
                return columns.joined(separator: "\t") + "\n"
            }.joined()
    }

    /// The time between two points of a call's path; `other` if the call did not pass them.
    private static func span(_ start: Int64, _ end: Int64, else other: Int64 = 0) -> Int64 {
        start > 0 && end >= start ? end - start : other
    }

    private static func milliseconds(_ nanoseconds: Int64) -> String {
        let hundredths = (nanoseconds + 5_000) / 10_000
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    static func connections(_ notes: [ConnectionNote], of count: Int) -> String {
        let userRecord = "peer\tloop\topen calls\theld bytes\tage s\tidle s\n"
        let rows = notes.map { note in
            "\(note.peer)\t\(note.loop)\t\(note.openCalls)\t\(note.heldBytes)\t"
                + "\(note.ageSeconds)\t\(note.idleSeconds)\n"
        }
        return userRecord + rows.joined()
            + (count > notes.count ? "\(count - notes.count) further connections\n" : "")
    }
}
