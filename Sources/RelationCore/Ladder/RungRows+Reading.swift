import Protobuf
import RelationModel
import Storage

/// The rows themselves, with their versions and times.
extension RungRows {
    var accountSetting: (name: String, isOn: Bool) {
        ("makes_accounts_implicitly", app.settings.makesAccountsImplicitly)
    }

    func userRecord(of user: UserID) throws(StorageError) -> UserRecord? {
        try Tables.userRecords.record(app.partition(of: user), OnlyKey(), in: transaction)
    }

    func record(of user: UserID) throws(StorageError) -> ExplainedRow {
        let record = try userRecord(of: user)
        return ExplainedRow(
            owner: user, other: nil, isPresent: record != nil, sequence: record?.sequence ?? 0,
            addTimeMs: record?.createdMs ?? 0)
    }

    func addSuspension(of user: UserID, to rung: inout ExplainedRung) throws(StorageError) {
        let partition = app.partition(of: user)
        let row = try Tables.suspensions.record(partition, OnlyKey(), in: transaction)
        rung.value = row?.level.name ?? ""
        rung.rows = [
            ExplainedRow(
                owner: user, other: nil, isPresent: row != nil,
                sequence: try userRecord(of: user)?.sequence ?? 0,
                addTimeMs: row?.startTimeMs ?? 0, endTimeMs: row?.endTimeMs ?? 0)
        ]
    }

    func profile(
        of user: UserID
    ) throws(StorageError) -> (record: ProfileRecord?, row: ExplainedRow) {
        let record = try Tables.profiles.record(
            app.partition(of: user), OnlyKey(), in: transaction)
        let row = ExplainedRow(
            owner: user, other: nil, isPresent: record != nil, sequence: record?.version ?? 0)
        return (record, row)
    }

    func addAllowType(of user: UserID, to rung: inout ExplainedRung) throws(StorageError) {
        let profile = try profile(of: user)
        let chosen = profile.record?.allowType
        rung.value = (chosen ?? app.settings.defaultAllowType).name ?? ""
        if chosen == nil { rung.setting = ("default_allow_type", true) }
        rung.rows = [profile.row]
    }

    func block(of user: UserID, by owner: UserID) throws(StorageError) -> ExplainedRow {
        let row = try Tables.blacklist.record(app.partition(of: owner), user, in: transaction)
        return ExplainedRow(
            owner: owner, other: user, isPresent: row != nil,
            sequence: try userRecord(of: owner)?.blacklistSequence ?? 0,
            addTimeMs: row?.addTimeMs ?? 0)
    }

    /// - Parameter marks: Whether the end of the muting is shown.
    func friend(
        _ user: UserID, of owner: UserID, telling marks: Bool = false
    ) throws(StorageError) -> ExplainedRow {
        let row = try Tables.friends.record(app.partition(of: owner), user, in: transaction)
        guard let row else {
            let sequence = try userRecord(of: owner)?.friendsSequence ?? 0
            return ExplainedRow(owner: owner, other: user, sequence: sequence)
        }
        return ExplainedRow(
            owner: owner, other: user, isPresent: true, sequence: row.sequence,
            addTimeMs: row.addTimeMs, endTimeMs: marks ? row.muteUntilMs : 0)
    }

    // MARK: Applications

    /// The application of `applicant` in the caller's list; one that has expired is not present.
    func application(of applicant: UserID) throws(StorageError) -> ExplainedRow {
        let found = try Tables.pendencies.record(
            app.partition(of: caller), PendencyKey(.comeIn, applicant), in: transaction)
        let cutoff = app.settings.expiryCutoffMs(at: now)
        let row = found.flatMap { $0.timeMs > cutoff ? $0 : nil }
        return ExplainedRow(
            owner: caller, other: applicant, isPresent: row != nil,
            sequence: try userRecord(of: caller)?.pendenciesSequence ?? 0,
            addTimeMs: row?.timeMs ?? 0)
    }

    /// The last refusal of an application of the caller after `time`, as the history of either
    /// side has it.
    func refusal(by asked: UserID, since time: Int64) throws(StorageError) -> ExplainedRow {
        let sides = [(asked, PendencyType.comeIn, caller), (caller, .sendOut, asked)]
        for (owner, type, other) in sides {
            var last: Int64?
            let table = Tables.handledApplications
            let range = table.rows(of: app.partition(of: owner), from: time + 1)
            try table.scan(range, limit: .max, in: transaction) { key, _ in
                if key.status == .refused, key.type == type, key.user == other {
                    last = key.timeMs
                }
                return .more
            }
            guard let last else { continue }
            return ExplainedRow(
                owner: owner, other: other, isPresent: true,
                sequence: try userRecord(of: owner)?.pendenciesSequence ?? 0, addTimeMs: last,
                endTimeMs: last + app.settings.applicationCooldownMs)
        }
        let sequence = try userRecord(of: asked)?.pendenciesSequence ?? 0
        return ExplainedRow(owner: asked, other: caller, sequence: sequence)
    }

    func applications(waitingFor user: UserID) throws(StorageError) -> Int64 {
        guard let record = try userRecord(of: user) else { return 0 }
        return Int64(try counts(record, of: user).comeIn)
    }

    /// The applications of `user` that wait, those included that it took off its list.
    func applications(sentBy user: UserID) throws(StorageError) -> Int64 {
        guard let record = try userRecord(of: user) else { return 0 }
        let hidden = try Applications.hiddenThatWait(
            record, of: user, app, cutoff: app.settings.expiryCutoffMs(at: now), in: transaction)
        return Int64(try counts(record, of: user).sendOut + hidden)
    }

    private func counts(
        _ record: UserRecord, of user: UserID
    ) throws(StorageError) -> Applications.Counts {
        try Applications.counts(
            of: record, user, app, cutoff: app.settings.expiryCutoffMs(at: now), in: transaction)
    }

    // MARK: Follows

    func follow(of user: UserID, by follower: UserID) throws(StorageError) -> ExplainedRow {
        let row = try Tables.follows.record(app.partition(of: follower), user, in: transaction)
        return ExplainedRow(
            owner: follower, other: user, isPresent: row != nil,
            sequence: try userRecord(of: follower)?.followingSequence ?? 0,
            addTimeMs: row?.followTimeMs ?? 0)
    }

    func follows(of user: UserID) throws(StorageError) -> (followers: Int64, mutual: Int64) {
        let record = try Tables.followCounts.record(
            app.partition(of: user), OnlyKey(), in: transaction)
        return (Int64(record?.followers ?? 0), Int64(record?.mutual ?? 0))
    }
}
