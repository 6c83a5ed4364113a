import ArgumentParser
import RelationAPI

/// The unit of the times in a file of friendships.
enum RowTimes: String, ExpressibleByArgument, CaseIterable {
    case milliseconds
    case seconds

    /// Brings the times of a row to milliseconds.
    ///
    /// - Parameter unit: The unit that was said; nil takes milliseconds, and only those that are
    ///   likely: a time in seconds would become a day of January 1970 without a word.
    /// - Returns: Why a time is none; nil if all are.
    static func apply(_ unit: RowTimes?, to row: inout FriendRow) -> String? {
        if let time = row.addTimeMs, let reason = error(time, "add_time_ms", unit) { return reason }
        if let time = row.remarkTimeMs, let reason = error(time, "remark_time_ms", unit) {
            return reason
        }
        guard unit == .seconds else { return nil }
        row.addTimeMs = row.addTimeMs.map { $0 * 1_000 }
        row.remarkTimeMs = row.remarkTimeMs.map { $0 * 1_000 }
        // A mute may be for good, and then has a number that is not a time.
        row.muteUntilMs = row.muteUntilMs.map { $0 > .max / 1_000 ? .max : $0 * 1_000 }
        return nil
    }

    private static func error(_ time: Int64, _ field: String, _ unit: RowTimes?) -> String? {
        let likely = Limits.likelyMilliseconds
        // 0 stands for no time, and what is before 1970 has a rule of its own.
        guard unit != .milliseconds, time > 0 else { return nil }
        if unit == .seconds {
            return time < likely.lowerBound
                ? nil : "\(field) is \(time), which is not a time in seconds"
        }
        guard !likely.contains(time) else { return nil }
        let perhaps =
            time < likely.lowerBound
            ? "before 1973: --times seconds reads seconds" : "after 2286: it is not microseconds"
        return "\(field) is \(time), which in milliseconds is \(perhaps), and --times "
            + "milliseconds takes it as it is"
    }
}
