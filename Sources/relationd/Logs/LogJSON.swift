import Logging
import Protobuf

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
