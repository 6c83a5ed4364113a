import Protobuf
package import RelationAPI

/// Compares the rows of the same users in two systems, member by member.
package enum RowComparison {
    /// The differences between two systems, and all of them that could not be compared.
    package struct Findings {
        package var differences: [MigrationLoss] = []
        /// The rows that one of the systems did not tell, or that both do not have.
        package var uncompared: [MigrationLoss] = []
    }

    /// Compares what was read of the same users.
    ///
    /// Lists that one of the systems did not return have no differences.
    ///
    /// - Throws: ``MessageError`` if a row has no JSON.
    package static func findings(
        between old: MigratedUsers, and new: MigratedUsers
    ) throws -> Findings {
        struct List: Hashable {
            let user: String
            let kind: String
        }
        var findings = Findings()
        var unread: Set<List> = []
        let lacked = Set(new.losses.filter { $0.kind == "account" }.map(\.user))
        for (losses, side) in [(old.losses, "there"), (new.losses, "here")] {
            for loss in losses where loss.isUnread {
                let isAccount = loss.kind == "account"
                // An account that one system alone lacks is a difference.
                if isAccount, side == "here" || !lacked.contains(loss.user) { continue }
                if loss.isOfList { unread.insert(List(user: loss.user, kind: loss.kind)) }
                findings.uncompared.append(
                    MigrationLoss(
                        loss.user, loss.kind, loss.other, field: loss.field,
                        because:
                            "could not be compared: \(loss.rule), \(isAccount ? "neither" : side)")
                )
            }
        }
        findings.differences = try differences(between: old.rows, and: new.rows)
            .filter { !unread.contains(List(user: $0.user, kind: $0.kind)) }
        return findings
    }

    /// The differences, by the order of the rows' names.
    ///
    /// - Parameters:
    ///   - old: The rows of the system that is left.
    ///   - new: The rows of the system that takes its side.
    /// - Throws: ``MessageError`` if a row has no JSON.
    package static func differences(
        between old: [ExportAppResponse], and new: [ExportAppResponse]
    ) throws -> [MigrationLoss] {
        let (old, new) = (try byName(old), try byName(new))
        var differences: [MigrationLoss] = []
        for name in Set(old.keys).union(new.keys).sorted() {
            guard let before = old[name] else {
                differences.append(name.loss(because: "is here, and not at the other system"))
                continue
            }
            guard let after = new[name] else {
                differences.append(name.loss(because: "is not here"))
                continue
            }
            for field in Set(before.keys).union(after.keys).sorted()
            where before[field] != after[field] {
                let (one, other) = (before[field] ?? "nothing", after[field] ?? "nothing")
                differences.append(
                    name.loss(field, because: "differs: \(shown(one)) there, \(shown(other)) here"))
            }
        }
        return differences
    }

    private static func shown(_ text: String) -> Substring {
        text.prefix(MigrationLimits.shownBytes)
    }

    /// The kind of a row, its user, and the other user or the group in it.
    private struct Name: Hashable, Comparable {
        let user: String
        let kind: String
        let other: String

        static func < (one: Name, other: Name) -> Bool {
            (one.user, one.kind, one.other) < (other.user, other.kind, other.other)
        }

        func loss(_ field: String = "", because rule: String) -> MigrationLoss {
            MigrationLoss(user, kind, other, field: field, because: rule)
        }
    }

    private static func byName(
        _ rows: [ExportAppResponse]
    ) throws -> [Name: [String: String]] {
        var found: [Name: [String: String]] = [:]
        for row in rows {
            guard let (name, message) = try named(row) else { continue }
            found[name] = message
        }
        return found
    }

    private static func named(
        _ row: ExportAppResponse
    ) throws -> (Name, [String: String])? {
        switch row.row {
        case .account(let row):
            return (Name(user: row.userID, kind: "account", other: ""), [:])
        case .profile(let row):
            let profile = row.profile ?? Profile()
            return (
                Name(user: profile.userID, kind: "profile", other: ""), try members(profile.json())
            )
        case .group(let row):
            let name = row.group?.name ?? ""
            return (
                Name(user: row.userID, kind: "group", other: name), ["number": "\(row.number)"]
            )
        case .friendEntry(let row):
            let entry = row.entry ?? Friend()
            return (
                Name(user: row.userID, kind: "friend", other: entry.userID),
                try members(entry.json())
            )
        case .blacklistEntry(let row):
            let entry = row.entry ?? BlacklistEntry()
            return (
                Name(user: row.userID, kind: "blacklist", other: entry.userID),
                try members(entry.json())
            )
        case .follow(let row):
            let entry = row.entry ?? FollowEntry()
            return (
                Name(user: row.userID, kind: "follow", other: entry.userID),
                try members(entry.json())
            )
        default: return nil
        }
    }

    /// The members of a message, each as a text; values of custom fields are members too.
    private static func members(_ json: String) throws -> [String: String] {
        guard case .object(let members) = try JSONValue(parsing: json) else { return [:] }
        var found: [String: String] = [:]
        for (name, value) in members {
            guard name == "custom", case .array(let values) = value else {
                found[name] = text(value)
                continue
            }
            for case .object(let custom) in values {
                let key = custom.first { $0.key == "key" }.map { text($0.value) } ?? ""
                found["custom.\(key)"] = custom.filter { $0.key != "key" }
                    .map { text($0.value) }.joined()
            }
        }
        return found
    }

    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let isTrue): "\(isTrue)"
        case .number(let text), .string(let text): text
        case .array(let values): values.map(text).joined(separator: ", ")
        case .object(let members):
            members.map { "\($0.key) \(text($0.value))" }.joined(separator: ", ")
        }
    }
}
