import RelationAPI
import RelationModel

/// Checks the rows of a pass before any of them is compared.
///
/// A row that a server refuses, or that names no user, would else take the place of a real one,
/// which then counts as gone.
struct PassRowCheck {
    /// The numbers of the groups of the user whose groups were read last.
    private var numbers: (user: String, known: Set<Int64>) = ("", [])

    /// - Throws: ``Failure`` that names the line, the field and the rule.
    mutating func check(_ row: ExportAppResponse, at location: String) throws {
        guard let (field, rule) = violation(of: row) else { return }
        throw Failure("\(location): \(field) \(rule)")
    }

    /// The first field that breaks a rule, and the rule.
    private mutating func violation(of row: ExportAppResponse) -> (field: String, rule: String)? {
        switch row.row {
        case .account(let row):
            Self.violation("account", row.userID, [("create_time_ms", row.createTimeMs)])
        case .profile(let row):
            Self.violation("profile.profile", row.profile?.userID, [])
        case .group(let row): violation(of: row)
        case .friendEntry(let row):
            Self.violation(
                "friend_entry.entry", row.entry?.userID,
                [
                    ("add_time_ms", row.entry?.addTimeMs ?? 0),
                    ("remark_time_ms", row.entry?.remarkTimeMs ?? 0),
                ])
        case .blacklistEntry(let row):
            Self.violation(
                "blacklist_entry.entry", row.entry?.userID,
                [("add_time_ms", row.entry?.addTimeMs ?? 0)])
        case .follow(let row):
            Self.violation(
                "follow.entry", row.entry?.userID,
                [("follow_time_ms", row.entry?.followTimeMs ?? 0)])
        case .application(let row):
            Self.violation(
                "application.application", row.application?.userID,
                [("add_time_ms", row.application?.addTimeMs ?? 0)])
        default: nil
        }
    }

    private static func violation(
        _ name: String, _ user: String?, _ times: [(field: String, value: Int64)]
    ) -> (String, String)? {
        guard let user else { return (name, "must be given") }
        if UserID(user) == nil {
            return ("\(name).user_id", "must be a user id")
        }
        let broken = times.first { $0.value < 0 }
        return broken.map { ("\(name).\($0.field)", "is \($0.value), and must not be negative") }
    }

    private mutating func violation(of row: ExportedGroup) -> (String, String)? {
        guard let group = row.group else { return ("group.group", "must be given") }
        if group.name.isEmpty { return ("group.group.name", "must be given") }
        if numbers.user != row.userID { numbers = (row.userID, []) }
        guard numbers.known.insert(row.number).inserted else {
            return ("group.number", "is \(row.number), as in a row of another group of the user")
        }
        return nil
    }
}
