package import RelationModel
import Storage

/// Rules over the permissions that users give to client apps.
package enum Consent {
    /// A user's decision about a permission.
    package enum Word: Sendable {
        case grant, decline, revoke
    }

    /// The answer to one name of a call.
    package struct Answer: Equatable, Sendable {
        /// It changed something if a row changed: the user's decision about this permission, or the
        /// time of its grant.
        package var outcome: PermissionOutcome
        /// The user's decision after the call, or as it would be if the call writes nothing.
        ///
        /// Nil if the user would have made none, and for a refusal.
        package var grant: GrantRecord?

        package init(_ outcome: PermissionOutcome) {
            self.outcome = outcome
        }

        /// The same answer for a write that was held back: nothing changed.
        package var withoutChange: Answer {
            var answer = self
            answer.outcome = outcome.withoutChange
            return answer
        }
    }

    /// Records the decision `word` of `user` about each of `names` for `client`.
    ///
    /// The first grant brings ``PermissionName/publicProfile`` with it, which ends only when all
    /// permissions are revoked. A repeated grant restarts the grant's time. To decline ends a
    /// grant. To decline a permission again, or to revoke one that is not granted, changes nothing.
    ///
    /// - Parameters:
    ///   - names: Nil stands for a name that is malformed.
    ///   - allOrNothing: Whether nothing is written unless every name is answered with success.
    /// - Returns: Whether any row changed, and an answer for each name. It is
    ///   ``ProfileStatus/success``, or the first of these that applies:
    ///   ``ProfileStatus/invalidParameter`` if the name is malformed, ``ProfileStatus/tagNotFound``
    ///   if the app knows no such permission, ``ProfileStatus/valueError`` if the public profile is
    ///   declined or revoked by itself.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func set(
        _ word: Word, _ names: [PermissionName?], of user: UserID, to client: ClientAppID,
        allOrNothing: Bool = false, in ledger: Ledger
    ) throws(StorageError) -> (changed: Bool, answers: [Answer]) {
        var answers: [Answer] = []
        var permissions: [Permission] = []
        for name in names {
            switch permission(name, word, ledger.settings) {
            case .success(let permission):
                answers.append(Answer(.unchanged))
                if !permissions.contains(permission) { permissions.append(permission) }
            case .failure(let refusal):
                answers.append(Answer(refusal.outcome))
            }
        }
        let own = permissions.count
        if word == .grant, own > 0, !permissions.contains(where: { $0.name == .publicProfile }),
            let basic = ledger.settings.permission(.publicProfile)
        {
            permissions.append(basic)
        }
        let rows = try records(
            of: permissions.map(\.name), of: user, to: client, app: ledger.app,
            in: ledger.transaction)

        let isHeldBack = allOrNothing && !answers.allSatisfy(\.outcome.isAcceptable)
        var words: [PermissionName: GrantRecord] = [:]
        var changed: Set<PermissionName> = []
        for (index, (permission, old)) in zip(permissions, rows).enumerated() {
            // A public profile that comes with another permission, and is granted already, is not
            // granted again.
            if index >= own, let old, old.status(at: ledger.now) == .granted { continue }
            let new = after(word, old, permission, client, at: ledger.now)
            words[permission.name] = new
            guard !isHeldBack, let new, new != old else { continue }
            try write(new, permission.name, of: user, ledger)
            changed.insert(permission.name)
        }
        for (index, name) in names.enumerated()
        where answers[index].outcome.isAcceptable {
            guard let name else { continue }
            answers[index].grant = words[name]
            answers[index].outcome = .done(changing: changed.contains(name))
        }
        return (!changed.isEmpty, answers)
    }

    /// Revokes every grant of `user` to `client`, and returns those grants as they are afterwards:
    /// each of them changed.
    ///
    /// A permission that the user declined stays declined.
    ///
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func revokeAll(
        of user: UserID, to client: ClientAppID, in ledger: Ledger
    ) throws(StorageError) -> [GrantRecord] {
        var revoked: [GrantRecord] = []
        for old in try grants(of: user, to: client, app: ledger.app, in: ledger.transaction)
        where old.said == .granted {
            guard let name = PermissionName(old.permission) else { continue }
            let new = revoking(old, at: ledger.now)
            try write(new, name, of: user, ledger)
            revoked.append(new)
        }
        return revoked
    }

    /// The decisions of `user` about `client`, in the order of the bytes of the permissions' names.
    package static func grants(
        of user: UserID, to client: ClientAppID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [GrantRecord] {
        let table = Tables.grants
        let arena = transaction.arena
        var grants: [GrantRecord?] = []
        // A user has at most one row for each permission, and permissions are few.
        try table.scan(
            table.rows(of: app.partition(of: user), to: client), limit: .max, in: transaction
        ) { _, bytes in
            grants.append(table.decode(bytes, in: arena))
            return .more
        }
        let whole = grants.compactMap { $0 }
        guard whole.count == grants.count else {
            throw StorageError(.corrupted, "a grant of \(user) to \(client) does not decode")
        }
        return whole
    }

    /// The present status of one permission of `user` for `client`.
    package static func status(
        of permission: PermissionName, of user: UserID, to client: ClientAppID, app: App,
        at now: Timestamp, in transaction: any ReadTransaction
    ) throws(StorageError) -> PermissionStatus {
        let rows = try records(
            of: [permission], of: user, to: client, app: app, in: transaction)
        return rows[0]?.status(at: now) ?? .unspecified
    }

    /// Adds the rows that ``set(_:_:of:to:allOrNothing:in:)`` reads.
    package static func keys(
        of names: [PermissionName?], of user: UserID, to client: ClientAppID, app: App,
        into keys: inout KeyList
    ) {
        let partition = app.partition(of: user)
        Feed.addState(of: app, to: &keys)
        for name in names.compactMap({ $0 }) + [.publicProfile] {
            Tables.grants.add(partition, GrantKey(client, name), to: &keys)
        }
    }

    /// Adds the rows that ``revokeAll(of:to:in:)`` reads, beside the grants that it scans.
    package static func keysForRevokingAll(
        of user: UserID, app: App, into keys: inout KeyList
    ) {
        Feed.addState(of: app, to: &keys)
    }

    // MARK: The parts

    private struct ConsentRefusal: Error {
        let outcome: PermissionOutcome

        init(_ code: ProfileStatus, _ reason: Reason) {
            outcome = Outcome(code, reason)
        }
    }

    private static func permission(
        _ name: PermissionName?, _ word: Word, _ settings: AppSettings
    ) -> Result<Permission, ConsentRefusal> {
        guard let name else {
            return .failure(ConsentRefusal(.invalidParameter, word.illegal))
        }
        guard let permission = settings.permission(name) else {
            return .failure(ConsentRefusal(.tagNotFound, word.notExist))
        }
        guard word == .grant || name != .publicProfile else {
            return .failure(ConsentRefusal(.valueError, word.basic))
        }
        return .success(permission)
    }

    private static func records(
        of names: [PermissionName], of user: UserID, to client: ClientAppID, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [GrantRecord?] {
        let partition = app.partition(of: user)
        var keys = KeyList()
        for name in names { Tables.grants.add(partition, GrantKey(client, name), to: &keys) }
        return try Tables.grants.records(keys, in: transaction)
    }

    /// The row after the decision `word`; nil if there is no row before it or after it.
    private static func after(
        _ word: Word, _ old: GrantRecord?, _ permission: Permission, _ client: ClientAppID,
        at now: Timestamp
    ) -> GrantRecord? {
        var new = old ?? GrantRecord()
        new.clientAppID = client.text
        new.permission = permission.name.text
        new.changeTimeMs = now.milliseconds
        switch word {
        case .grant:
            new.said = .granted
            new.grantTimeMs = now.milliseconds
            let lifetime = permission.lifetimeMs
            new.expireTimeMs = lifetime == 0 ? 0 : now.milliseconds + lifetime
            return new
        case .decline:
            guard old?.said != .declined else { return old }
            new.said = .declined
            new.expireTimeMs = 0
            return new
        case .revoke:
            guard let old, old.said == .granted else { return old }
            return revoking(old, at: now)
        }
    }

    private static func revoking(_ old: GrantRecord, at now: Timestamp) -> GrantRecord {
        var new = old
        new.said = .revoked
        new.expireTimeMs = 0
        new.changeTimeMs = now.milliseconds
        return new
    }

    /// Writes the row, and notifies `user`.
    static func write(
        _ grant: GrantRecord, _ name: PermissionName, of user: UserID, _ ledger: Ledger
    ) throws(StorageError) {
        let key = GrantKey(ClientAppID(stored: grant.clientAppID), name)
        try Tables.grants.set(
            grant, at: ledger.partition(of: user), key, in: ledger.transaction)
        var item = ChangeItemRecord()
        item.clientAppID = grant.clientAppID
        item.permission = ChangedPermission(grant, ledger.settings)
        try ledger.notify(user, .consentChanged, item)
    }
}

extension Consent.Word {
    fileprivate var illegal: Reason {
        switch self {
        case .grant: Reason.ConsentGrant.permissionIllegal
        case .decline: Reason.ConsentDecline.permissionIllegal
        case .revoke: Reason.ConsentRevoke.permissionIllegal
        }
    }

    fileprivate var notExist: Reason {
        switch self {
        case .grant: Reason.ConsentGrant.permissionNotExist
        case .decline: Reason.ConsentDecline.permissionNotExist
        case .revoke: Reason.ConsentRevoke.permissionNotExist
        }
    }

    /// Granting the public profile is never refused.
    fileprivate var basic: Reason {
        self == .revoke
            ? Reason.ConsentRevoke.permissionBasic : Reason.ConsentDecline.permissionBasic
    }
}
