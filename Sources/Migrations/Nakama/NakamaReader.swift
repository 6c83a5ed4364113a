import Protobuf
import RelationAPI
import RelationModel

/// Reads the users of Nakama with their lists, in the order of exports.
package struct NakamaReader: DumpReading {
    /// The row of Nakama's own user, which writes messages of the system.
    private static let system = "00000000-0000-0000-0000-000000000000"

    /// An application as one row or both rows of its users tell it.
    private struct Halves {
        var waiting: WaitingApplication
        var isSent = false
        var isReceived = false
    }

    private let tables: NakamaTables
    private let ids: [String]
    private let accounts: [DumpFile.Extent]
    private let friends: [OwnedExtent]
    private let blocked: [OwnedExtent]
    private let sent: [WaitingApplication]
    private let received: [WaitingApplication]
    package let losses: [MigrationLoss]

    /// Reads both tables once, to know where the rows of each user are.
    ///
    /// - Throws: ``MigrationError`` if a file is not such a table.
    package init(_ tables: NakamaTables) throws {
        self.tables = tables
        var losses: [MigrationLoss] = []
        let users = try DumpUsers(tables.users, key: "id", ignoring: Self.system, &losses)
        (ids, accounts) = (users.ids, users.extents)
        var lists = Lists()
        try lists.read(tables.edges, users)
        (friends, blocked) = (
            lists.friends.sorted(by: OwnedExtent.precedes),
            lists.blocked.sorted(by: OwnedExtent.precedes)
        )
        var waiting = lists.waiting(ids)
        WaitingApplication.separate(&waiting)
        sent = waiting.sorted { ($0.applicant, $0.asked) < ($1.applicant, $1.asked) }
        received = waiting.sorted { ($0.asked, $0.applicant) < ($1.asked, $1.applicant) }
        self.losses = losses + lists.losses
    }

    /// The rows of the edges by their states.
    private struct Lists {
        var friends: [OwnedExtent] = []
        var blocked: [OwnedExtent] = []
        var halves: [UInt64: Halves] = [:]
        var losses: [MigrationLoss] = []

        mutating func read(_ edges: DumpFile, _ users: DumpUsers) throws {
            try edges.forEach { document, extent in
                let (owner, other) = (document.text("source_id"), document.text("destination_id"))
                let state = document.text("state")
                guard let number = users.number(of: owner), let second = users.number(of: other),
                    number != second
                else {
                    let rule = "names a user that is not in the table, or one user twice"
                    return losses.append(
                        MigrationLoss(owner, Self.kind(state), other, because: rule))
                }
                switch state {
                case "0": friends.append(OwnedExtent(owner: number, extent: extent))
                case "1": add(number, second, document, extent, isSent: true)
                case "2": add(second, number, document, extent, isSent: false)
                case "3": blocked.append(OwnedExtent(owner: number, extent: extent))
                // Nakama's names for these are deleted and archived: nothing is between the users.
                case "4", "5": break
                default:
                    let rule = "has a state that this program does not know: \(state)"
                    losses.append(MigrationLoss(owner, "friend", other, because: rule))
                }
            }
        }

        private static func kind(_ state: String) -> String {
            switch state {
            case "1", "2": "application"
            case "3": "blacklist"
            default: "friend"
            }
        }

        private mutating func add(
            _ applicant: UInt32, _ asked: UInt32, _ document: DumpDocument,
            _ extent: DumpFile.Extent, isSent: Bool
        ) {
            let waiting = WaitingApplication(
                applicant: applicant, asked: asked, timeMs: document.milliseconds("update_time"),
                textBytes: 0, extent: extent)
            let key = UInt64(applicant) << 32 | UInt64(asked)
            var both = halves[key] ?? Halves(waiting: waiting)
            if isSent {
                (both.waiting, both.isSent) = (waiting, true)
            } else {
                both.isReceived = true
            }
            halves[key] = both
        }

        /// The applications of which both users have a row.
        mutating func waiting(_ ids: [String]) -> [WaitingApplication] {
            var found: [WaitingApplication] = []
            var lost: [MigrationLoss] = []
            for each in halves.values {
                if each.isSent, each.isReceived {
                    found.append(each.waiting)
                } else {
                    let rule = "has a row of one of the two users alone"
                    let from = ids[Int(each.waiting.applicant)]
                    let to = ids[Int(each.waiting.asked)]
                    lost.append(MigrationLoss(from, "application", to, because: rule))
                }
            }
            losses += lost.sorted { ($0.user, $0.other) < ($1.user, $1.other) }
            return found
        }
    }

    package var count: Int { ids.count }

    package func read(_ numbers: Range<Int>) throws -> MigratedUsers {
        var users = MigratedUsers()
        for number in numbers {
            var user = try account(number)
            for entry in friends.range(of: UInt32(number), \.owner) {
                try addFriend(tables.edges.document(at: entry.extent), to: &user)
            }
            for entry in blocked.range(of: UInt32(number), \.owner) {
                let document = try tables.edges.document(at: entry.extent)
                var row = BlacklistEntry()
                row.userID = document.text("destination_id")
                row.addTimeMs = document.milliseconds("update_time")
                user.blacklist.append(row)
            }
            for each in received.range(of: UInt32(number), \.asked) {
                user.applications.append(each.side(.comeIn, of: ids, wording: ""))
            }
            for each in sent.range(of: UInt32(number), \.applicant) {
                let application = each.side(.sendOut, of: ids, wording: "")
                user.applications.append(application)
                let document = try tables.edges.document(at: each.extent)
                if !Self.isNothing(document.text("metadata")) {
                    let rule = "is of an application, which has no custom fields"
                    user.addLoss(
                        "application", application.userID, field: "metadata", because: rule)
                }
            }
            users.add(&user)
        }
        return users
    }

    // MARK: Rows

    private func account(_ number: Int) throws -> MigratedUser {
        let document = try tables.users.document(at: accounts[number])
        var user = MigratedUser(
            ids[number], createTimeMs: document.milliseconds("create_time"))
        func text(_ column: String, _ bytes: UInt32) -> String {
            user.fitting(document.text(column), Int(bytes), "profile", field: column)
        }
        var profile = Profile()
        profile.userID = ids[number]
        profile.username = text("username", MigrationLimits.longTextBytes)
        profile.nick = text("display_name", MigrationLimits.longTextBytes)
        profile.faceURL = text("avatar_url", MigrationLimits.longTextBytes)
        profile.locale = text("lang_tag", MigrationLimits.localeBytes)
        profile.locationText = document.text("location")
        if profile.locationText.unicodeScalars.count > Int(MigrationLimits.locationCharacters) {
            profile.locationText = ""
            let rule = "has more than \(MigrationLimits.locationCharacters) characters"
            user.addLoss("profile", field: "location", because: rule)
        }
        let others = [
            ("metadata", tables.keys.userMetadata), ("timezone", tables.keys.userTimezone),
        ]
        for (column, key) in others {
            let value = custom(document, column, key, "profile", "", &user)
            if let value { profile.custom.append(value) }
        }
        profile.custom.sort { MigratedUser.precedes($0.key, $1.key) }
        user.profile = profile
        if document.milliseconds("disable_time") > MigrationLimits.noTimeMilliseconds {
            let rule = "is banned there: suspend the user here"
            user.addLoss("account", field: "disable_time", because: rule)
        }
        return user
    }

    private func addFriend(_ document: DumpDocument, to user: inout MigratedUser) {
        var friend = Friend()
        friend.userID = document.text("destination_id")
        friend.addTimeMs = document.milliseconds("update_time")
        let value = custom(
            document, "metadata", tables.keys.friendMetadata, "friend", friend.userID, &user)
        if let value { friend.custom = [value] }
        user.friends.append(friend)
    }

    /// The value of a custom field that takes a column; nil, and a loss, if none takes it.
    private func custom(
        _ document: DumpDocument, _ column: String, _ key: String, _ kind: String, _ other: String,
        _ user: inout MigratedUser
    ) -> CustomValue? {
        let text = document.text(column)
        guard !Self.isNothing(text) else { return nil }
        guard !key.isEmpty else {
            let option = "--\(kind == "profile" ? "user" : kind)-\(column)"
            user.addLoss(kind, other, field: column, because: "has no custom field: see \(option)")
            return nil
        }
        let bytes = Int(MigrationLimits.longTextBytes)
        let fitting = user.fitting(text, bytes, kind, other, field: column)
        return fitting.isEmpty ? nil : CustomValue(key, .text(fitting))
    }

    /// Whether a column has nothing: an empty text, or an empty object.
    private static func isNothing(_ text: String) -> Bool {
        text.isEmpty || text == "{}"
    }
}
