import Protobuf
import RelationModel
import Storage

/// Reads the rows, the settings and the numbers behind the rungs of a ladder.
///
/// The rule has decided without them. They are of the moment of the same transaction, and tell an
/// administrator where a rung comes from.
struct RungRows {
    let caller: UserID
    /// Nil for a malformed id.
    let peer: UserID?
    /// The app as `transaction` has it.
    let app: App
    let appVersion: Int64
    let now: Timestamp
    let transaction: any ReadTransaction
    /// The rows that AddFriends would make, or at which CheckFriends looks.
    var addType = AddType.both
    /// The question about which a hook of the app may be asked.
    var question = HookQuestion.unspecified
    /// The invitation that would be used.
    var invitation: InvitationID?
    /// The peer's profile, of whose fields the caller may see some.
    var profile: ProfileRecord?
    /// The path of the field that is explained, and whether it has a value.
    var field = ""
    var hasValue = false
    /// The event that is explained, in the peer's log.
    var sequence: Int64 = 0
    var eventKind = ChangeKind.unspecified

    /// - Parameter app: It counts if the store has no record of the app.
    init(
        of caller: UserID, and peer: UserID?, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) {
        let record = try Tables.apps.record(
            App.registry.partition, AppNumber(app.id), in: transaction)
        self.app = record.map { App(id: app.id, settings: $0.effectiveSettings) } ?? app
        appVersion = record?.version ?? 0
        self.caller = caller
        self.peer = peer
        self.now = now
        self.transaction = transaction
    }

    /// A ledger for a rule that only explains itself.
    var ledger: Ledger {
        Ledger(
            app: app, now: now, origin: Origin(user: caller),
            transaction: UnwrittenTransaction(transaction))
    }

    /// The hook that is asked before the call; nil if there is none.
    var hook: HookRecord? {
        app.settings.hooks.first { !$0.isPaused && $0.asks.contains(question) }
    }

    func explanation<Answer: Sendable>(
        of answer: Answer, by ladder: NotedRungs
    ) throws(StorageError) -> Explanation<Answer> {
        let rungs = try ladder.rungs.map { (noted) throws(StorageError) in
            var rung = ExplainedRung(noted.kind, decided: noted.decided)
            try addFacts(to: &rung)
            return rung
        }
        return Explanation(answer: answer, rungs: rungs, appVersion: appVersion)
    }

    private func addFacts(to rung: inout ExplainedRung) throws(StorageError) {
        switch rung.kind {
        case .ownAccount:
            rung.setting = accountSetting
            rung.rows = [try record(of: caller)]
        case .ownSuspension: try addSuspension(of: caller, to: &rung)
        case .hook:
            rung.hookID = hook?.id ?? ""
            rung.value = (hook?.silence).map { $0 == .unspecified ? .allow : $0 }?.name ?? ""
        case .addForbidden:
            let profile = try profile(of: caller)
            rung.value = profile.record?.adminForbidType?.name ?? ""
            rung.rows = [profile.row]
        case .quarantine:
            let row = try record(of: caller)
            let quarantineMs = app.settings.newAccountQuarantineMs
            let ageMs = quarantineMs > 0 ? now.milliseconds - row.addTimeMs : 0
            rung.addLimit("new_account_quarantine_ms", ageMs, of: quarantineMs)
            rung.rows = [row]
        case .applicationsSent:
            let count = try userRecord(of: caller)?.applicationsSent(at: now, app.settings) ?? 0
            rung.addLimit("applications_per_day", Int64(count), of: app.settings.applicationsPerDay)
            rung.rows = [try self.record(of: caller)]
        default:
            // Without a peer an invitation has no inviter, and so no row.
            guard let peer else { return }
            try addFacts(about: peer, to: &rung)
        }
    }

    private func addFacts(
        about peer: UserID, to rung: inout ExplainedRung
    ) throws(StorageError) {
        switch rung.kind {
        case .peerAccount:
            rung.setting = accountSetting
            rung.rows = [try record(of: peer)]
        case .peerSuspension, .inviterSuspension: try addSuspension(of: peer, to: &rung)
        case .invitation, .invitationTime, .invitationUses:
            try addInvitation(of: peer, to: &rung)
        case .ownBlacklist: rung.rows = [try block(of: peer, by: caller)]
        case .peerBlacklist: rung.rows = [try block(of: caller, by: peer)]
        case .friendshipRequired:
            rung.setting = ("checks_friendship_on_send", app.settings.checksFriendshipOnSend)
        case .friendship:
            rung.rows = [try friend(peer, of: caller)]
            if addType == .both { rung.rows.append(try friend(caller, of: peer)) }
        case .missingRow:
            rung.rows = [try friend(peer, of: caller)]
            if addType == .both { rung.rows.append(try friend(caller, of: peer)) }
        case .peerMarks: rung.rows = [try friend(caller, of: peer, telling: true)]
        case .peerApplication, .waitingApplication, .meantApplication:
            rung.rows = [try application(of: peer)]
        case .peerAllowType: try addAllowType(of: peer, to: &rung)
        case .cooldown:
            let cooldownMs = app.settings.applicationCooldownMs
            rung.setting = ("application_cooldown_ms", cooldownMs > 0)
            rung.rows = [try refusal(by: peer, since: now.milliseconds - cooldownMs)]
        case .applicationsReceived:
            let count = try userRecord(of: peer)?.applicationsReceived(at: now, app.settings) ?? 0
            rung.addLimit(
                "applications_received_per_day", Int64(count),
                of: app.settings.applicationsReceivedPerDay)
            rung.rows = [try self.record(of: peer)]
        case .missingFollow: rung.rows = [try follow(of: peer, by: caller)]
        case .fieldChoice, .fieldDefault, .profileAudience, .fieldReview, .fieldValue,
            .loggedEvent, .eventKind, .eventReceiver:
            try addFieldFacts(about: peer, to: &rung)
        default: try addRoom(besides: peer, to: &rung)
        }
    }

    /// Adds the invitation that would be used.
    private func addInvitation(
        of inviter: UserID, to rung: inout ExplainedRung
    ) throws(StorageError) {
        guard let invitation else { return }
        let row = try Tables.invitations.record(
            app.partition(of: inviter), invitation, in: transaction)
        rung.value = row?.state.name ?? ""
        if rung.kind == .invitationUses, let row {
            rung.bound = (Int64(row.useCount), Int64(row.maxUses))
        }
        rung.rows = [
            ExplainedRow(
                owner: inviter, other: nil, isPresent: row != nil,
                sequence: try userRecord(of: inviter)?.invitationsSequence ?? 0,
                addTimeMs: row?.createTimeMs ?? 0, endTimeMs: row?.expireTimeMs ?? 0)
        ]
    }

    /// Adds how full a list is.
    private func addRoom(
        besides peer: UserID, to rung: inout ExplainedRung
    ) throws(StorageError) {
        let limits = app.settings.limits
        switch rung.kind {
        case .ownApplicationRoom:
            let count = try applications(sentBy: caller)
            rung.addLimit("limits.pendencies", count, of: limits.pendencies)
        case .peerApplicationRoom:
            let count = try applications(waitingFor: peer)
            rung.addLimit("limits.pendencies", count, of: limits.pendencies)
        case .ownFriendRoom, .peerFriendRoom:
            let owner = rung.kind == .ownFriendRoom ? caller : peer
            let count = try userRecord(of: owner)?.friendCount ?? 0
            rung.addLimit("limits.friends", Int64(count), of: limits.friends)
        case .ownBlacklistRoom:
            let count = try userRecord(of: caller)?.blacklistCount ?? 0
            rung.addLimit("limits.blacklisted_users", Int64(count), of: limits.blacklistedUsers)
        case .ownFollowingRoom:
            let count = try userRecord(of: caller)?.followingCount ?? 0
            rung.addLimit("limits.followings", Int64(count), of: limits.followings)
        case .peerFollowerRoom:
            let count = try follows(of: peer).followers
            rung.addLimit("limits.followers", count, of: limits.followers)
        case .ownMutualRoom:
            let count = try follows(of: caller).mutual
            rung.addLimit("limits.mutual_follows", count, of: limits.mutualFollows)
            rung.rows = [try follow(of: caller, by: peer)]
        case .peerMutualRoom:
            let count = try follows(of: peer).mutual
            rung.addLimit("limits.mutual_follows", count, of: limits.mutualFollows)
        default: return
        }
        let own: [RungKind] = [
            .ownApplicationRoom, .ownFriendRoom, .ownFollowingRoom, .ownMutualRoom,
            .ownBlacklistRoom,
        ]
        rung.rows.append(try record(of: own.contains(rung.kind) ? caller : peer))
    }
}

extension ExplainedRung {
    /// Takes a number and the setting that bounds it.
    fileprivate mutating func addLimit(
        _ setting: String, _ count: Int64, of limit: some BinaryInteger
    ) {
        self.setting = (setting, limit > 0)
        bound = (count, Int64(clamping: limit))
    }
}
