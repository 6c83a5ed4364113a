import RelationAPI
import RelationModel

/// Reads the users of OpenIM with their lists, in the order of exports.
package struct OpenIMReader {
    private typealias Place = DumpFile.Place

    /// A document of a list, with the user that owns it.
    private struct Entry {
        let owner: UInt32
        let place: Place
    }

    /// A waiting application, with the place of its text.
    private struct Waiting {
        let applicant: UInt32
        let asked: UInt32
        var timeMs: Int64
        let textBytes: Int32
        let place: Place
    }

    private let dump: OpenIMDump
    private let userKey: String
    private let friendKey: String
    private let ids: [String]
    private let accounts: [Place]
    private let friends: [Entry]
    private let blacks: [Entry]
    private let sent: [Waiting]
    private let received: [Waiting]
    /// The documents that belong to no user of the dump, and users that are none.
    package private(set) var losses: [MigrationLoss] = []

    /// Reads all collections once, to know where the documents of each user are.
    ///
    /// - Parameters:
    ///   - userKey: The custom field of profiles that takes `ex`; empty for none.
    ///   - friendKey: The custom field of friends that takes `ex`; empty for none.
    /// - Throws: ``MigrationFault`` if a file is no dump.
    package init(_ dump: OpenIMDump, userKey: String, friendKey: String) throws {
        (self.dump, self.userKey, self.friendKey) = (dump, userKey, friendKey)
        var losses: [MigrationLoss] = []
        var found: [String: Place] = [:]
        try dump.users.forEach { document, place in
            let id = document.text("user_id")
            guard UserID(id) != nil else {
                return losses.append(
                    MigrationLoss(id, "account", because: "is no user id of this service"))
            }
            guard found[id] == nil else {
                return losses.append(MigrationLoss(id, "account", because: "comes twice"))
            }
            found[id] = place
            guard found.count <= MigrationLimits.accounts else {
                throw MigrationFault("the dump has more than \(MigrationLimits.accounts) users")
            }
        }
        let ids = found.keys.sorted(by: MigratedUser.precedes)
        self.ids = ids
        accounts = ids.compactMap { found[$0] }
        var index: [String: UInt32] = [:]
        for (number, id) in ids.enumerated() { index[id] = UInt32(number) }
        func entries(_ file: DumpFile?, _ kind: String, _ other: String) throws -> [Entry] {
            var entries: [Entry] = []
            try file?.forEach { document, place in
                let (owner, user) = (document.text("owner_user_id"), document.text(other))
                guard let number = index[owner], index[user] != nil else {
                    let rule = "names a user that is not in the dump"
                    return losses.append(MigrationLoss(owner, kind, user, because: rule))
                }
                entries.append(Entry(owner: number, place: place))
            }
            return entries.sorted { ($0.owner, $0.place.offset) < ($1.owner, $1.place.offset) }
        }
        friends = try entries(dump.friends, "friend", "friend_user_id")
        blacks = try entries(dump.blacks, "blacklist", "block_user_id")
        var waiting = try Self.waiting(dump.requests, index, &losses)
        Self.separate(&waiting)
        sent = waiting.sorted { ($0.applicant, $0.asked) < ($1.applicant, $1.asked) }
        received = waiting.sorted { ($0.asked, $0.applicant) < ($1.asked, $1.applicant) }
        self.losses = losses
    }

    /// The applications that wait; those that have ended stay behind.
    private static func waiting(
        _ file: DumpFile?, _ index: [String: UInt32], _ losses: inout [MigrationLoss]
    ) throws -> [Waiting] {
        var waiting: [Waiting] = []
        try file?.forEach { document, place in
            guard document.number("handle_result") == 0 else { return }
            let (from, to) = (document.text("from_user_id"), document.text("to_user_id"))
            guard let applicant = index[from], let asked = index[to], from != to else {
                let rule = "names a user that is not in the dump, or one user twice"
                return losses.append(MigrationLoss(from, "application", to, because: rule))
            }
            waiting.append(
                Waiting(
                    applicant: applicant, asked: asked,
                    timeMs: document.milliseconds("create_time"),
                    textBytes: Int32(document.text("req_msg").utf8.count), place: place))
        }
        return waiting
    }

    /// Gives no two applications of a user the same time, by some milliseconds more.
    private static func separate(_ waiting: inout [Waiting]) {
        waiting.sort { ($0.timeMs, $0.place.offset) < ($1.timeMs, $1.place.offset) }
        var last: [UInt32: Int64] = [:]
        for index in waiting.indices {
            let users = [waiting[index].applicant, waiting[index].asked]
            let free = users.map { (last[$0] ?? 0) + 1 }.max() ?? 1
            waiting[index].timeMs = max(waiting[index].timeMs, free)
            for user in users { last[user] = waiting[index].timeMs }
        }
    }

    /// How many users the dump has.
    package var count: Int { ids.count }

    /// The rows of some users, by their numbers in the order of their bytes.
    package func read(_ numbers: Range<Int>) throws -> MigratedUsers {
        var users = MigratedUsers()
        for number in numbers {
            var user = try account(number)
            for entry in Self.range(friends, UInt32(number), \.owner) {
                try addFriend(dump.friends.document(at: entry.place), to: &user)
            }
            for entry in Self.range(blacks, UInt32(number), \.owner) {
                guard let document = try dump.blacks?.document(at: entry.place) else { continue }
                var row = BlacklistEntry()
                row.userID = document.text("block_user_id")
                row.addTimeMs = document.milliseconds("create_time")
                user.blacklist.append(row)
            }
            for each in Self.range(received, UInt32(number), \.asked) {
                user.applications.append(try application(each, .comeIn))
            }
            for each in Self.range(sent, UInt32(number), \.applicant) {
                let application = try application(each, .sendOut)
                if application.wording.utf8.count < Int(each.textBytes) {
                    user.lose(
                        "application", application.userID, field: "req_msg",
                        because: "has more than \(MigrationLimits.wordingBytes) bytes, and is cut")
                }
                user.applications.append(application)
            }
            users.rows += user.rows()
            users.losses += user.losses
        }
        return users
    }

    /// The part of a sorted list that belongs to a user.
    private static func range<Row>(
        _ list: [Row], _ owner: UInt32, _ key: KeyPath<Row, UInt32>
    ) -> ArraySlice<Row> {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle][keyPath: key] < owner { low = middle + 1 } else { high = middle }
        }
        return list[low...].prefix { $0[keyPath: key] == owner }
    }

    // MARK: Rows

    private func account(_ number: Int) throws -> MigratedUser {
        let document = try dump.users.document(at: accounts[number])
        var user = MigratedUser(
            ids[number], createTimeMs: document.milliseconds("create_time"))
        var profile = Profile()
        profile.userID = ids[number]
        let bytes = Int(MigrationLimits.longTextBytes)
        profile.nick = user.fitting(document.text("nickname"), bytes, "profile", field: "nickname")
        profile.faceURL = user.fitting(
            document.text("face_url"), bytes, "profile", field: "face_url")
        let ex = user.fitting(document.text("ex"), bytes, "profile", field: "ex")
        if !ex.isEmpty, userKey.isEmpty {
            user.lose("profile", field: "ex", because: "has no custom field: see --user-ex")
        } else if !ex.isEmpty {
            profile.custom = [CustomValue(userKey, .text(ex))]
        }
        switch document.number("global_recv_msg_opt") {
        case 0: break
        case 1: profile.msgSettings = 1
        default:
            let rule = "is to receive without a push, which has no counterpart"
            user.lose("profile", field: "global_recv_msg_opt", because: rule)
        }
        user.profile = profile
        return user
    }

    private func addFriend(_ document: DumpDocument, to user: inout MigratedUser) throws {
        var friend = Friend()
        friend.userID = document.text("friend_user_id")
        friend.remark = user.fitting(
            document.text("remark"), Int(MigrationLimits.remarkBytes), "friend", friend.userID,
            field: "remark")
        friend.addTimeMs = document.milliseconds("create_time")
        friend.pinOrder = document.isTrue("is_pinned") ? 1 : 0
        friend.source = Self.sources[document.number("add_source")] ?? ""
        let ex = user.fitting(
            document.text("ex"), Int(MigrationLimits.longTextBytes), "friend", friend.userID,
            field: "ex")
        if !ex.isEmpty, friendKey.isEmpty {
            let rule = "has no custom field: see --friend-ex"
            user.lose("friend", friend.userID, field: "ex", because: rule)
        } else if !ex.isEmpty {
            friend.custom = [CustomValue(friendKey, .text(ex))]
        }
        user.friends.append(friend)
    }

    private static let sources: [Int64: String] = [
        1: "AddSource_Type_Import", 2: "AddSource_Type_Apply",
    ]

    /// One side of an application that waits.
    private func application(
        _ waiting: Waiting, _ type: PendencyType
    ) throws -> FriendApplication {
        let (applicant, asked) = (ids[Int(waiting.applicant)], ids[Int(waiting.asked)])
        var application = FriendApplication()
        application.userID = type == .comeIn ? applicant : asked
        // Sequences begin at 1, so no later application has this id.
        application.applicationID = "\(applicant)#0#\(asked)"
        (application.pendencyType, application.status) = (type, .unhandled)
        application.addTimeMs = waiting.timeMs
        application.operationTimeMs = waiting.timeMs
        let text = try dump.requests?.document(at: waiting.place).text("req_msg") ?? ""
        application.wording = MigratedUser.cut(text, Int(MigrationLimits.wordingBytes))
        return application
    }
}
