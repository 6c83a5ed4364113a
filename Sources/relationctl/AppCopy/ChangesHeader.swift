import Protobuf

/// The first line of a file of export-changes: the app, and the two moments between which the file
/// has each change.
struct ChangesHeader {
    let appID: UInt32
    /// Another app that has the same number, as on another server, was made at another time.
    let appCreateTimeMs: Int64
    let sinceTimeMs: Int64
    let untilTimeMs: Int64

    private static let name = "exportChanges"

    init(appID: UInt32, appCreateTimeMs: Int64, sinceTimeMs: Int64, untilTimeMs: Int64) {
        (self.appID, self.appCreateTimeMs) = (appID, appCreateTimeMs)
        (self.sinceTimeMs, self.untilTimeMs) = (sinceTimeMs, untilTimeMs)
    }

    /// The header that `line` has in JSON; nil if it has none.
    init?(line: String) {
        guard let members = JSONValue.members(of: Self.name, in: line),
            let appID = members["appId"].flatMap({ UInt32(exactly: $0) }),
            let made = members["appCreateTimeMs"], let since = members["sinceTimeMs"],
            let until = members["untilTimeMs"]
        else { return nil }
        self.init(
            appID: appID, appCreateTimeMs: made, sinceTimeMs: since, untilTimeMs: until)
    }

    /// The header in JSON, its numbers as the JSON of messages has them.
    var json: String {
        let members: [(key: String, value: JSONValue)] = [
            ("appId", .number("\(appID)")), ("appCreateTimeMs", .string("\(appCreateTimeMs)")),
            ("sinceTimeMs", .string("\(sinceTimeMs)")), ("untilTimeMs", .string("\(untilTimeMs)")),
        ]
        return JSONText(.object([(Self.name, .object(members))])).compact
    }
}

/// The last line of a file of export-changes: a file that was cut does not have it.
enum ChangesEnd {
    private static let name = "end"

    static func json(entries: Int) -> String {
        JSONText(.object([(name, .object([("entries", .string("\(entries)"))]))])).compact
    }

    /// How many entries the file has by the last line; nil if `line` is another one.
    static func entries(line: String) -> Int64? {
        JSONValue.members(of: name, in: line)?["entries"]
    }
}

extension JSONValue {
    /// The whole numbers in the object that stands alone, under `name`, in a line of JSON; nil if
    /// the line is not like that.
    fileprivate static func members(of name: String, in line: String) -> [String: Int64]? {
        let value: JSONValue
        do throws(CodecError) {
            value = try JSONValue(parsing: line)
        } catch {
            return nil
        }
        guard case .object(let outer) = value, outer.count == 1, let only = outer.first,
            only.key == name, case .object(let members) = only.value
        else { return nil }
        var numbers: [String: Int64] = [:]
        for (key, value) in members {
            switch value {
            case .string(let digits), .number(let digits): numbers[key] = Int64(digits)
            default: break
            }
        }
        return numbers
    }
}
