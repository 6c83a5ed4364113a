package import RelationModel
import Storage

extension Profiles {
    /// The fields of one profile as one other user sees them, each with its rungs.
    package struct Explained: Sendable {
        package let code: ProfileStatus
        package let reason: Reason
        /// The rungs that come before all fields; one of them decides only if `code` is not a
        /// success.
        package let rungs: [ExplainedRung]
        /// The fields in the order of ``ProfileField/allCases``, and then of the keys of custom
        /// fields; none if `code` is not a success.
        package let fields: [FieldExplanation]
        package let appVersion: Int64
    }

    /// Says which fields of the profile of `owner` the user `viewer` sees, by what rule: the rule
    /// runs with a recorder, and the rows at which it looked are read for their versions.
    ///
    /// Everything is of the moment of `transaction`, the settings of the app too. No value of a
    /// field is shown.
    ///
    /// - Parameters:
    ///   - owner: Nil for a malformed id.
    ///   - viewer: A user without the scope `admin`.
    ///   - customFields: Present fields of the app.
    package static func explain(
        _ fields: [ProfileField], customFields: [CustomField], of owner: UserID?,
        by viewer: UserID, at now: Timestamp, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Explained {
        var rows = try RungRows(of: viewer, and: owner, at: now, app: app, in: transaction)
        var ladder = NotedRungs()
        func ended(_ code: ProfileStatus, _ reason: Reason) throws(StorageError) -> Explained {
            Explained(
                code: code, reason: reason, rungs: try rows.explanation(of: code, by: ladder).rungs,
                fields: [], appVersion: rows.appVersion)
        }
        let isKnown = try Accounts.record(of: viewer, app: rows.app, in: transaction) != nil
        guard ladder.passes(.ownAccount, isKnown) else {
            return try ended(.accountNotFound, Reason.ProfileGet.accountNotExist)
        }
        guard ladder.passes(.peerID, owner != nil), let owner else {
            return try ended(.invalidParameter, Reason.ProfileGet.userIDIllegal)
        }
        let found = try visible(
            [owner], by: viewer, isAdmin: false, app: rows.app, in: transaction)
        let profile = found.first ?? nil
        guard ladder.passes(.peerAccount, profile != nil), let profile else {
            return try ended(.accountNotFound, Reason.ProfileGet.accountNotExist)
        }
        rows.profile = profile.record
        let today = CalendarDay(of: now)
        var explained: [FieldExplanation] = []
        for field in fields {
            explained.append(
                try rows.explained(
                    field.name, seenBy: profile.view,
                    hasValue: field.isSet(in: profile.record, on: today)))
        }
        for field in customFields {
            let value = profile.record.custom.value(of: field.key)
            explained.append(
                try rows.explained(
                    CustomPath.prefix + field.key, seenBy: profile.view,
                    hasValue: field.accepts(value)))
        }
        return Explained(
            code: .success, reason: .none,
            rungs: try rows.explanation(of: ProfileStatus.success, by: ladder).rungs,
            fields: explained, appVersion: rows.appVersion)
    }

    /// Says whether `user` may change its profile, and which hook is asked before.
    ///
    /// The values have rules of their own, which a dry run of the change tells. A hook is named,
    /// and is not called.
    ///
    /// - Parameter isOwn: Whether `user` calls with a credential of its own. The app does
    ///   otherwise, and may make the account by it.
    /// - Returns: ``FriendStatus/success``, ``FriendStatus/accountNotFound`` or
    ///   ``FriendStatus/addRestricted``, with the rungs up to it.
    package static func explainUpdate(
        of user: UserID, isOwn: Bool, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Explanation<FriendOutcome> {
        var rows = try RungRows(of: user, and: user, at: now, app: app, in: transaction)
        rows.question = .updateProfile
        var ladder = NotedRungs()
        let outcome: FriendOutcome
        switch try ladder.admits(
            user, to: .text, isAdmin: !isOwn, making: !isOwn, in: rows.ledger)
        {
        case .isUnknown:
            outcome = Outcome(.accountNotFound, Reason.ProfileUpdateExplain.accountNotExist)
        case .isSuspended:
            outcome = Outcome(.addRestricted, Reason.ProfileUpdateExplain.isSuspended)
        case .goesOn:
            if rows.hook != nil { _ = ladder.records(.hook, true) }
            _ = ladder.reachesWrite()
            outcome = .success
        }
        return try rows.explanation(of: outcome, by: ladder)
    }
}
