package import RelationModel
import Storage

extension SendRules {
    /// Says why `sender` may send to `receiver`, or may not: the rule runs with a recorder, and the
    /// rows at which it looked are read for their versions.
    ///
    /// Everything is of the moment of `transaction`, the settings of the app too.
    ///
    /// - Parameter receiver: Nil for a malformed id.
    /// - Returns: The answer of ``check(from:to:at:app:reveals:in:)`` with its rungs. A sender that
    ///   is no account has ``Answer/noAccount``.
    package static func explain(
        from sender: UserID, to receiver: UserID?, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Explanation<Answer> {
        let record = try AppRules.record(of: app.id, in: transaction)
        let app = record.map { App(id: app.id, settings: $0.effectiveSettings) } ?? app
        var ladder = NotedRungs()
        var answer = Answer.noAccount
        _ = try check(
            from: sender, to: [receiver], at: now, app: app, reveals: true, noting: &ladder,
            in: transaction
        ) { answer = $0 }
        let rows = RungRows(sender: sender, receiver: receiver, app: app, transaction: transaction)
        let rungs = try ladder.rungs.map { (rung) throws(StorageError) in
            Explanation<Answer>.Rung(
                kind: rung.kind, decided: rung.decided, rows: try rows.read(for: rung.kind),
                setting: rows.setting(of: rung.kind))
        }
        return Explanation(answer: answer, rungs: rungs, appVersion: record?.version ?? 0)
    }
}

/// Reads the rows of the rungs of ``SendRules``, for their versions and times.
private struct RungRows {
    typealias Row = Explanation<SendRules.Answer>.Row

    let sender: UserID
    let receiver: UserID?
    let app: App
    let transaction: any ReadTransaction

    func setting(of rung: RungKind) -> (name: String, isOn: Bool)? {
        switch rung {
        case .ownAccount, .peerAccount:
            ("makes_accounts_implicitly", app.settings.makesAccountsImplicitly)
        case .friendshipRequired:
            ("checks_friendship_on_send", app.settings.checksFriendshipOnSend)
        default: nil
        }
    }

    func read(for rung: RungKind) throws(StorageError) -> [Row] {
        switch rung {
        case .ownAccount: return [try record(of: sender)]
        case .ownSuspension: return [try suspension()]
        default: break
        }
        guard let receiver else { return [] }
        switch rung {
        case .peerAccount: return [try record(of: receiver)]
        case .peerBlacklist: return [try block(of: sender, by: receiver)]
        case .friendship:
            return [try friend(receiver, of: sender), try friend(sender, of: receiver)]
        case .peerMarks: return [try friend(sender, of: receiver, telling: true)]
        default: return []
        }
    }

    private func userRecord(of user: UserID) throws(StorageError) -> UserRecord? {
        try Tables.userRecords.record(app.partition(of: user), OnlyKey(), in: transaction)
    }

    private func record(of user: UserID) throws(StorageError) -> Row {
        let record = try userRecord(of: user)
        return Row(
            owner: user, other: nil, isPresent: record != nil, sequence: record?.sequence ?? 0,
            addTimeMs: record?.createdMs ?? 0)
    }

    private func suspension() throws(StorageError) -> Row {
        let row = try Suspensions.record(of: sender, app: app, in: transaction)
        return Row(
            owner: sender, other: nil, isPresent: row != nil,
            sequence: try userRecord(of: sender)?.sequence ?? 0,
            addTimeMs: row?.startTimeMs ?? 0, endTimeMs: row?.endTimeMs ?? 0)
    }

    private func block(of user: UserID, by owner: UserID) throws(StorageError) -> Row {
        let row = try Tables.blacklist.record(app.partition(of: owner), user, in: transaction)
        return Row(
            owner: owner, other: user, isPresent: row != nil,
            sequence: try userRecord(of: owner)?.blacklistSequence ?? 0,
            addTimeMs: row?.addTimeMs ?? 0)
    }

    /// - Parameter marks: Whether the end of the muting is told.
    private func friend(
        _ user: UserID, of owner: UserID, telling marks: Bool = false
    ) throws(StorageError) -> Row {
        let row = try Tables.friends.record(app.partition(of: owner), user, in: transaction)
        guard let row else {
            let sequence = try userRecord(of: owner)?.friendsSequence ?? 0
            return Row(owner: owner, other: user, sequence: sequence)
        }
        return Row(
            owner: owner, other: user, isPresent: true, sequence: row.sequence,
            addTimeMs: row.addTimeMs, endTimeMs: marks ? row.muteUntilMs : 0)
    }
}
