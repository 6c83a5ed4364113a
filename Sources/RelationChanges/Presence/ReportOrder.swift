/// The position of a report among all reports of its device, whichever servers take them.
struct ReportOrder: Comparable {
    /// When the device changed, as the reporter saw it.
    let timeMs: Int64
    /// Of the same time, a report that the device went is the later one.
    let isOffline: Bool

    static func < (one: ReportOrder, other: ReportOrder) -> Bool {
        (one.timeMs, one.isOffline ? 1 : 0) < (other.timeMs, other.isOffline ? 1 : 0)
    }

    /// The order as bytes, which are compared as such.
    var bytes: [UInt8] {
        // A time is not negative.
        withUnsafeBytes(of: UInt64(clamping: timeMs).bigEndian) { Array($0) } + [isOffline ? 1 : 0]
    }
}
