import Protobuf
import RelationAPI
import RelationModel

/// A field of FriendRow that a column fills.
enum FriendColumn: Equatable {
    case userID, friendUserID, bothWays, addTime, remark, remarkTime, groups, source, wording
    case starred, pinOrder, muteUntil, ignored
    /// A custom field of text or bytes.
    case custom(key: String)
    /// A custom field of a number.
    case customNumber(key: String)

    /// The names of all fields, as they stand in the contract.
    static let names = named.map(\.name) + ["custom.KEY", "custom.KEY.number"]

    private static let named: [(name: String, column: FriendColumn)] = [
        ("user_id", .userID), ("friend_user_id", .friendUserID), ("both_ways", .bothWays),
        ("add_time_ms", .addTime), ("remark", .remark), ("remark_time_ms", .remarkTime),
        ("groups", .groups), ("source", .source), ("wording", .wording), ("starred", .starred),
        ("pin_order", .pinOrder), ("mute_until_ms", .muteUntil), ("ignored", .ignored),
    ]

    /// The field of this name; nil if there is none.
    init?(name: String) {
        if let known = Self.named.first(where: { $0.name == name }) {
            self = known.column
            return
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0] == "custom", !parts[1].isEmpty else { return nil }
        if parts.count == 2 {
            self = .custom(key: String(parts[1]))
        } else if parts.count == 3, parts[2] == "number" {
            self = .customNumber(key: String(parts[1]))
        } else {
            return nil
        }
    }

    /// Words that offer the field that was perhaps meant.
    static func offer(for name: String) -> String {
        NearNames.question(for: NearNames.plain(name), among: named.map(\.name))
            ?? "the fields are \(names.joined(separator: ", "));"
    }

    /// Puts the text of a cell into its field; an empty cell leaves the field out.
    ///
    /// - Returns: The form that the cell should have; nil if it has it.
    func set(_ cell: String, into row: inout FriendRow) -> String? {
        guard !cell.isEmpty else { return nil }
        switch self {
        case .userID: row.userID = cell
        case .friendUserID: row.friendUserID = cell
        case .bothWays:
            guard let flag = Self.flag(cell) else { return "true or false" }
            row.bothWays = flag
        case .addTime:
            guard let time = Int64(cell) else { return "a time in milliseconds since 1970" }
            row.addTimeMs = time
        case .remark: row.remark = cell
        case .remarkTime:
            guard let time = Int64(cell) else { return "a time in milliseconds since 1970" }
            row.remarkTimeMs = time
        case .groups:
            guard let groups = Self.groups(cell) else { return "names with ';' between, or JSON" }
            row.groups = StringList()
            row.groups?.values = groups
        case .source: row.source = cell
        case .wording: row.wording = cell
        case .starred:
            guard let flag = Self.flag(cell) else { return "true or false" }
            row.starred = flag
        case .pinOrder:
            guard let order = Int32(cell) else {
                return "a position among pinned friends: a number"
            }
            row.pinOrder = order
        case .muteUntil:
            guard let time = Int64(cell) else { return "a time in milliseconds since 1970" }
            row.muteUntilMs = time
        case .ignored:
            guard let flag = Self.flag(cell) else { return "true or false" }
            row.ignored = flag
        case .custom(let key):
            row.custom.append(CustomValue(key: key, value: .data(Array(cell.utf8))))
        case .customNumber(let key):
            guard let number = UInt64(cell) else { return "a number" }
            row.custom.append(CustomValue(key: key, value: .number(number)))
        }
        return nil
    }

    private static func flag(_ cell: String) -> Bool? {
        switch cell.lowercased() {
        case "true", "1", "yes": true
        case "false", "0", "no": false
        default: nil
        }
    }

    /// The groups of a cell: `work;chess`, or a list in JSON for names that have a `;`.
    private static func groups(_ cell: String) -> [String]? {
        guard cell.hasPrefix("[") else {
            return cell.split(separator: ";").map(String.init)
        }
        guard case .array(let items)? = try? JSONValue(parsing: cell) else { return nil }
        var names: [String] = []
        for item in items {
            guard case .string(let name) = item else { return nil }
            names.append(name)
        }
        return names
    }
}
