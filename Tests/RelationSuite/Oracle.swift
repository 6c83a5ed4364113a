package import RelationCore
package import RelationModel

/// The rules of friendships over plain sets, as their description gives them.
///
/// An oracle knows nothing of keys, counters, sequences or events. It holds what a user sees: rows,
/// applications, blacklists and groups.
package struct Oracle {
    /// A code and, where codes are shared, the reason.
    package struct Answer: Equatable, Sendable, CustomStringConvertible {
        package let code: Int32
        package let reason: String

        package init(_ code: Int32, _ reason: String = "") {
            self.code = code
            self.reason = reason
        }

        package var description: String { reason.isEmpty ? "\(code)" : "\(code) \(reason)" }
    }

    package struct Pair: Hashable, Comparable, CustomStringConvertible {
        package let from: UserID
        package let to: UserID

        package init(_ from: UserID, _ to: UserID) {
            self.from = from
            self.to = to
        }

        package var description: String { "\(from)→\(to)" }

        package static func < (one: Pair, other: Pair) -> Bool {
            (one.from, one.to) < (other.from, other.to)
        }
    }

    package struct Row: Equatable {
        package var remark = ""
        package var groups: [String] = []
        package var source = ""
        package var wording = ""
        package var marks = RowMarks()

        package init() {}
    }

    package struct Application: Equatable {
        package var remark = ""
        package var groups: [String] = []
        package var source = ""
        package var wording = ""

        package init() {}
    }

    /// The state as users see it, by which an oracle and a store are compared.
    package struct View: Equatable {
        package var rows: [Pair: Row] = [:]
        package var applications: [Pair: Application] = [:]
        package var blacklist: Set<Pair> = []
        package var groups: [UserID: [String]] = [:]
        /// The ends of one user's subscriptions to another.
        package var subscriptions: [Pair: [SubscribeType: Int64]] = [:]
        package var follows: Set<Pair> = []
        package var dismissals: Set<Pair> = []
        package var statuses: [UserID: StatusRecord] = [:]
        /// The invitations of each user that has some, by their ids.
        package var invitations: [UserID: [String: InvitationRecord]] = [:]
        /// Those included that have ended.
        package var suspensions: [UserID: SuspensionRecord] = [:]
        /// How often a user has reported another one.
        package var reports: [Pair: Int32] = [:]
        package var closedReports: Set<Pair> = []
        /// The users to whom each user shows its mail address, if it has chosen them.
        package var mailLevels: [UserID: Visibility] = [:]
        package var nicks: [UserID: String] = [:]
        /// The choices of each user about who finds it.
        package var findChoices: [UserID: FindSettingsRecord] = [:]
        /// The numbers of each user's digests.
        package var contacts: [UserID: [ContactKind: Set<Int>]] = [:]
        /// The reviewed texts of profiles by their paths, as others see them.
        package var texts: [UserID: [String: String]] = [:]
        package var reviews: [UserID: [String: Review]] = [:]
        /// The moments before which the signatures of users are refused.
        package var sessionEnds: [UserID: Int64] = [:]
        /// The moment before which those of all users are.
        package var sessionFloorMs: Int64 = 0
        /// The remarks under review.
        package var remarkReviews: [Pair: Review] = [:]
        /// The users to whom each user shows its profile as a whole, if it has chosen them.
        package var profileLevels: [UserID: Visibility] = [:]
        /// When each user was last seen, as far as that was noted.
        package var lastSeen: [UserID: Int64] = [:]
        /// When each device of a user was, likewise.
        package var seenDevices: [UserID: [String: Int64]] = [:]

        package init() {}
    }

    package var view = View()
    package var accounts: Set<UserID> = []
    package var allowTypes: [UserID: AllowType] = [:]
    package var mayNotSend: Set<UserID> = []
    /// How often each line of the table of AddFriends gave the answer.
    package var linesSeen: [Int: Int] = [:]
    /// The users that have used each invitation.
    var invitationUsers: [String: Set<UserID>] = [:]
    /// The marked applications, in their order.
    package var risks: [Risk] = []
    /// How many applications of each user were refused.
    var refused: [UserID: (day: Int64, count: Int)] = [:]
    private(set) var sent: [UserID: (window: Int64, count: Int)] = [:]
    private var received: [UserID: (window: Int64, count: Int)] = [:]
    /// When the second user last refused an application of the first one.
    private(set) var refusals: [Pair: Int64] = [:]
    /// The groups to whose members each user shows its mail address.
    var mailGroups: [UserID: Set<String>] = [:]
    /// The users of the ends of sessions, that of the oldest one first.
    var sessionOrder: [UserID] = []
    /// The digests for which each user has asked.
    var contactsAsked: [UserID: (window: Int64, count: Int)] = [:]
    /// The reports that each user has made.
    var reportsMade: [UserID: (window: Int64, count: Int)] = [:]
    /// The history of the app, and the times of the present rows.
    var past = Past()
    let limits: AppLimits
    let reviewsRemarks: Bool
    let marksRisks: Bool
    let checksFriendshipOnSend: Bool
    let defaultVisibility: Visibility
    let applicationsPerDay: Int
    let windowMs: Int64
    private let applicationsReceivedPerDay: Int
    private let receivedWindowMs: Int64
    let contactsWindowMs: Int64
    let reportsWindowMs: Int64
    private let cooldownMs: Int64
    private let quarantineMs: Int64
    private let defaultAllowType: AllowType
    let keepsFriendships: Bool
    let keepsHistory: Bool
    private let words: [String]

    package init(_ accounts: [UserID], _ settings: AppSettings) {
        self.accounts = Set(accounts)
        limits = settings.limits
        reviewsRemarks = settings.reviewedFields.friends.contains("remark")
        marksRisks = settings.marksRisks
        checksFriendshipOnSend = settings.checksFriendshipOnSend
        defaultVisibility = settings.defaultVisibility
        applicationsPerDay = settings.applicationsPerDay
        windowMs = settings.applicationsWindowMs
        applicationsReceivedPerDay = settings.applicationsReceivedPerDay
        receivedWindowMs = settings.applicationsReceivedWindowMs
        contactsWindowMs = settings.contactLookupsWindowMs
        reportsWindowMs = settings.reportsWindowMs
        cooldownMs = settings.applicationCooldownMs
        quarantineMs = settings.newAccountQuarantineMs
        defaultAllowType = settings.defaultAllowType
        keepsFriendships = settings.keepsFriendshipOnBlacklist
        keepsHistory = settings.historyDays > 0
        words = settings.forbiddenWords
        for account in accounts {
            view.groups[account] = []
            view.findChoices[account] = UserRecord().findSettings
        }
    }

    // MARK: Questions

    private func friendCount(_ user: UserID) -> Int { view.rows.keys.count { $0.from == user } }
    func isFull(_ user: UserID) -> Bool { friendCount(user) >= limits.friends }

    func passesGroupLimit(_ names: [String], _ user: UserID) -> Bool {
        let groups = view.groups[user] ?? []
        let new = names.filter { !groups.contains($0) }
        return !new.isEmpty && groups.count + new.count > limits.groups
    }

    func isForbidden(_ texts: [String]) -> Bool {
        texts.contains { text in words.contains { text.lowercased().contains($0) } }
    }

    /// How many applications the user has sent in the window of that moment.
    func sentCount(_ user: UserID, _ nowMs: Int64) -> Int {
        sent[user].flatMap { $0.window == nowMs / windowMs ? $0.count : nil } ?? 0
    }

    private func receivedCount(_ user: UserID, _ nowMs: Int64) -> Int {
        received[user].flatMap { $0.window == nowMs / receivedWindowMs ? $0.count : nil } ?? 0
    }

    private func hasSentTooMany(_ user: UserID, _ nowMs: Int64) -> Bool {
        applicationsPerDay > 0 && sentCount(user, nowMs) >= applicationsPerDay
    }

    private func hasReceivedTooMany(_ user: UserID, _ nowMs: Int64) -> Bool {
        applicationsReceivedPerDay > 0 && receivedCount(user, nowMs) >= applicationsReceivedPerDay
    }

    /// Takes an application back that waited, and notes the refusal.
    mutating func refuse(_ pair: Pair, _ nowMs: Int64) {
        guard view.applications.removeValue(forKey: pair) != nil else { return }
        refusals[pair] = nowMs
        countRefusal(of: pair.from, nowMs)
    }

    /// The facts about `item` that the table asks for.
    package func facts(
        _ item: RelationStep.Item, by user: UserID, both: Bool, force: Bool, nowMs: Int64
    ) -> AddTable.Facts {
        let other = item.user
        var facts = AddTable.Facts()
        facts.isOneself = other == user
        facts.isKnown = accounts.contains(other)
        facts.mayNotSend = mayNotSend.contains(user)
        facts.isOnMyBlacklist = view.blacklist.contains(Pair(user, other))
        facts.isMeOnTheirs = view.blacklist.contains(Pair(other, user))
        facts.isMine = view.rows[Pair(user, other)] != nil
        facts.amITheirs = view.rows[Pair(other, user)] != nil
        facts.isBoth = both
        facts.hasForbiddenWord = isForbidden([item.remark, item.wording] + item.groups)
        facts.hasSentTooMany = hasSentTooMany(user, nowMs)
        facts.haveTheyReceivedTooMany = hasReceivedTooMany(other, nowMs)
        facts.haveTheyRefusedMe =
            refusals[Pair(user, other)].map { nowMs - $0 < cooldownMs } ?? false
        // Each account of an oracle is from the beginning.
        facts.isMyAccountTooNew = nowMs - World.start < quarantineMs
        facts.allows = allowTypes[other] ?? defaultAllowType
        facts.isForced = force
        facts.theyApplied = view.applications[Pair(other, user)] != nil
        facts.iApplied = view.applications[Pair(user, other)] != nil
        facts.isMyListFull = isFull(user)
        facts.isTheirListFull = isFull(other)
        facts.wouldPassGroupLimit = passesGroupLimit(item.groups, user)
        let (mine, theirs) = (
            view.applications.keys.count { $0.from == user },
            view.applications.keys.count { $0.to == other }
        )
        facts.isAPendencyListFull = max(mine, theirs) >= limits.pendencies
        return facts
    }

    // MARK: Changes

    package mutating func add(
        _ item: RelationStep.Item, to user: UserID, both: Bool, force: Bool, day: Int64,
        nowMs: Int64
    ) -> (line: Int, answer: Answer) {
        let other = item.user
        if other != user, accounts.contains(other), !force, isSuspended(other, nowMs) {
            return (0, Answer(30540, "Err_SNS_FriendAdd_Peer_Suspended"))
        }
        let facts = facts(item, by: user, both: both, force: force, nowMs: nowMs)
        let line = AddTable.line(for: facts)
        if line.number == 15 {
            var application = Application()
            application.remark = item.remark
            application.groups = item.groups
            application.source = item.source
            application.wording = item.wording
            view.applications[Pair(user, other)] = application
            if !facts.iApplied {
                sent[user] = (nowMs / windowMs, sentCount(user, nowMs) + 1)
                received[other] = (
                    nowMs / receivedWindowMs, receivedCount(other, nowMs) + 1
                )
                noteRisk(of: Pair(user, other), nowMs)
            }
        }
        guard line.number == 13 || line.number == 16 else { return (line.number, line.answer) }
        if facts.writesMine, !hasRoom(for: item.remark, Pair(user, other)) {
            return (0, Self.noRoomForRemark)
        }
        // B's application is read before the lists change.
        let theirs = view.applications[Pair(other, user)]
        if facts.writesMine {
            review(item.remark, Pair(user, other))
            write(Pair(user, other), item.row)
        }
        if facts.writesTheirs {
            var row = item.row
            row.remark = ""
            row.groups = []
            if let theirs { row = accepted(theirs, by: other) }
            review(row.remark, Pair(other, user))
            write(Pair(other, user), row)
        }
        endAnswered(byRowOf: user, for: other)
        return (line.number, line.answer)
    }

    package mutating func respond(
        _ item: RelationStep.Item, of user: UserID, _ type: FriendResponseType, _ nowMs: Int64
    ) -> Answer {
        let other = item.user
        guard accounts.contains(other) else { return Answer(30003) }
        guard let application = view.applications[Pair(other, user)] else { return Answer(30614) }
        guard item.meant != .another else { return Answer(30614) }
        guard type != .reject else {
            refuse(Pair(other, user), nowMs)
            return Answer(0)
        }
        if isForbidden([item.remark] + item.groups) { return Answer(30005) }
        let both = type == .agreeAndAdd
        let (mine, theirs) = (Pair(user, other), Pair(other, user))
        if both, view.rows[mine] == nil, isFull(user) { return Answer(30010) }
        if view.rows[theirs] == nil, isFull(other) { return Answer(30014) }
        if both, view.rows[mine] == nil, !hasRoom(for: item.remark, mine) {
            return Self.noRoomForRemark
        }
        if view.rows[theirs] == nil {
            review(application.remark, theirs)
            write(theirs, accepted(application, by: other))
        }
        if both, view.rows[mine] == nil {
            review(item.remark, mine)
            var row = Row()
            row.remark = item.remark
            row.groups = passesGroupLimit(item.groups, user) ? [] : item.groups
            row.source = application.source
            row.wording = application.wording
            write(mine, row)
        }
        endAnswered(byRowOf: other, for: user)
        return Answer(0)
    }

    package mutating func delete(_ other: UserID, from user: UserID, both: Bool) -> Answer {
        guard accounts.contains(other) else { return Answer(30003) }
        let mine = view.rows.removeValue(forKey: Pair(user, other)) != nil
        let theirs = both && view.rows.removeValue(forKey: Pair(other, user)) != nil
        endReviewsOfMissingRows()
        return Answer(mine || theirs ? 0 : 31704)
    }

    /// - Parameters:
    ///   - remark: Nil leaves the remark.
    ///   - groups: Nil leaves the groups.
    package mutating func update(
        _ other: UserID, of user: UserID, remark: String?, groups: [String]?
    ) -> Answer {
        guard accounts.contains(other) else { return Answer(30003) }
        guard var row = view.rows[Pair(user, other)] else {
            return Answer(30001, "Err_SNS_FriendUpdate_Friend_Not_Exist")
        }
        if isForbidden([remark ?? ""] + (groups ?? [])) { return Answer(30005) }
        if passesGroupLimit(groups ?? [], user) { return Answer(30011) }
        guard hasRoom(for: remark, Pair(user, other)) else { return Self.noRoomForRemark }
        review(remark, Pair(user, other))
        row.remark = remark ?? row.remark
        row.groups = groups ?? row.groups
        write(Pair(user, other), row)
        return Answer(0)
    }

    package mutating func mark(
        _ other: UserID, of user: UserID, _ marks: RowMarks
    ) -> Answer {
        guard accounts.contains(other) else { return Answer(30003) }
        guard view.rows[Pair(user, other)] != nil else {
            return Answer(30001, "Err_SNS_FriendUpdate_Friend_Not_Exist")
        }
        view.rows[Pair(user, other)]?.marks = marks
        return Answer(0)
    }

    package mutating func block(_ other: UserID, by user: UserID, _ nowMs: Int64) -> Answer {
        if other == user { return Answer(30001, "Err_SNS_BlackListAdd_Self") }
        guard accounts.contains(other) else { return Answer(30003) }
        if view.blacklist.contains(Pair(user, other)) { return Answer(31307) }
        if view.blacklist.count(where: { $0.from == user }) >= limits.blacklistedUsers {
            return Answer(30013)
        }
        refuse(Pair(other, user), nowMs)
        for pair in [Pair(user, other), Pair(other, user)] {
            if !keepsFriendships { view.rows[pair] = nil }
            view.applications[pair] = nil
            view.follows.remove(pair)
        }
        endReviewsOfMissingRows()
        view.blacklist.insert(Pair(user, other))
        return Answer(0)
    }

    package mutating func unblock(_ other: UserID, by user: UserID) -> Answer {
        guard accounts.contains(other) else { return Answer(30003) }
        return Answer(view.blacklist.remove(Pair(user, other)) == nil ? 31503 : 0)
    }

    package mutating func importRow(
        _ other: UserID, of user: UserID, bothWays: Bool, remark: String?, groups: [String]?,
        source: String?, wording: String?, marks: FriendValues = FriendValues()
    ) -> Answer {
        if other == user { return Answer(30001, "Err_SNS_FriendImport_Self") }
        guard accounts.contains(user), accounts.contains(other) else { return Answer(30003) }
        if isForbidden([remark ?? "", wording ?? ""] + (groups ?? [])) { return Answer(30005) }
        let (mine, theirs) = (Pair(user, other), Pair(other, user))
        if view.rows[mine] == nil, isFull(user) { return Answer(30010) }
        if bothWays, view.rows[theirs] == nil, isFull(other) { return Answer(30014) }
        if passesGroupLimit(groups ?? [], user) { return Answer(30011) }
        for pair in bothWays ? [mine, theirs] : [mine] {
            let isNew = view.rows[pair] == nil
            var row = view.rows[pair] ?? Row()
            if pair == mine {
                review(remark, pair, isReviewed: false)
                row.remark = remark ?? row.remark
                row.groups = groups ?? row.groups
                row.marks.apply(marks)
            }
            row.source = source ?? row.source
            row.wording = wording ?? row.wording
            write(pair, row)
            if isNew { endAnswered(byRowOf: pair.from, for: pair.to) }
        }
        return Answer(0)
    }

    // MARK: Rows

    /// The row for which an application asked; a group for which its owner has no room is left out.
    private func accepted(_ application: Application, by owner: UserID) -> Row {
        var row = Row()
        row.remark = application.remark
        row.source = application.source
        row.wording = application.wording
        let groups = application.groups
        row.groups = passesGroupLimit(groups, owner) ? [] : groups
        return row
    }

    /// Ends the applications that a new row answers: a user that has gained a friend no longer asks
    /// for it, and two mutual friends ask for nothing.
    mutating func endAnswered(byRowOf owner: UserID, for friend: UserID) {
        view.applications[Pair(owner, friend)] = nil
        if view.rows[Pair(friend, owner)] != nil { view.applications[Pair(friend, owner)] = nil }
    }

    mutating func write(_ pair: Pair, _ row: Row) {
        view.rows[pair] = row
        for name in row.groups where !(view.groups[pair.from] ?? []).contains(name) {
            view.groups[pair.from, default: []].append(name)
        }
    }
}
