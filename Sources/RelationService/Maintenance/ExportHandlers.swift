import GRPC
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
        case .account(let userRecord): self.init(.account(ExportedAccount(userRecord, of: user)))
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
    fileprivate init(_ userRecord: UserRecord, of user: UserID) {
        self.init()
        userID = user.text
        createTimeMs = userRecord.createdMs
        sequence = userRecord.sequence
        friendsSequence = userRecord.friendsSequence
        pendenciesSequence = userRecord.pendenciesSequence
        blacklistSequence = userRecord.blacklistSequence
        groupsSequence = userRecord.groupsSequence
        subscriptionsSequence = userRecord.subscriptionsSequence
        consentsSequence = userRecord.consentsSequence
        followingSequence = userRecord.followingSequence
        followersSequence = userRecord.followersSequence
        invitationsSequence = userRecord.invitationsSequence
        dismissalsSequence = userRecord.dismissalsSequence
        reverseFriendsSequence = userRecord.reverseFriendsSequence
        lastSeenTimeMs = userRecord.lastSeenMs
        readTimeMs = userRecord.readMarkMs
        applicationDay = userRecord.applicationDay
        applicationsToday = userRecord.applicationsToday
        formerSequence = userRecord.formerSequence
        if userRecord.findSettings != UserRecord().findSettings {
            findSettings = FindSettings(userRecord.findSettings)
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
