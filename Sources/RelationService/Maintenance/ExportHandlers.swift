import GRPC
import Memory
import Protobuf
import RPC
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime
import Support

/// The calls ExportApp and ExportUser.
enum ExportHandlers {
    static func register(in router: Router) {
        let (clock, points) = (router.clock, router.exports)
        router.batches(MaintenanceMethods.exportApp) {
            (request, call, least, violations) throws(RPCError) in
            try source(request, call, least, &violations, points, clock)
        }
        router.batches(MaintenanceMethods.exportUser) {
            (request, call, least, violations) throws(RPCError) in
            try UserExportSource(request, call, least, &violations, points, clock)
        }
    }

    /// Returns the source of the rows that `request` asks for; nil if the request has an error.
    static func source(
        _ request: ExportAppRequest, _ call: Call, _ least: LeastSequence,
        _ violations: inout Violations, _ points: ExportPoints, _ clock: ServiceClock
    ) throws(RPCError) -> ExportSource? {
        var token: ExportToken?
        if !request.resumeToken.isEmpty {
            token = ExportToken(request.resumeToken, of: call.app)
            if token == nil {
                violations.add(
                    "resume_token", "is not a token of an export of this app",
                    reason: .invalidResumeToken)
            }
        }
        if request.includeSecrets, !call.isOperator { violations.refuse(.missing(.operator)) }
        guard violations.isEmpty else { return nil }
        let point =
            if let token {
                try points.resume(token.point, call.app, at: call.now)
            } else {
                try points.begin(call)
            }
        let source = ExportSource(points, point, call.app, token, least, clock)
        source.hasSecrets = request.includeSecrets
        return source
    }
}

/// One stream of an export.
///
/// `@unchecked Sendable`: batches come one after another, in an order that the queues keep. Only
/// ``close()`` may come at the same time, and it touches only state that a lock guards.
final class ExportSource: BatchSource, @unchecked Sendable {
    private let points: ExportPoints
    private let point: ExportPoints.Point
    private let app: App
    private let clock: ServiceClock
    private var least: LeastSequence?
    private var token: ExportToken
    /// About the number of rows that it sends at a time.
    var batchRows = Limits.exportRows
    /// Whether the rows of credentials have what opens them.
    fileprivate var hasSecrets = false
    private var areDefinitionsSent = false

    fileprivate init(
        _ points: ExportPoints, _ point: ExportPoints.Point, _ app: App, _ token: ExportToken?,
        _ least: LeastSequence, _ clock: ServiceClock
    ) {
        self.points = points
        self.point = point
        self.app = app
        self.clock = clock
        self.least = least
        self.token = token ?? ExportToken(point: point.id)
    }

    func next(_ arena: Arena) throws(RPCError) -> (messages: [ExportAppResponse], isLast: Bool) {
        if let least {
            self.least = nil
            let isReached = try points.read(point, at: clock.now()) {
                (transaction) throws(StorageError) in
                try least.isReached(app, in: transaction)
            }
            guard isReached else { throw least.notIssued }
            guard try isOfSameApp() else { throw .pointGone }
            return ([message(isLast: false)], false)
        }
        // A token of rows that were sent stands after the definitions, which are the first.
        if token.rows == 0, !areDefinitionsSent {
            areDefinitionsSent = true
            return (try definitions() + [message(isLast: false)], false)
        }
        let batch = try points.read(point, at: clock.now()) {
            (transaction) throws(StorageError) in
            try AppExport.next(
                of: app, after: token.position, limit: batchRows, in: transaction)
        }
        token.position = batch.position
        token.rows += Int64(batch.rows.count)
        let texts = ExportedTexts(app.settings)
        let rows = batch.rows.map { ExportAppResponse($0, at: point.time, texts) }
        return (rows + [message(isLast: batch.isLast)], batch.isLast)
    }

    /// The rows that define the app; none for an app that the registry does not have.
    private func definitions() throws(RPCError) -> [ExportAppResponse] {
        let (app, hasSecrets) = (app, hasSecrets)
        let rows = try points.read(point, at: clock.now()) {
            (transaction) throws(StorageError) -> [ExportAppResponse] in
            guard let record = try AppRules.record(of: app.id, in: transaction) else { return [] }
            let credentials = try CredentialRules.list(of: app, in: transaction)
            return ExportAppResponse.definitions(
                of: app.id, record, credentials,
                try SessionRules.all(of: app, record.history, in: transaction),
                withSecrets: hasSecrets)
        }
        token.rows += Int64(rows.count)
        return rows
    }

    /// Whether the app of the snapshot is the present app, and not an earlier one with the same
    /// number.
    private func isOfSameApp() throws(RPCError) -> Bool {
        let body = { [app] (transaction: any ReadTransaction) throws(StorageError) -> Int64? in
            try AppRules.record(of: app.id, in: transaction)?.createdMs
        }
        let then = try points.read(point, at: clock.now(), body)
        return try points.readNow(body) == then
    }

    private func message(isLast: Bool) -> ExportAppResponse {
        var message = ExportPoint()
        message.resumeToken = token.text(of: app)
        message.timeMs = point.time.milliseconds
        message.rows = token.rows
        message.complete = isLast
        message.format = Limits.exportFormat
        return ExportAppResponse(.point(message))
    }

    func close() {
        points.end(point, at: clock.now())
    }
}

/// The point from which an export continues: its snapshot, and the last row that was sent.
struct ExportToken: Equatable {
    private static let version: UInt8 = 1

    let point: UInt64
    var rows: Int64 = 0
    var position: AppExport.Position?

    init(point: UInt64) {
        self.point = point
    }

    /// Reads `text`; nil if it is not a token of `app`.
    init?(_ text: String, of app: App) {
        guard text.utf8.count <= Limits.pageTokenBytes, let bytes = [UInt8](hexadecimal: text),
            bytes.count >= 26, bytes[0] == Self.version,
            bytes[1..<9] == Self.mark(of: app, bytes[9...])
        else { return nil }
        point = bytes[9..<17].reduce(0) { $0 << 8 | UInt64($1) }
        rows = Int64(bitPattern: bytes[17..<25].reduce(0) { $0 << 8 | UInt64($1) })
        let cursor = bytes[26...]
        let length = Int(bytes[25])
        guard length > 0 else { return }
        guard cursor.count > length,
            let user = UserID(String(decoding: cursor.prefix(length), as: UTF8.self))
        else { return nil }
        let section = cursor[cursor.startIndex + length]
        position = AppExport.Position(
            user: user, section: AppExport.Section(rawValue: section),
            rowKey: Array(cursor.dropFirst(length + 1)))
    }

    func text(of app: App) -> String {
        var cursor: [UInt8] = []
        cursor.append(bigEndian: point)
        cursor.append(bigEndian: UInt64(bitPattern: rows))
        let user = Array((position?.user.text ?? "").utf8)
        cursor.append(UInt8(user.count))
        cursor += user
        if let position { cursor += [position.section?.rawValue ?? 0] + position.rowKey }
        return String(hexadecimal: [Self.version] + Self.mark(of: app, cursor[...]) + cursor)
    }

    private static func mark(of app: App, _ cursor: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        Digest.of(Array("ExportApp \(app.id)".utf8) + [0] + cursor)[..<8]
    }
}

/// The custom fields whose values an export shows as texts, those of retired fields included.
struct ExportedTexts {
    let ofFriends: CustomTexts
    let ofProfiles: CustomTexts

    init(_ settings: AppSettings) {
        ofFriends = CustomTexts(of: .friend, settings, withRetired: true)
        ofProfiles = CustomTexts(of: .profile, settings, withRetired: true)
    }
}

extension ExportAppResponse {
    init(_ row: AppExport.Row, at moment: Timestamp, _ texts: ExportedTexts) {
        let user = row.user
        switch row.content {
        case .account(let head): self.init(.account(ExportedAccount(head, of: user)))
        case .profile(let record): self.init(.profile(ExportedProfile(record, of: user, texts)))
        case .friend(let record, let reviews):
            self.init(.friendEntry(ExportedFriend(record, reviews, of: user, texts)))
        case .group(let name, let record):
            self.init(.group(ExportedGroup(name, record, of: user)))
        case .pendency(let type, let record, let reviews):
            var application = ExportedApplication(
                record, type, .unhandled, record.timeMs, of: user, texts)
            let other = UserID(stored: record.userID.utf8)
            application.reviews = reviews.map { ProfileReview($0.attributed(to: user, other)) }
            self.init(application)
        case .handled(let key, let record):
            self.init(
                ExportedApplication(record, key.type, key.status, key.timeMs, of: user, texts))
        case .blacklisted(let record):
            self.init(.blacklistEntry(ExportedBlacklistEntry(record, of: user)))
        case .consent(let record):
            self.init(.consent(ExportedConsent(record, of: user, at: moment)))
        case .subscription(let record):
            self.init(.subscription(ExportedSubscription(record, of: user)))
        case .follow(let record): self.init(.follow(ExportedFollow(record, of: user)))
        case .invitation(let record):
            self.init(.invitation(ExportedInvitation(record, of: user, at: moment)))
        case .invitationUse(let use):
            self.init(.invitationUse(ExportedInvitationUse(use, of: user)))
        case .dismissal(let record):
            self.init(.dismissedSuggestion(ExportedDismissedSuggestion(record, of: user)))
        case .status(let record): self.init(.status(ExportedStatus(record, of: user)))
        case .suspension(let record): self.init(.suspension(Suspension(record, of: user)))
        case .report(let record): self.init(.report(UserReport(record)))
        case .contactDigests(let record):
            self.init(.contactDigests(ExportedContactDigests(record, of: user)))
        case .seenDevices(let record): self.init(.devices(ExportedDevices(record, of: user)))
        }
    }

    private init(_ application: ExportedApplication) {
        self.init(.application(application))
    }
}

extension ExportedAccount {
    fileprivate init(_ head: UserRecord, of user: UserID) {
        self.init()
        userID = user.text
        createTimeMs = head.createdMs
        sequence = head.sequence
        friendsSequence = head.friendsSequence
        pendenciesSequence = head.pendenciesSequence
        blacklistSequence = head.blacklistSequence
        groupsSequence = head.groupsSequence
        subscriptionsSequence = head.subscriptionsSequence
        consentsSequence = head.consentsSequence
        followingSequence = head.followingSequence
        followersSequence = head.followersSequence
        invitationsSequence = head.invitationsSequence
        dismissalsSequence = head.dismissalsSequence
        reverseFriendsSequence = head.reverseFriendsSequence
        lastSeenTimeMs = head.lastSeenMs
        readTimeMs = head.readMarkMs
        applicationDay = head.applicationDay
        applicationsToday = head.applicationsToday
        formerSequence = head.formerSequence
        if head.findSettings != UserRecord().findSettings {
            findSettings = FindSettings(head.findSettings)
        }
    }
}

extension ExportedProfile {
    fileprivate init(_ record: ProfileRecord, of user: UserID, _ texts: ExportedTexts) {
        self.init()
        var whole = Profile(whole: record, of: user)
        texts.ofProfiles.show(in: &whole.custom)
        profile = whole
        visibility = record.visibility
        openVersion = record.openVersion
        cardVersion = record.cardVersion
        fields = record.fieldChoices.map { ExportedFieldVisibility($0) }
        reviews = record.reviews.map { ProfileReview($0.attributed(to: user)) }
    }
}

extension ExportedFieldVisibility {
    fileprivate init(_ record: FieldChoiceRecord) {
        self.init()
        field = record.path
        visibility = record.visibility
        groupNumbers = record.groups
        version = record.version
        formerVisibility = record.formerVisibility
        formerGroupNumbers = record.formerGroups
    }
}

extension ExportedFriend {
    fileprivate init(
        _ record: FriendRecord, _ reviews: [ReviewRecord], of user: UserID, _ texts: ExportedTexts
    ) {
        self.init()
        userID = user.text
        var whole = Friend(whole: record)
        texts.ofFriends.show(in: &whole.custom)
        entry = whole
        let friend = UserID(stored: record.userID)
        self.reviews = reviews.map { ProfileReview($0.attributed(to: user, friend)) }
    }
}

extension ExportedGroup {
    fileprivate init(_ name: String, _ record: GroupRecord, of user: UserID) {
        self.init()
        userID = user.text
        group = FriendGroup(name, record)
        number = Int64(record.number)
    }
}

extension ExportedBlacklistEntry {
    fileprivate init(_ record: BlacklistRecord, of user: UserID) {
        self.init()
        userID = user.text
        entry = BlacklistEntry(record)
    }
}

extension ExportedConsent {
    fileprivate init(_ record: GrantRecord, of user: UserID, at moment: Timestamp) {
        self.init()
        userID = user.text
        clientAppID = record.clientAppID
        permission = UserPermission(record, at: moment)
    }
}

extension ExportedSubscription {
    fileprivate init(_ record: SubscriptionRecord, of user: UserID) {
        self.init()
        userID = user.text
        subscription = Subscription(record)
    }
}

extension ExportedInvitation {
    fileprivate init(_ record: InvitationRecord, of user: UserID, at moment: Timestamp) {
        self.init()
        userID = user.text
        invitation = Invitation(record.current(at: moment))
    }
}

extension ExportedInvitationUse {
    fileprivate init(_ use: InvitationUse, of user: UserID) {
        self.init()
        userID = user.text
        invitationID = use.id.text
        expireTimeMs = use.expireMs
    }
}

extension ExportedFollow {
    fileprivate init(_ record: FollowRecord, of user: UserID) {
        self.init()
        userID = user.text
        entry = FollowEntry.with {
            $0.userID = record.userID
            $0.followTimeMs = record.followTimeMs
        }
    }
}

extension ExportedApplication {
    fileprivate init(
        _ record: PendencyRecord, _ type: PendencyType, _ status: ApplicationStatus,
        _ timeMs: Int64, of user: UserID, _ texts: ExportedTexts
    ) {
        self.init()
        userID = user.text
        remark = record.remark
        group = record.group
        groups = record.moreGroups
        custom = record.custom
        texts.ofFriends.show(in: &custom)
        var application = FriendApplication()
        application.userID = record.userID
        application.applicationID = record.applicationID
        application.pendencyType = type
        application.status = status
        application.addTimeMs = record.timeMs
        application.operationTimeMs = timeMs
        application.source = record.source
        application.wording = record.wording
        self.application = application
    }
}

extension FriendGroup {
    fileprivate init(_ name: String, _ record: GroupRecord) {
        self.init()
        self.name = name
        memberCount = Int32(record.memberCount)
        createTimeMs = record.createdMs
    }
}

extension BlacklistEntry {
    init(_ record: BlacklistRecord) {
        self.init()
        userID = record.userID
        addTimeMs = record.addTimeMs
    }
}

extension ExportedDismissedSuggestion {
    fileprivate init(_ record: DismissalRecord, of user: UserID) {
        self.init()
        userID = user.text
        entry = DismissedSuggestion(record)
    }
}

extension ExportedContactDigests {
    fileprivate init(_ record: ContactDigestsRecord, of user: UserID) {
        self.init()
        userID = user.text
        (phones, emails) = (record.phones, record.emails)
    }
}

extension ExportedDevices {
    fileprivate init(_ record: SeenDevicesRecord, of user: UserID) {
        self.init()
        userID = user.text
        devices = record.devices.map { device in
            ExportedDevice.with {
                $0.deviceID = device.deviceID
                $0.platform = device.platform
                $0.lastSeenTimeMs = device.seenMs
            }
        }
    }
}

extension ExportedStatus {
    fileprivate init(_ record: StatusRecord, of user: UserID) {
        self.init()
        userID = user.text
        text = record.text
        expireTimeMs = record.expireTimeMs
    }
}
