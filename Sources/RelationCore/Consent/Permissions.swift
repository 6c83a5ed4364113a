package import RelationModel
import Storage

/// Rules over an app's client apps, and over the permissions for which they may ask.
package enum Permissions {
    /// One permission of a request.
    package enum Definition {
        case permission(Permission)
        /// It is malformed, for this reason.
        case malformed(Reason)
    }

    // MARK: Calls

    /// The result of registering a client app.
    package enum Registration: Equatable {
        /// It is registered; it changed if it is new, or has another name than before.
        case done(changed: Bool)
        /// The app already has as many as it may have.
        case full
    }

    /// Registers a client app of the app of `ledger`, or renames a registered one.
    ///
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func register(
        _ client: ClientApp, in ledger: Ledger
    ) throws(StorageError) -> Registration {
        var settings = ledger.settings
        guard register(client, in: &settings) else { return .full }
        return .done(changed: try store(settings, in: ledger))
    }

    /// Defines permissions of the app of `ledger`, one after another.
    ///
    /// A definition that repeats an earlier one of the call has the same answer.
    ///
    /// - Parameter allOrNothing: Whether nothing is written unless all are answered with success.
    /// - Returns: Whether the app changed, and for each definition the answer of
    ///   ``define(_:in:)``, or ``ProfileStatus/invalidParameter`` with its reason.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func define(
        _ definitions: [Definition], allOrNothing: Bool, in ledger: Ledger
    ) throws(StorageError) -> (changed: Bool, outcomes: [PermissionOutcome]) {
        var settings = ledger.settings
        var defined: [PermissionName: (Permission, answer: PermissionOutcome)] = [:]
        func outcome(of definition: Definition) -> PermissionOutcome {
            switch definition {
            case .permission(let permission):
                if let (known, answer) = defined[permission.name], known == permission {
                    return answer
                }
                let answer = define(permission, in: &settings)
                defined[permission.name] = (permission, answer)
                return answer
            case .malformed(let reason):
                return Outcome(.invalidParameter, reason)
            }
        }
        let outcomes = definitions.map(outcome)
        guard !allOrNothing || outcomes.allSatisfy(\.isAcceptable) else {
            let alone = definitions.map {
                settings = ledger.settings
                defined = [:]
                return outcome(of: $0)
            }
            let answers = AllOrNothing.answers(
                alone: alone, together: outcomes, accepting: \.isAcceptable)
            return (false, answers.map(\.withoutChange))
        }
        return (try store(settings, in: ledger), outcomes)
    }

    /// - Returns: Whether the app changed.
    private static func store(
        _ settings: AppSettings, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let old = try AppRules.record(of: ledger.app.id, in: ledger.transaction) ?? AppRecord()
        var app = old
        app.clientApps = settings.clientApps.map(ClientAppRecord.init)
        app.permissions = settings.permissions.map(PermissionRecord.init)
        return try AppRules.replace(old, by: app, of: ledger.app.id, in: ledger).changed
    }

    // MARK: On settings

    /// Registers a client app, or renames a registered one.
    ///
    /// - Returns: Whether there was room for it. If not, nothing has changed.
    package static func register(_ client: ClientApp, in settings: inout AppSettings) -> Bool {
        if let index = settings.clientApps.firstIndex(where: { $0.id == client.id }) {
            settings.clientApps[index] = client
            return true
        }
        guard settings.clientApps.count < Limits.clientApps else { return false }
        settings.clientApps.append(client)
        return true
    }

    /// Defines a permission, or puts another definition in the place of an earlier one.
    ///
    /// A grant of a user stays granted for the time that the earlier definition gave it; the latest
    /// definition decides which fields it opens. For a built-in permission only the lifetime can be
    /// chosen, and for ``PermissionName/publicProfile`` nothing.
    ///
    /// - Parameter permission: Its own kind and access have been checked to be known.
    /// - Returns: ``ProfileStatus/success``, or the first of these that applies:
    ///   - ``ProfileStatus/invalidParameter`` if the fields are too many or one comes twice, or if
    ///     the lifetime is out of range;
    ///   - ``ProfileStatus/valueError`` if the permission is built in and the definition differs;
    ///   - ``ProfileStatus/tagNotFound`` if a profile has no such field;
    ///   - ``ProfileStatus/readPermissionRequired`` if no client app may read the field;
    ///   - ``ProfileStatus/valueError`` if the permission is to publish and opens fields or is of a
    ///     kind that reads, if its kind is ``PermissionKind/basic``, or if the app has defined as
    ///     many permissions as it may.
    package static func define(
        _ permission: Permission, in settings: inout AppSettings
    ) -> PermissionOutcome {
        var permission = permission
        if let refusal = refusal(of: &permission, settings) { return refusal }
        if let index = settings.permissions.firstIndex(where: { $0.name == permission.name }) {
            let isChange = settings.permissions[index] != permission
            settings.permissions[index] = permission
            return .done(changing: isChange)
        }
        guard settings.permissions.count < Limits.permissions else {
            return Outcome(.valueError, Reason.ConsentDefine.tooMany)
        }
        settings.permissions.append(permission)
        return .success
    }

    private static func refusal(
        of permission: inout Permission, _ settings: AppSettings
    ) -> PermissionOutcome? {
        typealias Why = Reason.ConsentDefine
        let fields = permission.fields
        let different = Set(fields.map(ExactText.init))
        guard fields.count <= Limits.permissionFields, different.count == fields.count else {
            return Outcome(.invalidParameter, Why.fieldsIllegal)
        }
        guard (0...Limits.permissionLifetimeMs).contains(permission.lifetimeMs) else {
            return Outcome(.invalidParameter, Why.lifetimeIllegal)
        }
        if let builtIn = Permission.builtIn.first(where: { $0.name == permission.name }) {
            guard let chosen = builtIn.redefined(as: permission) else {
                return Outcome(.valueError, Why.builtIn)
            }
            permission = chosen
            return nil
        }
        for field in fields {
            switch isReadable(field, settings) {
            case nil: return Outcome(.tagNotFound, Why.fieldNotExist)
            case false?:
                return Outcome(.readPermissionRequired, Why.fieldNotReadable)
            default: break
            }
        }
        let isOfReads = permission.kind == .email || permission.kind == .extendedProfile
        guard permission.access == .read || fields.isEmpty && !isOfReads else {
            return Outcome(.valueError, Why.accessIllegal)
        }
        guard permission.kind != .basic else {
            return Outcome(.valueError, Why.kindIllegal)
        }
        return nil
    }

    /// Whether client apps may be allowed to read the field of that name; nil if profiles have no
    /// such field.
    private static func isReadable(_ path: String, _ settings: AppSettings) -> Bool? {
        if let key = CustomPath.key(in: path) {
            return settings.customField(key, of: .profile)?.isReadable
        }
        return ProfileField(named: path).map { !$0.isPrivate }
    }
}

extension Permission {
    /// This built-in permission with the lifetime of `other`, or nil if `other` differs in anything
    /// else.
    ///
    /// An empty list of fields stands for the fields that it has.
    fileprivate func redefined(as other: Permission) -> Permission? {
        guard other.kind == kind, other.access == access,
            other.fields.isEmpty || Set(other.fields) == Set(fields),
            name != .publicProfile || other.lifetimeMs == lifetimeMs
        else { return nil }
        var redefined = self
        redefined.lifetimeMs = other.lifetimeMs
        return redefined
    }
}
