import Logging
import Protobuf

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
