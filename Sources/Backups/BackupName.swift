internal import Glibc

/// The names of backups: the time, such as `20261125T235959Z`.
package enum BackupName {
    /// The name of a backup of that time.
    package static func name(ofMilliseconds milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = "\(number)"
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        return digits(parts.tm_year + 1_900, 4) + digits(parts.tm_mon + 1, 2)
            + digits(parts.tm_mday, 2) + "T" + digits(parts.tm_hour, 2) + digits(parts.tm_min, 2)
            + digits(parts.tm_sec, 2) + "Z"
    }

    /// Whether `text` has the form of such a name.
    package static func isName(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 16 else { return false }
        return bytes.enumerated().allSatisfy { index, byte in
            switch index {
            case 8: byte == UInt8(ascii: "T")
            case 15: byte == UInt8(ascii: "Z")
            default: (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
        }
    }
}
