import RelationAPI
import RelationModel

/// Reads the users of OpenIM with their lists, in the order of exports.
package struct OpenIMReader: DumpReading {
    private let dump: OpenIMDump
    private let userKey: String
    private let friendKey: String
    private let ids: [String]
    private let accounts: [DumpFile.Extent]
    private let friends: [OwnedExtent]
    private let blacks: [OwnedExtent]
    private let sent: [WaitingApplication]
    private let received: [WaitingApplication]
    package let losses: [MigrationLoss]

    /// Reads all collections once, to know where the documents of each user are.
    ///
    /// - Parameters:
    ///   - userKey: The custom field of profiles that takes `ex`; empty for none.
    ///   - friendKey: The custom field of friends that takes `ex`; empty for none.
    /// - Throws: ``MigrationError`` if a file is not a dump.
    package init(_ dump: OpenIMDump, userKey: String, friendKey: String) throws {
        (self.dump, self.userKey, self.friendKey) = (dump, userKey, friendKey)
        var losses: [MigrationLoss] = []
        let users = try DumpUsers(dump.users, key: "user_id", &losses)
        (ids, accounts) = (users.ids, users.extents)
        func entries(_ file: DumpFile?, _ kind: String, _ other: String) throws -> [OwnedExtent] {
            var entries: [OwnedExtent] = []
            try file?.forEach { document, extent in
                let (owner, user) = (document.text("owner_user_id"), document.text(other))
                guard let number = users.number(of: owner), users.number(of: user) != nil else {
                    let rule = "names a user that is not in the dump"
                    return losses.append(MigrationLoss(owner, kind, user, because: rule))
                }
                entries.append(OwnedExtent(owner: number, extent: extent))
            }
            return entries.sorted(by: OwnedExtent.precedes)
        }
        friends = try entries(dump.friends, "friend", "friend_user_id")
        blacks = try entries(dump.blacks, "blacklist", "block_user_id")
        var waiting = try Self.waiting(dump.requests, users, &losses)
        WaitingApplication.separate(&waiting)
        sent = waiting.sorted { ($0.applicant, $0.asked) < ($1.applicant, $1.asked) }
        received = waiting.sorted { ($0.asked, $0.applicant) < ($1.asked, $1.applicant) }
        self.losses = losses
    }

    /// The applications that wait; those that have ended stay behind.
    private static func waiting(
        _ file: DumpFile?, _ users: DumpUsers, _ losses: inout [MigrationLoss]
    ) throws -> [WaitingApplication] {
        var waiting: [WaitingApplication] = []
        var lost: [MigrationLoss] = []
        try file?.forEach { document, extent in
            guard document.number("handle_result") == 0 else { return }
            let (from, to) = (document.text("from_user_id"), document.text("to_user_id"))
            guard let applicant = users.number(of: from), let asked = users.number(of: to),
                from != to
            else {
                let rule = "names a user that is not in the dump, or one user twice"
                return lost.append(MigrationLoss(from, "application", to, because: rule))
            }
            waiting.append(
                WaitingApplication(
                    applicant: applicant, asked: asked,
                    timeMs: document.milliseconds("create_time"),
                    textBytes: Int32(document.text("req_msg").utf8.count), extent: extent))
        }
        losses += lost
        return waiting
    }

    package var count: Int { ids.count }

    package var unread: UnreadKinds { UnreadKinds(dump.blacks == nil ? ["blacklist"] : []) }

    package func read(_ numbers: Range<Int>) throws -> MigratedUsers {
        var users = MigratedUsers()
        for number in numbers {
            var user = try account(number)
            for entry in friends.range(of: UInt32(number), \.owner) {
                try addFriend(dump.friends.document(at: entry.extent), to: &user)
            }
            for entry in blacks.range(of: UInt32(number), \.owner) {
                guard let document = try dump.blacks?.document(at: entry.extent) else { continue }
                var row = BlacklistEntry()
                row.userID = document.text("block_user_id")
                row.addTimeMs = Self.time(of: document, "blacklist", row.userID, &user)
                user.blacklist.append(row)
            }
            for each in received.range(of: UInt32(number), \.asked) {
                user.applications.append(try application(each, .comeIn))
            }
            for each in sent.range(of: UInt32(number), \.applicant) {
                let application = try application(each, .sendOut)
                if let requests = dump.requests {
                    let document = try requests.document(at: each.extent)
                    _ = Self.time(of: document, "application", application.userID, &user)
                }
                if application.wording.utf8.count < Int(each.textBytes) {
                    user.addLoss(
                        "application", application.userID, field: "req_msg",
                        because: "has more than \(MigrationLimits.wordingBytes) bytes, and is cut")
                }
                user.applications.append(application)
            }
            users.add(&user)
        }
        return users
    }

    // MARK: Rows

    /// The time of a document; 0, and a loss, if it has none.
    private static func time(
        of document: DumpDocument, _ kind: String, _ other: String, _ user: inout MigratedUser
    ) -> Int64 {
        if let time = document.time("create_time") { return time }
        user.addLoss(
            kind, other, field: "create_time", because: "is missing, or not a time since 1970")
        return 0
    }

    private func account(_ number: Int) throws -> MigratedUser {
        let document = try dump.users.document(at: accounts[number])
        var user = MigratedUser(ids[number], createTimeMs: 0)
        user.createTimeMs = Self.time(of: document, "account", "", &user)
        var profile = Profile()
        profile.userID = ids[number]
        let bytes = Int(MigrationLimits.longTextBytes)
        profile.nick = user.fitting(document.text("nickname"), bytes, "profile", field: "nickname")
        profile.faceURL = user.fitting(
            document.text("face_url"), bytes, "profile", field: "face_url")
        let ex = user.fitting(document.text("ex"), bytes, "profile", field: "ex")
        if !ex.isEmpty, userKey.isEmpty {
            user.addLoss("profile", field: "ex", because: "has no custom field: see --user-ex")
        } else if !ex.isEmpty {
            profile.custom = [CustomValue(userKey, .text(ex))]
        }
        switch document.number("global_recv_msg_opt") {
        case 0: break
        case 1: profile.msgSettings = 1
        default:
            let rule = "is to receive without a push, which has no counterpart"
            user.addLoss("profile", field: "global_recv_msg_opt", because: rule)
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
        friend.addTimeMs = Self.time(of: document, "friend", friend.userID, &user)
        friend.pinOrder = document.isTrue("is_pinned") ? 1 : 0
        friend.source = Self.sources[document.number("add_source")] ?? ""
        let ex = user.fitting(
            document.text("ex"), Int(MigrationLimits.longTextBytes), "friend", friend.userID,
            field: "ex")
        if !ex.isEmpty, friendKey.isEmpty {
            let rule = "has no custom field: see --friend-ex"
            user.addLoss("friend", friend.userID, field: "ex", because: rule)
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
        _ waiting: WaitingApplication, _ type: PendencyType
    ) throws -> FriendApplication {
        let text = try dump.requests?.document(at: waiting.extent).text("req_msg") ?? ""
        return waiting.side(type, of: ids, wording: text)
    }
}
