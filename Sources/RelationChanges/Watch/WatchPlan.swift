import GRPC
import Memory
import Protobuf
import RPC
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel
import Storage

/// The wishes of one stream of changes: the users and events that it follows, and how it wants them
/// sent.
///
/// It is a class, because the hub asks each stream's plan for each event. A structure of this size
/// would be copied each time.
final class WatchPlan: Sendable {
    /// The users whose events the stream gets.
    enum Scope: Sendable {
        case user(UserID)
        /// The users in ascending order, once each.
        case users([UserID])
        /// The events of all users; with a client app only the consents that users give to it.
        case app(ClientAppID?)
    }

    /// The caller of the stream.
    let caller: Caller
    let scope: Scope
    /// The kinds of events that the stream wants; an empty list means all.
    let kinds: [ChangeKind]
    /// The device that the stream is for: it does not get its own changes of subscriptions.
    let deviceID: String
    /// The time between heartbeats; 0 means that none are sent.
    let heartbeatMs: Int64
    /// The consumer that the stream is of, with its reader; nil for a stream of no consumer.
    let claim: ConsumerClaim?
    /// Whether custom fields that only administrators read are sent.
    let isAdmin: Bool
    /// A bit for each kind of event that the stream gets; see ``wants(_:)``.
    private let wanted: UInt64
    /// Whether the stream reads each event of a kind that it wants, and not only its kind.
    let readsItems: Bool

    init(
        _ caller: Caller, scope: Scope, kinds: [ChangeKind], deviceID: String, heartbeatMs: Int64,
        claim: ConsumerClaim? = nil
    ) {
        self.caller = caller
        self.scope = scope
        self.kinds = kinds
        self.deviceID = deviceID
        self.heartbeatMs = heartbeatMs
        self.claim = claim
        isAdmin = caller.isAdmin
        var wanted: UInt64 = 0
        for bit in 0..<UInt64.bitWidth {
            let kind = ChangeKind(rawValue: Int32(bit))
            if Self.wants(kind, scope, kinds) { wanted |= 1 << UInt64(bit) }
        }
        self.wanted = wanted
        readsItems =
            switch scope {
            case .user: !deviceID.isEmpty
            case .users: false
            case .app(let clientApp): clientApp != nil
            }
    }

    var app: App { caller.app }

    /// The users that the stream names.
    var users: [UserID] {
        switch scope {
        case .user(let user): [user]
        case .users(let users): users
        case .app: []
        }
    }

    /// Whether each message must name its receivers.
    var namesReceivers: Bool {
        if case .users = scope { true } else { false }
    }

    /// Whether the stream may get an event of that kind.
    func wants(_ kind: ChangeKind) -> Bool {
        let bit = UInt64(truncatingIfNeeded: kind.rawValue)
        // A kind that a later server has written may have any number.
        guard bit < UInt64(UInt64.bitWidth) else { return Self.wants(kind, scope, kinds) }
        return wanted & 1 << bit != 0
    }

    private static func wants(_ kind: ChangeKind, _ scope: Scope, _ kinds: [ChangeKind]) -> Bool {
        if case .app(.some) = scope, kind != .consentChanged { return false }
        if case .app = scope {
            return kinds.isEmpty || kinds.contains(kind)
        }
        var isOfSeveral = true
        if case .user = scope { isOfSeveral = false }
        guard WatchedEvents.reachOwner(kind, followedWithOthers: isOfSeveral) else { return false }
        return kinds.isEmpty || kinds.contains(kind)
    }

    /// Whether the stream wants a part of the present state: a part that its kinds of events
    /// change.
    func wants(_ type: SyncType) -> Bool {
        switch (type, scope) {
        case (.accounts, .app(.some)), (.presence, .app): false
        // The accounts come before everything else, because they hold each user's sequence.
        case (.accounts, _): true
        default: type.kinds.contains { wants($0) }
        }
    }
}

extension SyncType {
    /// All parts, in the order in which they are sent.
    static let all: [SyncType] = [
        .accounts, .profiles, .friends, .groups, .pendencies, .blacklist, .subscriptions,
        .consents, .following, .invitations, .dismissals, .presence,
    ]

    /// The kinds of events that change this part.
    fileprivate var kinds: [ChangeKind] {
        switch self {
        case .profiles: [.profileChange, .visibilityChanged]
        case .friends: [.addFriend, .deleteFriend, .friendChange, .listChanged]
        case .groups: [.groupCreated, .groupDeleted, .groupRenamed, .groupMembersChanged]
        case .pendencies: [.addFriendRequest, .deleteFriendRequest, .pendencyReport]
        case .blacklist: [.addBlacklist, .deleteBlacklist]
        case .subscriptions: [.subscriptionChanged, .subscriptionExpired]
        case .consents: [.consentChanged]
        case .following: [.followingChanged]
        case .invitations: [.invitationChanged]
        case .dismissals: [.dismissalsChanged]
        case .presence: [.presence]
        default: []
        }
    }
}

/// The position from which a stream begins.
struct WatchStart: Sendable {
    /// The position that its token names; nil for the present state.
    let position: Int64?
    let least: LeastSequence
}

extension WatchPlan {
    /// Reads the plan of `request`, and adds a violation for each of its errors.
    static func read(
        _ request: WatchRequest, _ caller: Caller, _ authenticator: Authenticator,
        at now: Timestamp,
        _ arena: Arena
    ) throws(RPCError) -> (WatchPlan, WatchStart) {
        var violations = Violations()
        let scope = scope(request, caller, at: now, arena, &violations)
        for kind in request.kinds { violations.known(kind, "kinds") }
        if request.kinds.count > Limits.watchKinds {
            violations.count(request.kinds.count, "kinds", 0...Limits.watchKinds)
        }
        if request.kinds.contains(.unspecified) { violations.add("kinds", "0 is not a kind") }
        violations.length(request.deviceID, "device_id", atMost: Limits.deviceIDBytes)
        let heartbeats = Limits.watchHeartbeatMs
        if request.heartbeatMs != 0, !heartbeats.contains(request.heartbeatMs) {
            violations.add(
                "heartbeat_ms",
                "must be 0, or \(heartbeats.lowerBound) to \(heartbeats.upperBound)")
        }
        var position: Int64?
        if !request.resumeToken.isEmpty {
            position = ResumeToken.position(request.resumeToken, of: caller.app)
            if position == nil {
                violations.add(
                    "resume_token", "is not a token of a stream of this app",
                    reason: .invalidResumeToken)
            }
        }
        let claim = claim(request, caller, &violations)
        var actor = UserID.administrator
        if case .user(let user) = scope { actor = user }
        let least = LeastSequence(request.options, of: actor, &violations)
        guard violations.isEmpty else { throw violations.error }
        let plan = WatchPlan(
            caller, scope: scope, kinds: request.kinds, deviceID: request.deviceID,
            heartbeatMs: request.heartbeatMs, claim: claim)
        return (plan, WatchStart(position: position, least: least))
    }

    private static func claim(
        _ request: WatchRequest, _ caller: Caller, _ violations: inout Violations
    ) -> ConsumerClaim? {
        guard let reader = request.consumer else { return nil }
        if caller.user != nil { violations.refuse(.forServices) }
        return violations.claim(
            reader.consumer, "consumer.consumer", reader.reader, "consumer.reader")
    }

    private static func scope(
        _ request: WatchRequest, _ caller: Caller, at now: Timestamp, _ arena: Arena,
        _ violations: inout Violations
    ) -> Scope {
        var isOfApp = false
        if case .app(let app) = request.scope {
            isOfApp = true
            if !app { violations.add("app", "must be true if it is given") }
        }
        if !request.clientAppID.isEmpty, !isOfApp {
            violations.add(
                "client_app_id", "may be given only for a stream of the app: `app` is not set")
        }
        switch request.scope {
        case nil: return .user(caller.rights.call(as: "", at: now, arena, &violations).user)
        case .userID(let user):
            return .user(caller.rights.call(as: user, at: now, arena, &violations).user)
        case .app, .userIDs: break
        }
        if let own = caller.user { violations.refuse(.onlyOwnChanges(of: own)) }
        if case .userIDs(let list) = request.scope {
            violations.count(list.values.count, "user_ids", 1...Limits.watchUsers)
            var users: Set<UserID> = []
            for (index, text) in list.values.prefix(Limits.watchUsers).enumerated() {
                if let user = violations.user(text, "user_ids.values[\(index)]") {
                    users.insert(user)
                }
            }
            return .users(users.sorted())
        }
        guard !request.clientAppID.isEmpty else { return .app(nil) }
        let clientApp = ClientAppID(request.clientAppID)
        if clientApp == nil {
            violations.add(
                "client_app_id",
                "must be 1 to \(Limits.clientAppIDBytes) letters, digits and characters of _-.")
        }
        return .app(clientApp)
    }
}

extension RPCError {
    fileprivate static func onlyOwnChanges(of user: UserID) -> RPCError {
        RPCError(
            .permissionDenied, .foreignUser,
            "user_ids, app: the credential of \"\(user)\" may follow only that user's changes",
            metadata: ["code": "\(FriendStatus.adminRequired.rawValue)"])
    }
}
