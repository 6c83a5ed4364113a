package import Protobuf
package import RelationModel

/// The facts that every rule reads first about a user: that the account exists, how far its
/// sequence has come, and how full its lists are.
///
/// It is one small row, so an operation on two users reads two of them and no list.
package struct UserRecord: CodedMessage, Equatable {
    /// The user's sequence: the number of its latest event, 0 before the first.
    package var sequence: Int64 = 0
    /// The user's sequence at the last change of each list.
    package var friendsSequence: Int64 = 0
    package var pendenciesSequence: Int64 = 0
    package var blacklistSequence: Int64 = 0
    package var groupsSequence: Int64 = 0
    package var subscriptionsSequence: Int64 = 0
    package var consentsSequence: Int64 = 0
    package var followingSequence: Int64 = 0
    package var followersSequence: Int64 = 0

    package var friendCount: UInt32 = 0
    package var blacklistCount: UInt32 = 0
    package var groupCount: UInt32 = 0
    package var comeInCount: UInt32 = 0
    package var sendOutCount: UInt32 = 0
    /// Applications that wait, that this user sent, and that it took off its list.
    package var hiddenSentCount: UInt32 = 0
    /// Applications that wait for this user's answer and are newer than its `readMarkMs`.
    package var unreadCount: UInt32 = 0
    /// Answers kept for repeated request ids.
    package var answerCount: UInt32 = 0
    /// Subscriptions of this user to online states.
    ///
    /// A subscription that has expired is counted until it is ended.
    package var onlineSubscriptionCount: UInt32 = 0
    /// Subscriptions of this user to profiles, counted likewise.
    package var profileSubscriptionCount: UInt32 = 0
    /// Users that this user follows.
    package var followingCount: UInt32 = 0

    /// The time of the newest record in the pendency list, or of the latest application that ended,
    /// if later: the next one is later still.
    package var lastPendencyMs: Int64 = 0
    /// Applications up to this time are read.
    package var readMarkMs: Int64 = 0
    /// The number that the next friend group gets.
    ///
    /// Numbers are not used again.
    package var nextGroup: UInt32 = 0
    package var createdMs: Int64 = 0
    /// The window that `applicationsToday` counts, as ``Timestamp/window(ofMs:)`` has it: the day
    /// since 1970 (UTC), unless the app has other windows.
    package var applicationDay: Int64 = 0
    package var applicationsToday: UInt32 = 0
    /// The tombstones of removed friends.
    package var tombstoneCount: UInt32 = 0
    /// The time of the oldest tombstone, or an earlier one.
    package var oldestTombstoneMs: Int64 = 0
    /// The sequence up to which some tombstones are gone.
    package var friendsTrimmedTo: Int64 = 0
    /// No application that waits is older than this; 0 if none has waited since the last look.
    ///
    /// The app's index of applications that may have expired has the user at this time.
    package var oldestPendencyMs: Int64 = 0
    /// Applications in the history.
    package var handledCount: UInt32 = 0
    /// A time before which none of them ended.
    package var oldestHandledMs: Int64 = 0
    /// The log holds the events after this sequence.
    ///
    /// The events up to it belonged to a deleted account, or were trimmed.
    package var logFloor: Int64 = 0
    /// The position of the newest event that the log does not have, or no longer has, in the
    /// app's feed.
    ///
    /// A reader that has not come so far has missed something.
    package var logFloorPosition: Int64 = 0
    /// No subscription of this user ends before this; 0 if there has been none since the last look.
    ///
    /// The app's index of subscriptions that may have expired has the user at this time.
    package var nextSubscriptionEndMs: Int64 = 0
    /// The sequences that the account had counted in other apps before it was imported.
    ///
    /// Ids of applications count on from there, so none comes twice.
    package var formerSequence: Int64 = 0
    /// The user's sequence at the last change of its invitations.
    package var invitationsSequence: Int64 = 0
    /// No invitation of this user has to leave its list before this; 0 if there has been none since
    /// the last look.
    ///
    /// The app's index of invitations that may have to go has the user at this time.
    package var nextInvitationEndMs: Int64 = 0
    /// The notes of invitations that this user has used.
    package var invitationUseCount: UInt32 = 0
    /// The window that `receivedToday` counts, likewise.
    package var receivedDay: Int64 = 0
    /// New applications that came in in that window; counted only while the app bounds them.
    package var receivedToday: UInt32 = 0
    /// Users that this user has dismissed as suggestions.
    package var dismissalCount: UInt32 = 0
    /// The user's sequence at the last change of its dismissed suggestions.
    package var dismissalsSequence: Int64 = 0
    /// A time at which the user was online; 0 if it was never seen.
    ///
    /// ``LastSeen`` writes it.
    package var lastSeenMs: Int64 = 0
    /// Whether the user surely has no row of a custom status: a reader of the presence then looks
    /// up none.
    ///
    /// It is false for an account that an older server made or changed.
    package var lacksStatus = false
    /// The level of the user's suspension; `unspecified` without one.
    ///
    /// ``Suspensions`` compares it with the clock: one that ended may still stand here.
    package var suspensionLevel = SuspensionLevel.unspecified
    /// When the suspension ends; 0 if it does not.
    ///
    /// The app's index of suspensions that end has the user at this time.
    package var suspensionEndMs: Int64 = 0
    /// Reports about this user, and those among them that are open.
    package var reportCount: UInt32 = 0
    package var openReportCount: UInt32 = 0
    /// The window that `reportsToday` counts, as that of `applicationsToday`.
    package var reportDay: Int64 = 0
    /// Reports that this user made in that window.
    package var reportsToday: UInt32 = 0
    /// The day (days since 1970 UTC) that `refusalsToday` counts.
    package var refusalDay: Int64 = 0
    /// Applications of this user that were refused on that day; counted only while the app marks
    /// risks.
    package var refusalsToday: UInt32 = 0
    /// The user's choices of who may find it by its id, its unique id, its name, and the digests
    /// of its contacts.
    package var findByID = Findability.notSet
    package var findByUniqueID = Findability.notSet
    package var findByName = Findability.notSet
    package var findByPhone = Findability.notSet
    package var findByEmail = Findability.notSet
    /// The window that `contactsToday` counts, likewise.
    package var contactDay: Int64 = 0
    /// Digests of contacts for which the user asked in that window.
    package var contactsToday: UInt32 = 0
    /// Reviews of fields of this user's rows of friends.
    package var friendReviewCount: UInt32 = 0
    /// The user's sequence at the last change of who has it as a friend without being its friend.
    package var reverseFriendsSequence: Int64 = 0
    /// The devices of which it is stored when they were last seen; 0 without such a row.
    ///
    /// A reader whose memory has as many devices of the user does not look them up. It is 0 too for
    /// an account that an older server changed, until the next report.
    package var seenDeviceCount: UInt32 = 0

    package init() {}

    package static let schema = Schema("relation.store.Head", UserRecord.self)
    /// A read of profiles looks for this field in stored bytes.
    static let blacklistCountNumber: UInt32 = 11

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "friends_sequence", &friendsSequence)
        visitor.field(3, "pendencies_sequence", &pendenciesSequence)
        visitor.field(4, "blacklist_sequence", &blacklistSequence)
        visitor.field(5, "groups_sequence", &groupsSequence)
        visitor.field(6, "subscriptions_sequence", &subscriptionsSequence)
        visitor.field(10, "friend_count", &friendCount)
        visitor.field(Self.blacklistCountNumber, "blacklist_count", &blacklistCount)
        visitor.field(12, "group_count", &groupCount)
        visitor.field(13, "come_in_count", &comeInCount)
        visitor.field(14, "send_out_count", &sendOutCount)
        visitor.field(15, "unread_count", &unreadCount)
        visitor.field(16, "answer_count", &answerCount)
        visitor.field(17, "online_subscription_count", &onlineSubscriptionCount)
        visitor.field(18, "profile_subscription_count", &profileSubscriptionCount)
        visitor.field(20, "last_pendency_ms", &lastPendencyMs)
        visitor.field(21, "read_mark_ms", &readMarkMs)
        visitor.field(22, "next_group", &nextGroup)
        visitor.field(23, "created_ms", &createdMs)
        visitor.field(24, "application_day", &applicationDay)
        visitor.field(25, "applications_today", &applicationsToday)
        visitor.field(26, "log_floor", &logFloor)
        visitor.field(27, "log_floor_position", &logFloorPosition)
        visitor.field(30, "tombstone_count", &tombstoneCount)
        visitor.field(31, "oldest_tombstone_ms", &oldestTombstoneMs)
        visitor.field(32, "friends_trimmed_to", &friendsTrimmedTo)
        visitor.field(33, "oldest_pendency_ms", &oldestPendencyMs)
        visitor.field(34, "handled_count", &handledCount)
        visitor.field(35, "oldest_handled_ms", &oldestHandledMs)
        visitor.field(36, "next_subscription_end_ms", &nextSubscriptionEndMs)
        visitor.field(37, "hidden_sent_count", &hiddenSentCount)
        visitor.field(38, "former_sequence", &formerSequence)
        visitor.field(39, "consents_sequence", &consentsSequence)
        visitor.field(40, "following_sequence", &followingSequence)
        visitor.field(41, "followers_sequence", &followersSequence)
        visitor.field(42, "following_count", &followingCount)
        visitor.field(60, "invitations_sequence", &invitationsSequence)
        visitor.field(61, "next_invitation_end_ms", &nextInvitationEndMs)
        visitor.field(62, "invitation_use_count", &invitationUseCount)
        visitor.field(63, "received_day", &receivedDay)
        visitor.field(64, "received_today", &receivedToday)
        visitor.field(70, "dismissal_count", &dismissalCount)
        visitor.field(71, "dismissals_sequence", &dismissalsSequence)
        visitor.field(80, "last_seen_ms", &lastSeenMs)
        visitor.field(90, "find_by_id", &findByID)
        visitor.field(91, "find_by_unique_id", &findByUniqueID)
        visitor.field(92, "find_by_name", &findByName)
        visitor.field(93, "find_by_phone", &findByPhone)
        visitor.field(94, "find_by_email", &findByEmail)
        visitor.field(95, "contact_day", &contactDay)
        visitor.field(96, "contacts_today", &contactsToday)
        visitor.field(100, "suspension_level", &suspensionLevel)
        visitor.field(101, "suspension_end_ms", &suspensionEndMs)
        visitor.field(102, "report_count", &reportCount)
        visitor.field(103, "open_report_count", &openReportCount)
        visitor.field(104, "report_day", &reportDay)
        visitor.field(105, "reports_today", &reportsToday)
        visitor.field(106, "refusal_day", &refusalDay)
        visitor.field(107, "refusals_today", &refusalsToday)
        visitor.field(110, "lacks_status", &lacksStatus)
        visitor.field(113, "friend_review_count", &friendReviewCount)
        visitor.field(115, "reverse_friends_sequence", &reverseFriendsSequence)
        visitor.field(120, "seen_device_count", &seenDeviceCount)
    }
}

extension UserRecord {
    /// Lets the sequence and the log begin after the floor of the app's history, unless they have.
    ///
    /// A copy from before is brought up to date by no event and no tombstone, so it is read again.
    /// The events up to the floor leave with the feed.
    package mutating func begin(after floor: Int64) {
        guard sequence < floor else { return }
        sequence = floor
        friendsTrimmedTo = floor
        logFloor = floor
    }

    /// Makes it the user record with which the next account of the id begins.
    ///
    /// Its lists are empty and all count as changed, so that no copy of an old list counts as
    /// fresh.
    mutating func beginAnew(after floor: Int64) {
        var next = UserRecord()
        next.sequence = max(sequence, floor) + 1
        next.friendsSequence = next.sequence
        next.pendenciesSequence = next.sequence
        next.blacklistSequence = next.sequence
        next.groupsSequence = next.sequence
        next.subscriptionsSequence = next.sequence
        next.consentsSequence = next.sequence
        next.followingSequence = next.sequence
        next.followersSequence = next.sequence
        next.invitationsSequence = next.sequence
        next.dismissalsSequence = next.sequence
        next.reverseFriendsSequence = next.sequence
        next.friendsTrimmedTo = next.sequence
        next.logFloor = next.sequence
        next.lastPendencyMs = lastPendencyMs
        next.nextGroup = nextGroup
        next.applicationDay = applicationDay
        next.applicationsToday = applicationsToday
        next.contactDay = contactDay
        next.contactsToday = contactsToday
        next.reportDay = reportDay
        next.reportsToday = reportsToday
        self = next
    }
}
