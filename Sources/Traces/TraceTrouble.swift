import Logging
import RPC

/// The knowledge of the log about spans that are lost.
struct TraceTrouble: Sendable {
    struct Line: Sendable, Equatable {
        let level: Logger.Level
        let message: String
        /// Why; nil if it has passed.
        let cause: String?
        let lost: UInt64

        func metadata(of collector: String) -> Logger.Metadata {
            var metadata: Logger.Metadata = [
                "collector": "\(collector)", "lost_spans": .stringConvertible(lost),
            ]
            if let cause { metadata["cause"] = "\(cause)" }
            return metadata
        }
    }

    private var isReported = false
    /// When the last line said that spans are lost.
    private var lastLine: UInt64?

    init() {}

    /// Learns how a message fared.
    ///
    /// - Parameter cause: Why it fared ill; nil if it went well.
    /// - Returns: The line to write, if the log does not know.
    mutating func line(for cause: String?, lost: UInt64, at now: UInt64) -> Line? {
        guard let cause else {
            guard isReported else { return nil }
            isReported = false
            return Line(
                level: .info, message: "spans reach the collector again", cause: nil, lost: lost)
        }
        let gap = TraceLimits.secondsBetweenLines * 1_000_000_000
        guard !isReported, lastLine.map({ now - $0 >= gap }) ?? true else { return nil }
        isReported = true
        lastLine = now
        return Line(
            level: .warning, message: "spans do not reach the collector", cause: cause, lost: lost)
    }
}
