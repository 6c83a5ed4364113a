import ArgumentParser
import Glibc

/// The clock by which the times of events are shown.
enum EventClock: String, ExpressibleByArgument, CaseIterable {
    case utc
    case local

    /// A time of the day, with its distance from the universal time.
    func text(_ milliseconds: Int64) -> String {
        var (seconds, parts) = (time_t(milliseconds / 1_000), tm())
        let isShown =
            self == .utc
            ? gmtime_r(&seconds, &parts) != nil : localtime_r(&seconds, &parts) != nil
        // No time of a server is so far away.
        guard isShown else { return "?" }
        var bytes = [CChar](repeating: 0, count: 64)
        let form = self == .utc ? "%H:%M:%SZ" : "%H:%M:%S%z"
        let count = strftime(&bytes, bytes.count, form, &parts)
        return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
