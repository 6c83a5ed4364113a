import Glibc
import Logging
import Protobuf
import Support

/// One line of the log, in either form.
///
/// Texts of clients may be in it. So no text in it can end the line, or begin another field.
struct LogLine {
    let level: Logger.Level
    let label: String
    /// The module that logged it.
    let source: String
    let message: String
    let metadata: Logger.Metadata
    /// When it was logged.
    var time = LogTime.now

    /// The form for people: `TIME LEVEL LABEL: NAME=VALUE … [SOURCE] MESSAGE`.
    var text: String {
        let fields = metadata.sorted { $0.key < $1.key }.map { " \($0)=\(Self.word($1))" }.joined()
        return "\(time.local) \(level) \(label):\(fields) [\(source)] \(JSONQuote.plain(message))\n"
    }

    /// The form for programs: one object, with the metadata beside the five fields of every line.
    var json: String {
        var fields: [(String, String)] = [
            ("time", LogJSON.quoted(time.universal)), ("level", LogJSON.quoted("\(level)")),
            ("logger", LogJSON.quoted(label)), ("source", LogJSON.quoted(source)),
            ("message", LogJSON.quoted(message)),
        ]
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
            let isTaken = fields.prefix(5).contains { $0.0 == name }
            fields.append((isTaken ? "\(name)_" : name, LogJSON.value(value)))
        }
        return "{" + fields.map { "\(LogJSON.quoted($0)):\($1)" }.joined(separator: ",") + "}\n"
    }

    /// A value, in quotes if a reader could not see where it ends.
    private static func word(_ value: Logger.MetadataValue) -> String {
        let text = "\(value)"
        let isPlain = text.unicodeScalars.allSatisfy {
            $0 != " " && !JSONQuote.isHidden($0) && $0 != "\"" && $0 != "="
        }
        return isPlain && !text.isEmpty ? text : LogJSON.quoted(text)
    }
}

/// A time, as lines name it.
struct LogTime {
    private let seconds: time_t
    private let milliseconds: Int

    static var now: LogTime {
        let time = SystemClock.wall.now
        return LogTime(seconds: time.tv_sec, milliseconds: time.tv_nsec / 1_000_000)
    }

    init(seconds: Int, milliseconds: Int) {
        self.seconds = seconds
        self.milliseconds = milliseconds
    }

    /// The machine's own time, with its distance from the universal one.
    var local: String {
        var parts = tm()
        var seconds = seconds
        localtime_r(&seconds, &parts)
        return Self.text(parts, "%Y-%m-%dT%H:%M:%S%z")
    }

    /// The universal time with milliseconds.
    var universal: String {
        var parts = tm()
        var seconds = seconds
        gmtime_r(&seconds, &parts)
        let digits = "\(milliseconds)"
        let zeros = String(repeating: "0", count: 3 - digits.count)
        return "\(Self.text(parts, "%Y-%m-%dT%H:%M:%S")).\(zeros)\(digits)Z"
    }

    private static func text(_ parts: tm, _ format: String) -> String {
        var parts = parts
        var bytes = [CChar](repeating: 0, count: 64)
        let count = strftime(&bytes, bytes.count, format, &parts)
        return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Values as JSON has them.
enum LogJSON {
    static func value(_ value: Logger.MetadataValue) -> String {
        switch value {
        case .string(let text): quoted(text)
        case .stringConvertible(let number as any FixedWidthInteger): "\(number)"
        case .stringConvertible(let other): quoted("\(other)")
        case .array(let values): "[" + values.map(Self.value).joined(separator: ",") + "]"
        case .dictionary(let values):
            "{"
                + values.sorted { $0.key < $1.key }
                .map { "\(quoted($0)):\(Self.value($1))" }.joined(separator: ",") + "}"
        }
    }

    static func quoted(_ text: String) -> String { JSONQuote.text(text) }
}
