import Glibc

/// The time of day as HTTP writes it, `Sun, 06 Nov 1994 08:49:37 GMT`, made once a second.
package struct HTTPDate {
    private let clock: WallClock
    private var second = Int64.min
    private var made = ""

    package init(clock: @escaping WallClock = ServerTLS.systemClock) {
        self.clock = clock
    }

    package var text: String {
        mutating get {
            let second = clock() / 1_000
            if second != self.second {
                self.second = second
                made = Self.text(ofSecond: second)
            }
            return made
        }
    }

    static func text(ofSecond second: Int64) -> String {
        var time = time_t(second)
        var parts = tm()
        gmtime_r(&time, &parts)
        func digits(_ number: Int32, _ count: Int = 2) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let month = "\(months[Int(parts.tm_mon)]) \(digits(parts.tm_year + 1_900, 4))"
        let clock = "\(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec))"
        return "\(days[Int(parts.tm_wday)]), \(digits(parts.tm_mday)) \(month) \(clock) GMT"
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
