import Protobuf
import RelationAPI
import RelationCore
import RelationModel

/// Reads a user's row of an export into a row of the store, or finds the rule that it breaks.
///
/// The rows of an export are in an order: accounts by their ids, each followed by its lists, and
/// the rows of each list by their keys. A row after the one before it cannot exist yet. So the
/// reader needs no look at the store, and a dry run finds what an import finds.
struct AppRowReader {
    private(set) var position: ImportPosition
    let settings: AppSettings

    init(_ position: ImportPosition, _ settings: AppSettings) {
        self.position = position
        self.settings = settings
    }

    /// Texts may be as long as any limit so far allowed.
    var limits: AppLimits { settings.rowLimits }

    mutating func read(
        _ row: ExportAppResponse
    ) throws(AppRowError) -> (UserID, AppExport.Content) {
        switch row.row {
        case .account(let row): return try account(row)
        case .profile(let row): return try profile(row)
        case .group(let row): return try group(row)
        case .friendEntry(let row): return try friend(row)
        case .application(let row): return try application(row)
        case .blacklistEntry(let row): return try blacklisted(row)
        case .consent(let row): return try consent(row)
        case .subscription(let row): return try subscription(row)
        case .follow(let row): return try follow(row)
        case .invitation(let row): return try invitation(row)
        case .invitationUse(let row): return try invitationUse(row)
        case .dismissedSuggestion(let row): return try dismissal(row)
        case .status(let row): return try status(row)
        case .suspension(let row): return try suspension(row)
        case .report(let row): return try report(row)
        case .contactDigests(let row): return try contactDigests(row)
        case .devices(let row): return try devices(row)
        default: throw AppRowError("", "the row is of no kind that this server knows")
        }
    }

    // MARK: The order

    /// Moves after the row of `key` in a list of the account that came last.
    private mutating func move(
        _ owner: UserID, to section: AppExport.Section, _ key: some RowKey
    ) throws(AppRowError) {
        try move(owner, to: section, bytes: key.bytes)
    }

    /// Moves likewise after the row of the key that has these bytes.
    private mutating func move(
        _ owner: UserID, to section: AppExport.Section, bytes: [UInt8]
    ) throws(AppRowError) {
        guard owner.text == position.userID else {
            throw AppRowError(
                "user_id", "the row of this account must come before, and be accepted",
                Reason.AppImport.order)
        }
        let number = UInt32(section.rawValue)
        if position.section == number {
            guard position.rowKey.lexicographicallyPrecedes(bytes) else {
                throw AppRowError(
                    "", "the row must come after the one before it in the order of exports",
                    Reason.AppImport.order)
            }
            guard position.rows < Limits.importedRowsOfList else {
                throw AppRowError(
                    "", "the user has more than \(Limits.importedRowsOfList) rows of this list")
            }
            position.rows += 1
        } else {
            guard position.section < number else {
                throw AppRowError(
                    "", "the row's list must come after the one before it in the order of exports",
                    Reason.AppImport.order)
            }
            position.section = number
            position.rows = 1
        }
        position.rowKey = bytes
    }

    // MARK: Rows

    private mutating func account(
        _ row: ExportedAccount
    ) throws(AppRowError) -> (UserID, AppExport.Content) {
        let user = try user(row.userID, "user_id")
        let isFirst = position.userID.isEmpty
        guard isFirst || UserID(stored: position.userID) < user else {
            throw AppRowError(
                "user_id", "must come after the account before it in the order of its bytes",
                Reason.AppImport.order)
        }
        try check(
            row.createTimeMs, row.readTimeMs, row.applicationDay, row.lastSeenTimeMs,
            in: "create_time_ms")
        let most = Limits.exportedSequence
        guard (0...most).contains(row.sequence) else {
            throw AppRowError("sequence", "must be 0 to \(most)")
        }
        guard (0...most).contains(row.formerSequence) else {
            throw AppRowError("former_sequence", "must be 0 to \(most)")
        }
        let findSettings = FindSettingsRecord(row.findSettings ?? FindSettings())
        for (way, name) in FindWay.names {
            guard findSettings[way]?.isKnown ?? true else {
                throw AppRowError("find_settings.\(name)", "is not a choice that this server knows")
            }
        }
        var next = ImportPosition()
        next.appID = position.appID
        next.userID = user.text
        next.section = UInt32(AppExport.Section.account.rawValue)
        position = next
        var userRecord = UserRecord()
        userRecord.createdMs = row.createTimeMs
        userRecord.readMarkMs = row.readTimeMs
        userRecord.applicationDay = row.applicationDay
        userRecord.applicationsToday = row.applicationsToday
        userRecord.formerSequence = row.formerSequence + row.sequence
        userRecord.lastSeenMs = row.lastSeenTimeMs
        userRecord.apply(findSettings)
        return (user, .account(userRecord))
    }

    private mutating func profile(
        _ row: ExportedProfile
    ) throws(AppRowError) -> (UserID, AppExport.Content) {
        let profile = row.profile ?? Profile()
        let user = try user(profile.userID, "profile.user_id")
        var update = ProfileUpdate(settings.forReadingExports, isAdmin: true)
        update.readAll(of: profile)
        if let violation = update.violations.first {
            throw AppRowError("profile.\(violation.key)", "breaks the rule \(violation.info)")
        }
        var record = update.values
        record.visibility = row.visibility ?? .notSet
        guard record.visibility.isKnown else {
            throw AppRowError("visibility", "is not a visibility that this server knows")
        }
        record.version = profile.version
        record.openVersion = row.openVersion
        record.cardVersion = row.cardVersion
        let most = Limits.exportedSequence
        guard (0...most).contains(record.version) else {
            throw AppRowError("profile.version", "must be 0 to \(most)")
        }
        let versions = [row.openVersion ?? 0, row.cardVersion ?? 0]
        guard versions.allSatisfy({ (0...record.version).contains($0) }) else {
            throw AppRowError("profile.version", "must not be below another version")
        }
        for field in row.fields { try add(field, to: &record) }
        try record.apply(row.reviews)
        try move(user, to: .account, GroupName("profile"))
        return (user, .profile(record))
    }

    /// Adds the choice for one field of a profile; the rows of its groups come later.
    private func add(
        _ row: ExportedFieldVisibility, to record: inout ProfileRecord
    ) throws(AppRowError) {
        guard FieldDefaults.allows(row.field),
            row.field.utf8.count <= SettingBounds.fieldPathBytes,
            record.fieldChoices.count < Limits.exportedFieldVisibilities,
            !record.fieldChoices.contains(where: { $0.path.isExactly(row.field) })
        else { throw AppRowError("fields.field", "is not a field with a choice, or comes twice") }
        let (visibility, former) = (
            row.visibility ?? .notSet, row.formerVisibility ?? .notSet
        )
        guard visibility.isKnown, former.isKnown else {
            throw AppRowError("fields.visibility", "is not a visibility that this server knows")
        }
        guard (0...record.version).contains(row.version) else {
            throw AppRowError("fields.version", "must not be negative, nor above the profile's")
        }
        guard row.groupNumbers.count <= Limits.groupsOfField,
            row.formerGroupNumbers.count <= Limits.groupsOfField
        else { throw AppRowError("fields.group_numbers", "are too many") }
        record.fieldChoices.set(row.field) {
            $0.visibility = visibility
            $0.groups = row.groupNumbers
            $0.version = row.version
            $0.formerVisibility = former
            $0.formerGroups = row.formerGroupNumbers
        }
    }

    private mutating func group(
        _ row: ExportedGroup
    ) throws(AppRowError) -> (UserID, AppExport.Content) {
        let owner = try user(row.userID, "user_id")
        let group = row.group ?? FriendGroup()
        guard !group.name.isEmpty, limits.groupName.allows(group.name) else {
            throw AppRowError("group.name", "is empty or too long")
        }
        try check(group.createTimeMs, in: "group.create_time_ms")
        guard let number = UInt32(exactly: row.number), number <= Limits.exportedCount,
            owner.text != position.userID || !position.groupNumbers.contains(number)
        else { throw AppRowError("number", "is not a number, or that of another group") }
        try move(owner, to: .groups, GroupName(group.name))
        position.groups.append(group.name)
        position.groupNumbers.append(number)
        var record = GroupRecord()
        record.number = number
        record.createdMs = group.createTimeMs
        return (owner, .group(group.name, record))
    }

    private mutating func friend(
        _ row: ExportedFriend
    ) throws(AppRowError) -> (UserID, AppExport.Content) {
        let owner = try user(row.userID, "user_id")
        let entry = row.entry ?? Friend()
        let friend = try other(entry.userID, than: owner, "entry.user_id")
        var values = FriendValues()
        values.remark = entry.remark
        values.remarkTimeMs = entry.remarkTimeMs
        values.groups = entry.groups
        values.source = entry.source
        values.wording = entry.wording
        values.addTimeMs = entry.addTimeMs
        values.starred = entry.starred
        values.pinOrder = entry.pinOrder
        values.muteUntilMs = entry.muteUntilMs
        values.ignored = entry.ignored
        try checkSigns(Int64(entry.pinOrder), entry.muteUntilMs, in: "entry.pin_order")
        try check(&values, [(.remark, "entry.remark"), (.wording, "entry.wording")])
        try checkSigns(entry.addTimeMs, entry.remarkTimeMs, in: "entry.add_time_ms")
        guard entry.groups.count <= limits.groups, Set(entry.groups).count == entry.groups.count,
            owner.text != position.userID
                || entry.groups.allSatisfy({ position.groups.contains(exactly: $0) })
        else {
            throw AppRowError("entry.groups", "names a group twice, or one that has not come")
        }
        try check(&values, [(.source, "entry.source")])
        values.custom = try custom(entry.custom, "entry.custom")
        try move(owner, to: .friends, friend)
        // The values have all times.
        let record = FriendRecord(friend, values, at: Timestamp(milliseconds: 0))
        return (owner, .friend(record, reviews: try FriendRecord.reviews(row.reviews)))
    }

    private mutating func application(
        _ row: ExportedApplication
    ) throws(AppRowError) -> (UserID, AppExport.Content) {
        let owner = try user(row.userID, "user_id")
        let application = row.application ?? FriendApplication()
        let other = try other(application.userID, than: owner, "application.user_id")
        let type = application.pendencyType
        guard type == .comeIn || type == .sendOut else {
            throw AppRowError("application.pendency_type", "must be COME_IN or SEND_OUT")
        }
        guard let status = application.status, status.isKnown else {
            throw AppRowError("application.status", "is not a status that this server knows")
        }
        let id = application.applicationID
        guard (1...Limits.applicationIDBytes).contains(id.utf8.count) else {
            throw AppRowError("application.application_id", "is empty or too long")
        }
        try check(application.addTimeMs, application.operationTimeMs, in: "application.add_time_ms")
        var values = FriendValues()
        values.remark = row.remark
        values.groups = row.group.isEmpty ? [] : [row.group]
        values.groups? += row.groups
        values.source = application.source
        values.wording = application.wording
        try check(
            &values,
            [
                (.wording, "application.wording"), (.remark, "remark"),
                (.boundedGroups, row.groups.isEmpty ? "group" : "groups"),
                (.source, "application.source"),
            ])
        values.custom = try custom(row.custom, "custom", removes: true)
        var record = PendencyRecord()
        record.userID = other.text
        record.applicationID = id
        record.timeMs = application.addTimeMs
        record.apply(values)
        let reviews = try FriendRecord.reviews(row.reviews)
        let mayHaveReview = status == .unhandled && type == .sendOut
        guard reviews.isEmpty || mayHaveReview && reviews.allSatisfy(\.isOfWording) else {
            throw AppRowError(
                "reviews.field", "is not the wording of an application that waits")
        }
        guard status != .unhandled else {
            try move(owner, to: .pendencies, PendencyKey(type, other))
            return (owner, .pendency(type, record, reviews: reviews))
        }
        let key = HandledKey(
            timeMs: application.operationTimeMs, type: type, status: status, user: other)
        try move(owner, to: .handled, key)
        return (owner, .handled(key, record))
    }

    private mutating func blacklisted(
        _ row: ExportedBlacklistEntry
    ) throws(AppRowError) -> (UserID, AppExport.Content) {
        let owner = try user(row.userID, "user_id")
        let entry = row.entry ?? BlacklistEntry()
        let other = try other(entry.userID, than: owner, "entry.user_id")
        try check(entry.addTimeMs, in: "entry.add_time_ms")
        try move(owner, to: .blacklist, other)
        var record = BlacklistRecord()
        record.userID = other.text
        record.addTimeMs = entry.addTimeMs
        return (owner, .blacklisted(record))
    }

    private mutating func consent(
        _ row: ExportedConsent
    ) throws(AppRowError) -> (UserID, AppExport.Content) {
        let owner = try user(row.userID, "user_id")
        let permission = row.permission ?? UserPermission()
        guard let client = ClientAppID(row.clientAppID), settings.clientApp(client) != nil else {
            throw AppRowError("client_app_id", "is not a client app of the app")
        }
        guard let name = PermissionName(permission.name) else {
            throw AppRowError("permission.name", "is not a name of a permission")
        }
        try check(
            permission.grantTimeMs, permission.expireTimeMs, permission.changeTimeMs,
            in: "permission.grant_time_ms")
        var record = GrantRecord()
        switch permission.status {
        case .granted, .expired: record.said = .granted
        case .declined, .revoked: record.said = permission.status
        default: throw AppRowError("permission.status", "is not an answer that this server knows")
        }
        try move(owner, to: .consent, GrantKey(client, name))
        record.clientAppID = client.text
        record.permission = name.text
        record.grantTimeMs = permission.grantTimeMs
        record.expireTimeMs = permission.expireTimeMs
        record.changeTimeMs = permission.changeTimeMs
        return (owner, .consent(record))
    }

    private mutating func subscription(
        _ row: ExportedSubscription
    ) throws(AppRowError) -> (UserID, AppExport.Content) {
        let owner = try user(row.userID, "user_id")
        let subscription = row.subscription ?? Subscription()
        let other = try other(subscription.userID, than: owner, "subscription.user_id")
        let type = subscription.subscribeType
        guard SubscribeType.stored.contains(type) else {
            throw AppRowError("subscription.subscribe_type", "is not a type of one subscription")
        }
        try check(
            subscription.subscribeTimeMs, subscription.expireTimeMs,
            in: "subscription.subscribe_time_ms")
        try move(owner, to: .subscriptions, SubscriptionKey(type, other))
        var record = SubscriptionRecord()
        record.userID = other.text
        record.subscribeType = type
        record.subscribeTimeMs = subscription.subscribeTimeMs
        record.expireTimeMs = subscription.expireTimeMs
        return (owner, .subscription(record))
    }

    private mutating func follow(
        _ row: ExportedFollow
    ) throws(AppRowError) -> (UserID, AppExport.Content) {
        let owner = try user(row.userID, "user_id")
        let entry = row.entry ?? FollowEntry()
        let other = try other(entry.userID, than: owner, "entry.user_id")
        try check(entry.followTimeMs, in: "entry.follow_time_ms")
        try move(owner, to: .follows, other)
        var record = FollowRecord()
        record.userID = other.text
        record.followTimeMs = entry.followTimeMs
        return (owner, .follow(record))
    }

    private mutating func status(
        _ row: ExportedStatus
    ) throws(AppRowError) -> (UserID, AppExport.Content) {
        let owner = try user(row.userID, "user_id")
        guard !row.text.isEmpty, limits.status.allows(row.text) else {
            throw AppRowError("text", "is empty or too long")
        }
        try check(row.expireTimeMs, in: "expire_time_ms")
        try move(owner, to: .statuses, bytes: [])
        return (owner, .status(StatusRecord(row.text, until: row.expireTimeMs)))
    }

    private mutating func suspension(
        _ row: Suspension
    ) throws(AppRowError) -> (UserID, AppExport.Content) {
        let owner = try user(row.userID, "user_id")
        guard row.level != .unspecified, row.level.isKnown else {
            throw AppRowError("level", "is not a level that this server knows")
        }
        guard row.reasonText.utf8.count <= Limits.suspensionReasonBytes else {
            throw AppRowError("reason_text", "is too long")
        }
        try check(row.startTimeMs, in: "start_time_ms")
        try checkSigns(row.endTimeMs, in: "end_time_ms")
        try move(owner, to: .suspensions, bytes: [])
        var record = SuspensionRecord()
        record.level = row.level
        record.reasonText = row.reasonText
        record.startTimeMs = row.startTimeMs
        record.endTimeMs = row.endTimeMs
        return (owner, .suspension(record))
    }

    private mutating func report(
        _ row: UserReport
    ) throws(AppRowError) -> (UserID, AppExport.Content) {
        let owner = try user(row.reportedUserID, "reported_user_id")
        guard let number = Reports.number(of: row.reportID),
            (1...UInt64(Limits.exportedSequence)).contains(number)
        else { throw AppRowError("report_id", "is not an id of a report") }
        guard (0...Limits.exportedCount).contains(Int(row.count)) else {
            throw AppRowError("count", "must be 0 to \(Limits.exportedCount)")
        }
        if !row.reporterUserID.isEmpty {
            _ = try other(row.reporterUserID, than: owner, "reporter_user_id")
        }
        for (text, limit, field) in [
            (row.text, Limits.reportTextBytes, "text"),
            (row.reference, Limits.reportReferenceBytes, "reference"),
            (row.note, Limits.reportNoteBytes, "note"),
        ] where text.utf8.count > limit {
            throw AppRowError(field, "is too long")
        }
        try check(row.firstReportTimeMs, in: "first_report_time_ms")
        try check(row.reportTimeMs, in: "report_time_ms")
        try check(row.resolveTimeMs, in: "resolve_time_ms")
        try move(owner, to: .reports, number)
        return (owner, .report(ReportRecord(row)))
    }

    private mutating func contactDigests(
        _ row: ExportedContactDigests
    ) throws(AppRowError) -> (UserID, AppExport.Content) {
        let owner = try user(row.userID, "user_id")
        for (digests, field) in [(row.phones, "phones"), (row.emails, "emails")] {
            guard digests.count <= Limits.contactDigests,
                digests.allSatisfy({ $0.count == Limits.contactDigestBytes })
            else { throw AppRowError(field, "are too many, or not of 32 bytes each") }
        }
        try move(owner, to: .contactDigests, bytes: [])
        var record = ContactDigestsRecord()
        record.set(row.phones, of: .phone)
        record.set(row.emails, of: .email)
        return (owner, .contactDigests(record))
    }

    private mutating func devices(
        _ row: ExportedDevices
    ) throws(AppRowError) -> (UserID, AppExport.Content) {
        let owner = try user(row.userID, "user_id")
        let record = try SeenDevicesRecord(row)
        try move(owner, to: .seenDevices, bytes: [])
        return (owner, .seenDevices(record))
    }

    private mutating func dismissal(
        _ row: ExportedDismissedSuggestion
    ) throws(AppRowError) -> (UserID, AppExport.Content) {
        let owner = try user(row.userID, "user_id")
        let entry = row.entry ?? DismissedSuggestion()
        let other = try other(entry.userID, than: owner, "entry.user_id")
        try check(entry.dismissTimeMs, in: "entry.dismiss_time_ms")
        try move(owner, to: .dismissals, other)
        return (owner, .dismissal(DismissalRecord(other, at: entry.dismissTimeMs)))
    }

    private mutating func invitation(
        _ row: ExportedInvitation
    ) throws(AppRowError) -> (UserID, AppExport.Content) {
        let owner = try user(row.userID, "user_id")
        let invitation = row.invitation ?? Invitation()
        guard let id = InvitationID(invitation.invitationID) else {
            throw AppRowError("invitation.invitation_id", "is not an id of an invitation")
        }
        guard (1...Int32(Limits.invitationUses)).contains(invitation.maxUses),
            (0...invitation.maxUses).contains(invitation.useCount)
        else {
            throw AppRowError("invitation.max_uses", "is 0, too high, or below use_count")
        }
        guard limits.wording.allows(invitation.text) else {
            throw AppRowError("invitation.text", "is too long")
        }
        try check(
            invitation.createTimeMs, invitation.expireTimeMs, invitation.endTimeMs,
            in: "invitation.create_time_ms")
        var record = InvitationRecord()
        switch invitation.state {
        case .active, .revoked, .usedUp: record.state = invitation.state
        case .expired: record.state = .active
        default: throw AppRowError("invitation.state", "is not a state that this server knows")
        }
        try move(owner, to: .invitations, id)
        record.invitationID = id.text
        record.maxUses = invitation.maxUses
        record.useCount = invitation.useCount
        record.text = invitation.text
        record.preApproved = invitation.preApproved
        record.createTimeMs = invitation.createTimeMs
        record.expireTimeMs = invitation.expireTimeMs
        if record.state != .active { record.endTimeMs = invitation.endTimeMs }
        return (owner, .invitation(record))
    }

    private mutating func invitationUse(
        _ row: ExportedInvitationUse
    ) throws(AppRowError) -> (UserID, AppExport.Content) {
        let owner = try user(row.userID, "user_id")
        guard let id = InvitationID(row.invitationID) else {
            throw AppRowError("invitation_id", "is not an id of an invitation")
        }
        try check(row.expireTimeMs, in: "expire_time_ms")
        let use = InvitationUse(expireMs: row.expireTimeMs, id: id)
        try move(owner, to: .invitationUses, use)
        return (owner, .invitationUse(use))
    }
}

extension AppSettings {
    /// The settings by which rows of an export are read: what was stored once is taken, whatever
    /// the present settings would allow.
    var forReadingExports: AppSettings {
        var settings = self
        settings.limits = rowLimits
        settings.keepsTIMValues = rowsMayHaveTIMValues
        settings.limits.level = .max
        settings.limits.role = .max
        settings.limits.profileKeys = Limits.customFields
        settings.forbiddenWords = []
        for index in settings.customFields.indices {
            settings.customFields[index].isRetired = false
        }
        return settings
    }
}
