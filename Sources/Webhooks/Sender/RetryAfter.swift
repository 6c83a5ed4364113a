import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS

/// The header `retry-after`.
enum RetryAfter {
    /// The time to wait: seconds, or until a date; nil for other texts.
    static func duration(_ text: String, nowMilliseconds: Int64) -> Duration? {
        let text = text.drop { $0 == " " }
        if !text.isEmpty, text.utf8.count <= 9, text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        {
            return Int64(text).map { .seconds($0) }
        }
        return TimeText.seconds(ofHTTPDate: String(text)).map {
            .milliseconds(max(0, $0 * 1_000 - nowMilliseconds))
        }
    }
}
