import Synchronization

/// How many bytes the histories of apps have, as the maintenance of this process has seen them.
///
/// Each app that keeps a history has one entry at most.
package final class HistorySizes: Sendable {
    private struct Size {
        let bytes: Int64
        let most: Int64
    }

    private let sizes = Mutex<[UInt32: Size]>([:])

    package init() {}

    /// Notes that the history of `app` has so many bytes of those that it may have.
    ///
    /// - Parameter bytes: Nil if the app keeps no history, or is gone.
    package func set(_ app: UInt32, to bytes: Int64?, of most: Int64 = 0) {
        sizes.withLock { $0[app] = bytes.map { Size(bytes: $0, most: most) } }
    }

    /// The bytes of all histories, and the share that the fullest one has of its own bound; both
    /// are 0 without one.
    package var reading: (bytes: Int64, fullest: Double) {
        sizes.withLock { sizes in
            var (bytes, fullest) = (Int64(0), 0.0)
            for size in sizes.values {
                bytes += size.bytes
                fullest = max(fullest, Double(size.bytes) / Double(max(1, size.most)))
            }
            return (bytes, fullest)
        }
    }
}
