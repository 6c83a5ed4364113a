import Memory
import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Synchronization
import Testing

@testable import GRPC
@testable import RelationCalls
@testable import RelationRuntime
@testable import RelationService

/// The streams of one server's exports, at the time of their world.
struct Exports {
    let harness: ServiceHarness
    let points: ExportPoints
    private let watch = Watch()

    private final class Watch: Sendable {
        let milliseconds = Atomic<Int64>(World.start)
    }

    /// - Parameter mostSnapshots: How many snapshots the store may have; nil if it has no bound.
    init(harness: ServiceHarness, mostSnapshots: Int? = nil) {
        self.harness = harness
        points = ExportPoints(of: harness.world.store, mostSnapshots: mostSnapshots)
    }

    /// Tells the streams the present time.
    func tick() {
        watch.milliseconds.store(harness.world.now.milliseconds, ordering: .relaxed)
    }

    /// A stream that begins an export, or continues behind `token`.
    ///
    /// - Parameter app: Another app than the world's.
    func stream(
        _ token: String = "", of app: App? = nil, isOperator: Bool = false,
        withSecrets: Bool = false
    ) throws -> ExportSource {
        var request = ExportAppRequest()
        request.includeSecrets = withSecrets
        request.resumeToken = token
        var violations = Violations()
        let call = call(of: app, isOperator, &violations)
        tick()
        let clock = ServiceClock { [watch] in
            Timestamp(milliseconds: watch.milliseconds.load(ordering: .relaxed))
        }
        let source = try ExportHandlers.source(
            request, call, .any, &violations, points, clock)
        guard let source else { throw violations.error }
        return source
    }

    /// A check that begins and repairs nothing.
    func check() throws -> IntegritySource {
        var violations = Violations()
        let call = call(of: nil, false, &violations)
        return try IntegritySource(call, .any, nil, points)
    }

    private func call(of app: App?, _ isOperator: Bool, _ violations: inout Violations) -> Call {
        let known = harness.call(nil, &violations)
        var call = Call(
            app: app ?? known.app, user: known.user, isAdmin: true, now: known.now,
            arena: known.arena)
        call.isOperator = isOperator
        return call
    }
}

/// An export that continues while its app changes, with the rows that it must have.
final class ExportRun {
    private let exports: Exports
    private let wanted: [ExportAppResponse.Row]
    private let profiles: [UserID: ProfileRecord]
    /// The followers whose accounts were being deleted: an export has no rows of such an account.
    private let leaving: [(user: UserID, record: FollowRecord)]
    private var source: ExportSource
    private(set) var rows: [ExportAppResponse.Row] = []
    /// The rows so far that define the app; they are not among `rows`.
    private var definitions = 0

    init(of harness: ServiceHarness) throws {
        exports = Exports(harness: harness)
        wanted = try harness.dump()
        var profiles: [UserID: ProfileRecord] = [:]
        var leaving: [(user: UserID, record: FollowRecord)] = []
        for user in try harness.world.directory() {
            profiles[user] = try harness.world.profile(of: user)
            for row in try harness.world.rows(of: Tables.followsByTime, of: user)
            where row.key.list == .followers {
                guard try harness.world.userRecord(of: row.key.user) == nil else { continue }
                var record = FollowRecord()
                (record.userID, record.followTimeMs) = (row.key.user.text, row.key.timeMs)
                leaving.append((user, record))
            }
        }
        (self.profiles, self.leaving) = (profiles, leaving)
        source = try exports.stream()
    }

    deinit { exports.points.stop() }

    /// Takes about `limit` more rows.
    ///
    /// - Parameter breaks: Whether the stream then ends, and another continues behind its last
    ///   point.
    /// - Returns: Whether these were the last rows.
    func next(_ limit: Int, breaks: Bool) throws -> Bool {
        exports.tick()
        source.batchRows = limit
        let batch = try Arena.temporary { (arena) throws(RPCError) in try source.next(arena) }
        let sent = batch.messages.dropLast().compactMap(\.row)
        rows += sent.filter { !$0.isDefinition }
        definitions += sent.count(where: \.isDefinition)
        guard case .point(let point) = batch.messages.last?.row else {
            throw RPCError(.internalError, "a batch without a point")
        }
        try #require(point.rows == Int64(rows.count + definitions))
        try #require(point.complete == batch.isLast)
        if batch.isLast || breaks { source.close() }
        if batch.isLast { return true }
        if breaks { source = try exports.stream(point.resumeToken) }
        return false
    }

    /// The first difference between the exported rows and the rows at the beginning of the export.
    var difference: String? {
        guard rows != wanted else { return nil }
        for (row, wanted) in zip(rows, wanted) where row != wanted {
            return "exported \(row), should be \(wanted)"
        }
        return "exported \(rows.count) rows, should be \(wanted.count)"
    }

    /// The users, as a reader of nothing but the export knows them.
    var mirror: Mirror {
        var all: [UserID: Mirror.Lists] = [:]
        var followers = leaving
        for row in rows {
            switch row {
            case .account(let account):
                let user = UserID(stored: account.userID.utf8)
                var lists = Mirror.Lists()
                lists.sequence = account.sequence
                lists.profile = profiles[user] ?? ProfileRecord()
                if let settings = account.findSettings {
                    lists.findSettings = FindSettingsRecord(settings)
                }
                all[user] = lists
            case .friendEntry(let row):
                guard let friend = row.entry else { break }
                let record = FriendRecord(friend)
                all[UserID(stored: row.userID.utf8)]?
                    .friends[UserID(stored: friend.userID.utf8)] = record
            case .group(let row):
                all[UserID(stored: row.userID.utf8)]?
                    .groups.insert(Array((row.group?.name ?? "").utf8))
            case .application(let row):
                guard let application = row.application, application.status == .unhandled else {
                    break
                }
                let key = PendencyKey(
                    application.pendencyType, UserID(stored: application.userID.utf8))
                all[UserID(stored: row.userID.utf8)]?.pendencies[key] =
                    ChangedApplication(PendencyRecord(application), application.pendencyType)
            case .blacklistEntry(let row):
                guard let entry = row.entry else { break }
                var record = BlacklistRecord()
                record.userID = entry.userID
                record.addTimeMs = entry.addTimeMs
                all[UserID(stored: row.userID.utf8)]?
                    .blacklist[UserID(stored: entry.userID.utf8)] = record
            case .subscription(let row):
                guard let subscription = row.subscription else { break }
                let record = SubscriptionRecord(subscription)
                let key = SubscriptionKey(
                    record.subscribeType, UserID(stored: record.userID.utf8))
                all[UserID(stored: row.userID.utf8)]?.subscriptions[key] = record
            case .follow(let row):
                guard let entry = row.entry else { break }
                var record = FollowRecord()
                record.userID = entry.userID
                record.followTimeMs = entry.followTimeMs
                let followed = UserID(stored: entry.userID.utf8)
                all[UserID(stored: row.userID.utf8)]?.following[followed] = record
                record.userID = row.userID
                followers.append((followed, record))
            case .invitation(let row):
                guard let invitation = row.invitation,
                    let id = InvitationID(invitation.invitationID)
                else { break }
                all[UserID(stored: row.userID.utf8)]?.invitations[id] = InvitationRecord(invitation)
            case .status(let row):
                all[UserID(stored: row.userID.utf8)]?.status = StatusRecord(
                    row.text, until: row.expireTimeMs)
            case .dismissedSuggestion(let row):
                let entry = row.entry ?? DismissedSuggestion()
                let other = UserID(stored: entry.userID.utf8)
                all[UserID(stored: row.userID.utf8)]?.dismissals[other] =
                    DismissalRecord(other, at: entry.dismissTimeMs)
            case .suspension(let row):
                all[UserID(stored: row.userID.utf8)]?.suspension = SuspensionRecord(row)
            case .profile, .point, .consent, .invitationUse, .report, .contactDigests, .devices:
                break
            case .app, .bounds, .customField, .clientApp, .permission, .credential, .secret,
                .sessionEnd, .hook:
                break
            }
        }
        for (user, record) in followers {
            all[user]?.followers[UserID(stored: record.userID.utf8)] = record
        }
        return Mirror(all)
    }
}

extension ExportAppResponse.Row {
    /// Whether the row defines the app, and belongs to no user.
    var isDefinition: Bool {
        switch self {
        case .app, .bounds, .customField, .clientApp, .permission, .credential, .secret,
            .sessionEnd, .hook:
            true
        default: false
        }
    }
}

extension FriendRecord {
    fileprivate init(_ friend: Friend) {
        self.init()
        userID = friend.userID
        remark = friend.remark
        groups = friend.groups
        source = friend.source
        wording = friend.wording
        addTimeMs = friend.addTimeMs
        remarkTimeMs = friend.remarkTimeMs
        sequence = friend.sequence
        custom = friend.custom.asStored
        starred = friend.starred
        pinOrder = friend.pinOrder
        muteUntilMs = friend.muteUntilMs
        ignored = friend.ignored
    }
}

extension PendencyRecord {
    /// The fields that both sides of the application know.
    fileprivate init(_ application: FriendApplication) {
        self.init()
        userID = application.userID
        applicationID = application.applicationID
        timeMs = application.addTimeMs
        source = application.source
        wording = application.wording
    }
}

extension SuspensionRecord {
    /// Without the text for moderators, as events have it.
    fileprivate init(_ suspension: Suspension) {
        self.init()
        level = suspension.level
        startTimeMs = suspension.startTimeMs
        endTimeMs = suspension.endTimeMs
    }
}

extension InvitationRecord {
    fileprivate init(_ invitation: Invitation) {
        self.init()
        invitationID = invitation.invitationID
        maxUses = invitation.maxUses
        useCount = invitation.useCount
        text = invitation.text
        preApproved = invitation.preApproved
        createTimeMs = invitation.createTimeMs
        expireTimeMs = invitation.expireTimeMs
        // That it has expired follows from the time, and is not stored.
        guard invitation.state != .expired else { return }
        state = invitation.state
        endTimeMs = invitation.endTimeMs
    }
}

extension SubscriptionRecord {
    fileprivate init(_ subscription: Subscription) {
        self.init()
        userID = subscription.userID
        subscribeType = subscription.subscribeType
        subscribeTimeMs = subscription.subscribeTimeMs
        expireTimeMs = subscription.expireTimeMs
    }
}
