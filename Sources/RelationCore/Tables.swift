import Protobuf
package import RelationModel
package import Storage

/// Every table, with a line above it that draws its key: partition │ kind, row key → record.
///
/// The rows of a user are one partition, so an operation on two users locks two partitions.
package enum Tables {
    // app · user │ 0x01 → UserRecord
    package static let userRecords = Table<OnlyKey, UserRecord>(0x01, coder: Coder(UserRecord.self))
    // app · user │ 0x02 → ProfileRecord
    package static let profiles = Table<OnlyKey, ProfileRecord>(
        0x02, coder: Coder(ProfileRecord.self))
    // app · 0x02 │ 0x03 unique id → UniqueIDRecord
    package static let uniqueIDs = Table<UniqueID, UniqueIDRecord>(
        0x03, coder: Coder(UniqueIDRecord.self))

    // app · owner │ 0x11 friend → FriendRecord
    package static let friends = Table<UserID, FriendRecord>(0x11, coder: Coder(FriendRecord.self))
    // Reads the rows of `friends`, and of each only the fields by which lists are sorted.
    package static let friendNames = Table<UserID, FriendNameRecord>(
        0x11, coder: Coder(FriendNameRecord.self))
    // app · owner │ 0x14 removed friend → TombstoneRecord
    package static let tombstones = Table<UserID, TombstoneRecord>(
        0x14, coder: Coder(TombstoneRecord.self))
    // app · owner │ 0x15 sequence of the removal, removed friend → nothing
    package static let tombstonesBySequence = Table<SequencedUser, EmptyRecord>(
        0x15, coder: Coder(EmptyRecord.self))

    // app · owner │ 0x21 group name → GroupRecord
    package static let groups = Table<GroupName, GroupRecord>(0x21, coder: Coder(GroupRecord.self))
    // app · owner │ 0x22 group number, friend → nothing
    package static let groupMembers = Table<GroupMember, EmptyRecord>(
        0x22, coder: Coder(EmptyRecord.self))

    // app · user │ 0x31 type, other user → PendencyRecord
    package static let pendencies = Table<PendencyKey, PendencyRecord>(
        0x31, coder: Coder(PendencyRecord.self))
    // app · user │ 0x32 time, type, other user → nothing
    package static let pendenciesByTime = Table<TimedPendency, EmptyRecord>(
        0x32, coder: Coder(EmptyRecord.self))
    // app · user │ 0x33 time of the end, type, status, other user → PendencyRecord
    package static let handledApplications = Table<HandledKey, PendencyRecord>(
        0x33, coder: Coder(PendencyRecord.self))
    // app · expiry bucket │ 0x34 time of the oldest application, user → nothing
    package static let expiries = Table<TimedUser, EmptyRecord>(
        0x34, coder: Coder(EmptyRecord.self))

    // app · owner │ 0x41 blacklisted user → BlacklistRecord
    package static let blacklist = Table<UserID, BlacklistRecord>(
        0x41, coder: Coder(BlacklistRecord.self))
    // app · owner │ 0x42 add time, blacklisted user → nothing
    package static let blacklistByTime = Table<TimedUser, EmptyRecord>(
        0x42, coder: Coder(EmptyRecord.self))

    // app · user │ 0x51 sequence → ChangeRecord
    package static let changes = Table<UInt64, ChangeRecord>(0x51, coder: Coder(ChangeRecord.self))
    // Reads the rows of `changes`, and of each only its position in the feed.
    package static let changePositions = Table<UInt64, ChangePositionRecord>(
        0x51, coder: Coder(ChangePositionRecord.self))

    // app · user │ 0x61 request id → AnswerRecord
    package static let answers = Table<RequestID, AnswerRecord>(
        0x61, coder: Coder(AnswerRecord.self))
    // app · user │ 0x62 time, request id → nothing
    package static let answersByTime = Table<TimedRequest, EmptyRecord>(
        0x62, coder: Coder(EmptyRecord.self))

    // app · feed │ 0x71 → FeedState
    package static let feedStates = Table<OnlyKey, FeedState>(0x71, coder: Coder(FeedState.self))
    // app · feed │ 0x72 position of the last event of a call → FeedRecord
    package static let feed = Table<UInt64, FeedRecord>(0x72, coder: Coder(FeedRecord.self))

    // app · user │ 0x81 client app, permission → GrantRecord
    package static let grants = Table<GrantKey, GrantRecord>(0x81, coder: Coder(GrantRecord.self))

    // 0 · registry │ 0x91 app → AppRecord
    package static let apps = Table<AppNumber, AppRecord>(0x91, coder: Coder(AppRecord.self))
    // 0 · registry │ 0x92 → RegistryRecord
    package static let registry = Table<OnlyKey, RegistryRecord>(
        0x92, coder: Coder(RegistryRecord.self))
    // 0 · registry │ 0x93 app → AppDeletionRecord
    package static let appDeletions = Table<AppNumber, AppDeletionRecord>(
        0x93, coder: Coder(AppDeletionRecord.self))
    // app · administrator │ 0x94 credential → CredentialRecord
    package static let credentials = Table<CredentialID, CredentialRecord>(
        0x94, coder: Coder(CredentialRecord.self))
    // 0 · registry │ 0x95 time at which the loss was found → LossRecord
    package static let losses = Table<UInt64, LossRecord>(0x95, coder: Coder(LossRecord.self))
    // 0 · registry │ 0x96 → IdentityRecord
    package static let identity = Table<OnlyKey, IdentityRecord>(
        0x96, coder: Coder(IdentityRecord.self))

    // 0 · registry │ 0x97 app → AppMoveRecord
    package static let appMoves = Table<AppNumber, AppMoveRecord>(
        0x97, coder: Coder(AppMoveRecord.self))

    // app · user │ 0xa1 → DepartedRecord
    package static let departed = Table<OnlyKey, DepartedRecord>(
        0xa1, coder: Coder(DepartedRecord.self))
    // app · user │ 0xa2 list, owner that has the user on that list → nothing
    package static let mentions = Table<Mention, EmptyRecord>(0xa2, coder: Coder(EmptyRecord.self))
    // app · directory bucket │ 0xa3 user → nothing
    package static let directory = Table<UserID, EmptyRecord>(0xa3, coder: Coder(EmptyRecord.self))
    // app · maintenance │ 0xa4 number → DeletionRecord
    package static let deletions = Table<UInt64, DeletionRecord>(
        0xa4, coder: Coder(DeletionRecord.self))
    // no app · maintenance │ 0xa5 number → JobRecord
    package static let jobs = Table<UInt64, JobRecord>(0xa5, coder: Coder(JobRecord.self))
    // no app · maintenance │ 0xa6 → JobNumberRecord
    package static let jobNumbers = Table<OnlyKey, JobNumberRecord>(
        0xa6, coder: Coder(JobNumberRecord.self))
    // app · maintenance │ 0xa7 call, import id → ImportRecord
    package static let imports = Table<ImportKey, ImportRecord>(
        0xa7, coder: Coder(ImportRecord.self))
    // app · maintenance │ 0xa8 user whose log is too long → nothing
    package static let longLogs = Table<UserID, EmptyRecord>(0xa8, coder: Coder(EmptyRecord.self))
    // app · maintenance │ 0xa9 → RetentionRecord
    package static let retention = Table<OnlyKey, RetentionRecord>(
        0xa9, coder: Coder(RetentionRecord.self))
    // app · maintenance │ 0xaa → KnownLossRecord
    package static let knownLosses = Table<OnlyKey, KnownLossRecord>(
        0xaa, coder: Coder(KnownLossRecord.self))

    // app · subscriber │ 0xb1 type, user that it subscribes to → SubscriptionRecord
    package static let subscriptions = Table<SubscriptionKey, SubscriptionRecord>(
        0xb1, coder: Coder(SubscriptionRecord.self))
    // app · subscriber │ 0xb2 type, expire time, user that it subscribes to → nothing
    package static let subscriptionsByEnd = Table<SubscriptionEnd, EmptyRecord>(
        0xb2, coder: Coder(EmptyRecord.self))
    // app · user │ 0xb3 type, expire time, subscriber → nothing
    package static let subscribers = Table<SubscriptionEnd, EmptyRecord>(
        0xb3, coder: Coder(EmptyRecord.self))
    // app · user │ 0xb4 → SubscriberCountRecord
    package static let subscriberCounts = Table<OnlyKey, SubscriberCountRecord>(
        0xb4, coder: Coder(SubscriberCountRecord.self))
    // app · 0x08 │ 0xb5 time before which none of the subscriber's ends, subscriber → nothing
    package static let subscriptionEnds = Table<TimedUser, EmptyRecord>(
        0xb5, coder: Coder(EmptyRecord.self))

    // app · user │ 0xb8 → SeenDevicesRecord
    package static let seenDevices = Table<OnlyKey, SeenDevicesRecord>(
        0xb8, coder: Coder(SeenDevicesRecord.self))

    // app · follower │ 0xc1 followed user → FollowRecord
    package static let follows = Table<UserID, FollowRecord>(
        0xc1, coder: Coder(FollowRecord.self))
    // app · user │ 0xc2 list, time of the follow, user on the other side → nothing
    package static let followsByTime = Table<ListedFollow, EmptyRecord>(
        0xc2, coder: Coder(EmptyRecord.self))
    // app · user │ 0xc3 → FollowCountRecord
    package static let followCounts = Table<OnlyKey, FollowCountRecord>(
        0xc3, coder: Coder(FollowCountRecord.self))
    // app · owner │ 0xc8 user that is no longer suggested → DismissalRecord
    package static let dismissals = Table<UserID, DismissalRecord>(
        0xc8, coder: Coder(DismissalRecord.self))
    // app · user │ 0xc9 owner that has dismissed the user → nothing
    package static let dismissers = Table<UserID, EmptyRecord>(
        0xc9, coder: Coder(EmptyRecord.self))
    // app · inviter │ 0xd1 invitation → InvitationRecord
    package static let invitations = Table<InvitationID, InvitationRecord>(
        0xd1, coder: Coder(InvitationRecord.self))
    // app · 0x1b │ 0xd2 invitation → InvitationOwnerRecord
    package static let invitationIDs = Table<InvitationID, InvitationOwnerRecord>(
        0xd2, coder: Coder(InvitationOwnerRecord.self))
    // app · user │ 0xd3 expire time, invitation that the user used → nothing
    package static let invitationUses = Table<InvitationUse, EmptyRecord>(
        0xd3, coder: Coder(EmptyRecord.self))
    // app · 0x1c │ 0xd4 time before which none of the inviter's has to go, inviter → nothing
    package static let invitationEnds = Table<TimedUser, EmptyRecord>(
        0xd4, coder: Coder(EmptyRecord.self))
    // app · 0x1e │ 0xd6 way of finding, letters of a name, user → nothing
    package static let foundNames = Table<FoundName, EmptyRecord>(
        0xd6, coder: Coder(EmptyRecord.self))
    // app · 0x1e │ 0xd7 → FoundNamesState
    package static let foundNamesStates = Table<OnlyKey, FoundNamesState>(
        0xd7, coder: Coder(FoundNamesState.self))
    // app · user │ 0xd8 → ContactDigestsRecord
    package static let contactDigests = Table<OnlyKey, ContactDigestsRecord>(
        0xd8, coder: Coder(ContactDigestsRecord.self))
    // app · 0x1f │ 0xd9 kind, digest → ContactOwnersRecord
    package static let contactOwners = Table<ContactDigest, ContactOwnersRecord>(
        0xd9, coder: Coder(ContactOwnersRecord.self))
    // app · administrator │ 0xe1 user whose sessions were ended → SessionEndRecord
    package static let sessionEnds = Table<UserID, SessionEndRecord>(
        0xe1, coder: Coder(SessionEndRecord.self))
    // app · administrator │ 0xe2 number of the end, user → nothing
    package static let sessionEndsByNumber = Table<SequencedUser, EmptyRecord>(
        0xe2, coder: Coder(EmptyRecord.self))
    // app · administrator │ 0xe3 → SessionsRecord
    package static let sessions = Table<OnlyKey, SessionsRecord>(
        0xe3, coder: Coder(SessionsRecord.self))
    // no app · maintenance │ 0xf0 number of the deletion → ErasureRecord
    package static let erasures = Table<UInt64, ErasureRecord>(
        0xf0, coder: Coder(ErasureRecord.self))
    // no app · maintenance │ 0xf1 → ErasureWalkRecord
    package static let erasureWalk = Table<OnlyKey, ErasureWalkRecord>(
        0xf1, coder: Coder(ErasureWalkRecord.self))
    // app · administrator │ 0xf4 hook → HookProgressRecord
    package static let hookProgress = Table<HookID, HookProgressRecord>(
        0xf4, coder: Coder(HookProgressRecord.self))
    // app · administrator │ 0xf5 hook, number of the failure → HookFailureRecord
    package static let hookFailures = Table<HookFailureKey, HookFailureRecord>(
        0xf5, coder: Coder(HookFailureRecord.self))
    // app · 0x06 0x28 │ 0xf6 position → HistoryRecord
    package static let history = Table<UInt64, HistoryRecord>(
        0xf6, coder: Coder(HistoryRecord.self))
    // app · user │ 0xf7 position of an entry with the user, or by it → nothing
    package static let historyOfUsers = Table<UInt64, EmptyRecord>(
        0xf7, coder: Coder(EmptyRecord.self))
    // app · 0x06 0x28 │ 0xf8 → HistoryState
    package static let historyStates = Table<OnlyKey, HistoryState>(
        0xf8, coder: Coder(HistoryState.self))
    // app · 0x06 0x28 │ 0xba → HistoryStartRecord
    package static let historyStarts = Table<OnlyKey, HistoryStartRecord>(
        0xba, coder: Coder(HistoryStartRecord.self))
    // app · 0x06 0x2b │ 0xfc request id, position of an entry of that call → nothing
    package static let historyOfRequests = Table<RequestPosition, EmptyRecord>(
        0xfc, coder: Coder(EmptyRecord.self))
    // app · user │ 0xe5 → StatusRecord
    package static let statuses = Table<OnlyKey, StatusRecord>(
        0xe5, coder: Coder(StatusRecord.self))
    // app · 0x27 │ 0xfa name → ConsumerRecord
    package static let consumers = Table<ConsumerName, ConsumerRecord>(
        0xfa, coder: Coder(ConsumerRecord.self))
    // app · 0x27 │ 0xfb → ConsumersRecord
    package static let consumerReaders = Table<OnlyKey, ConsumersRecord>(
        0xfb, coder: Coder(ConsumersRecord.self))

    // app · user │ 0xe8 → SuspensionRecord
    package static let suspensions = Table<OnlyKey, SuspensionRecord>(
        0xe8, coder: Coder(SuspensionRecord.self))
    // app · 0x20 │ 0xe9 suspended user → nothing
    package static let suspendedUsers = Table<UserID, EmptyRecord>(
        0xe9, coder: Coder(EmptyRecord.self))
    // app · 0x20 │ 0xea → SuspensionsRecord
    package static let suspensionCounts = Table<OnlyKey, SuspensionsRecord>(
        0xea, coder: Coder(SuspensionsRecord.self))
    // app · 0x21 │ 0xeb end of the suspension, user → nothing
    package static let suspensionEnds = Table<TimedUser, EmptyRecord>(
        0xeb, coder: Coder(EmptyRecord.self))
    // app · reported user │ 0xec number of the report → ReportRecord
    package static let reports = Table<UInt64, ReportRecord>(
        0xec, coder: Coder(ReportRecord.self))
    // app · reporter │ 0xed reported user → ReportPlaceRecord
    package static let madeReports = Table<UserID, ReportIndexRecord>(
        0xed, coder: Coder(ReportIndexRecord.self))
    // app · 0x22 │ 0xee number of the report → ReportPlaceRecord
    package static let reportIndex = Table<UInt64, ReportIndexRecord>(
        0xee, coder: Coder(ReportIndexRecord.self))
    // app · 0x22 │ 0xef → ReportsRecord
    package static let reportCounts = Table<OnlyKey, ReportsRecord>(
        0xef, coder: Coder(ReportsRecord.self))
    // app · user │ 0xde → ReverseCountRecord
    package static let reverseCounts = Table<OnlyKey, ReverseCountRecord>(
        0xde, coder: Coder(ReverseCountRecord.self))
    // app · 0x23 │ 0xda number of the review → ReviewPlaceRecord
    package static let reviewIndex = Table<UInt64, ReviewIndexRecord>(
        0xda, coder: Coder(ReviewIndexRecord.self))
    // app · owner │ 0xdc friend → FriendReviewsRecord
    package static let friendReviews = Table<UserID, FriendReviewsRecord>(
        0xdc, coder: Coder(FriendReviewsRecord.self))
    // app · 0x23 │ 0xdb → ReviewsRecord
    package static let reviewCounts = Table<OnlyKey, ReviewsRecord>(
        0xdb, coder: Coder(ReviewsRecord.self))
    // app · 0x06 0x2a │ 0xf2 sequence of the record → AuditRow
    package static let audit = Table<UInt64, AuditRow>(0xf2, coder: Coder(AuditRow.self))
    // app · 0x06 0x2a │ 0xf3 → AuditSummary
    package static let auditSummaries = Table<OnlyKey, AuditSummary>(
        0xf3, coder: Coder(AuditSummary.self))
}
