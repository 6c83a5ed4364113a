import Protobuf
package import RelationAPI
package import RelationModel

/// A user of another system with its lists, on the way to rows of an export.
///
/// Values that the export cannot hold are left out here, and reported as a loss.
package struct MigratedUser: Sendable {
    package let id: String
    package var createTimeMs: Int64
    package var profile: Profile?
    /// The users that may read the profile, if the user has chosen them.
    package var visibility: Visibility?
    /// The names of the friend groups in their order.
    package var groups: [String] = []
    package var friends: [Friend] = []
    package var applications: [FriendApplication] = []
    package var blacklist: [BlacklistEntry] = []
    package var follows: [FollowEntry] = []
    package var losses: [MigrationLoss] = []

    /// - Parameter createTimeMs: When the account was made, or the time of the pull if the other
    ///   system does not tell it.
    package init(_ id: String, createTimeMs: Int64) {
        (self.id, self.createTimeMs) = (id, createTimeMs)
    }

    package mutating func addLoss(
        _ kind: String, _ other: String = "", field: String = "", because rule: String
    ) {
        losses.append(MigrationLoss(id, kind, other, field: field, because: rule))
    }

    /// The rows in the order of exports.
    ///
    /// A row about the user itself, a second row about the same other user, and one about an id
    /// that is none or not among the known ones, are losses. A point after the rows names the kinds
    /// that were not read whole.
    ///
    /// - Parameter known: The users of the file; nil knows all.
    package mutating func rows(among known: KnownUsers? = nil) -> [ExportAppResponse] {
        addMissingGroups()
        var rows: [ExportAppResponse] = []
        func add(_ row: ExportAppResponse.Row) { rows.append(.with { $0.row = row }) }
        add(.account(.with { ($0.userID, $0.createTimeMs) = (id, createTimeMs) }))
        if let profile {
            add(.profile(.with { ($0.profile, $0.visibility) = (profile, visibility) }))
        }
        for (index, name) in groups.enumerated().sorted(by: { Self.precedes($0.1, $1.1) }) {
            let row = ExportedGroup.with {
                ($0.userID, $0.number) = (id, Int64(index) + 1)
                $0.group = .with { ($0.name, $0.createTimeMs) = (name, createTimeMs) }
            }
            add(.group(row))
        }
        for entry in sorted(friends, "friend", \.userID, known) {
            add(.friendEntry(.with { ($0.userID, $0.entry) = (id, entry) }))
        }
        for application in sortedApplications() {
            add(.application(.with { ($0.userID, $0.application) = (id, application) }))
        }
        for entry in sorted(blacklist, "blacklist", \.userID, known) {
            add(.blacklistEntry(.with { ($0.userID, $0.entry) = (id, entry) }))
        }
        for entry in sorted(follows, "follow", \.userID, known) {
            add(.follow(.with { ($0.userID, $0.entry) = (id, entry) }))
        }
        let unread = UnreadKinds(losses)
        if !unread.isEmpty { add(.point(.with { $0.resumeToken = unread.mark })) }
        return rows
    }

    /// The applications that wait, those of each side by the bytes of the other user's id.
    private mutating func sortedApplications() -> [FriendApplication] {
        let received = sorted(
            applications.filter { $0.pendencyType == .comeIn }, "application", \.userID)
        let sent = sorted(
            applications.filter { $0.pendencyType == .sendOut }, "application", \.userID)
        return received + sent
    }

    /// A text that is no longer than so many bytes; an empty one, and a loss, if it is.
    mutating func fitting(
        _ text: String, _ bytes: Int, _ kind: String, _ other: String = "", field: String
    ) -> String {
        guard text.utf8.count > bytes else { return text }
        addLoss(kind, other, field: field, because: "has more than \(bytes) bytes")
        return ""
    }

    /// The beginning of a text, of no more than so many bytes.
    static func cut(_ text: String, _ bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var (kept, count) = ("", 0)
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= bytes else { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept
    }

    /// A friend may name a group that the list of groups lacks, since both were read at two times.
    private mutating func addMissingGroups() {
        var known: Set<String> = []
        groups = (groups + friends.flatMap(\.groups)).filter { known.insert($0).inserted }
    }

    private mutating func sorted<Row>(
        _ list: [Row], _ kind: String, _ user: KeyPath<Row, String>,
        _ among: KnownUsers? = nil
    ) -> [Row] {
        var known: Set<String> = []
        var kept: [Row] = []
        for row in list {
            let other = row[keyPath: user]
            if UserID(other) == nil {
                addLoss(kind, other, because: "is not a user id")
            } else if other == id {
                addLoss(kind, other, because: "is the user itself")
            } else if let among, !among.has(other) {
                addLoss(kind, other, because: MigrationLoss.outside)
            } else if !known.insert(other).inserted {
                addLoss(kind, other, because: "stands in the list twice, and the first counts")
            } else {
                kept.append(row)
            }
        }
        return kept.sorted { Self.precedes($0[keyPath: user], $1[keyPath: user]) }
    }

    /// The order of bytes, which that of texts is not.
    package static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}
