import Protobuf
package import RelationModel
import Storage

/// Rules over the fields that an app adds to profiles and to friends.
package enum CustomFieldRules {
    /// The fields of an app in the order in which they were defined, each with its position in the
    /// order of all.
    ///
    /// A field keeps its position for ever, also if it is retired or comes back.
    ///
    /// - Parameter owner: Nil for the fields of all owners.
    package static func list(
        of app: UInt32, _ owner: CustomFieldOwner?, withRetired: Bool,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [(position: Int, record: CustomFieldRecord)] {
        let app = try AppRules.record(of: app, in: transaction) ?? AppRecord()
        return app.customFields.enumerated().filter { _, field in
            (owner == nil || field.owner == owner) && (withRetired || !field.isRetired)
        }.map { (position: $0, record: $1) }
    }

    /// Adds a field to the app of `ledger`, or changes who may read and write an existing one.
    ///
    /// A retired field comes back with its stored values, so it must have its old type. To define
    /// a field again as it is changes nothing.
    ///
    /// - Returns: ``FriendStatus/success``, or ``FriendStatus/invalidParameter`` with the first
    ///   reason that applies. The reasons are: the owner is unknown, the key is illegal, the type
    ///   is unknown, the field already has another type, the app has as many fields as it may have.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func define(
        _ field: CustomField, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        guard field.owner == .profile || field.owner == .friend else {
            return Outcome(.invalidParameter, Reason.CustomField.ownerIllegal)
        }
        guard ledger.limits.allowsCustomKey(field.key) else {
            return Outcome(.invalidParameter, Reason.CustomField.keyIllegal)
        }
        guard field.type.isKnown, field.type != .unspecified else {
            return Outcome(.invalidParameter, Reason.CustomField.typeIllegal)
        }
        let old = try AppRules.record(of: ledger.app.id, in: ledger.transaction) ?? AppRecord()
        var app = old
        let index = app.customFields.index(of: field.owner, field.key)
        if let index, app.customFields[index].type != field.type {
            return Outcome(.invalidParameter, Reason.CustomField.typeDiffers)
        }
        let ofOwner = app.customFields.filter { $0.owner == field.owner }
        let allowed =
            field.owner == .profile ? ledger.limits.profileKeys : ledger.limits.friendKeys
        let isNew = index.map { app.customFields[$0].isRetired } ?? true
        let isOverLimit =
            isNew && ofOwner.count(where: { !$0.isRetired }) >= allowed
            || index == nil && ofOwner.count >= Limits.customFields
        guard !isOverLimit else {
            return Outcome(.invalidParameter, Reason.CustomField.limit)
        }

        var record = CustomFieldRecord()
        record.owner = field.owner
        record.key = field.key
        record.type = field.type
        record.adminReads = !field.isReadable
        record.adminWrites = !field.isWritable
        if let index {
            app.customFields[index] = record
        } else {
            app.customFields.append(record)
        }
        return .done(
            changing: try AppRules.replace(old, by: app, of: ledger.app.id, in: ledger).changed)
    }

    /// Retires a field: no call knows it any more; its stored values stay, but no call shows them.
    ///
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/invalidParameter`` if the owner is unknown, ``FriendStatus/tagNotFound``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func retire(
        _ key: String, of owner: CustomFieldOwner, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        guard owner == .profile || owner == .friend else {
            return Outcome(.invalidParameter, Reason.CustomField.ownerIllegal)
        }
        let old = try AppRules.record(of: ledger.app.id, in: ledger.transaction) ?? AppRecord()
        guard let index = old.customFields.index(of: owner, key),
            !old.customFields[index].isRetired
        else { return Outcome(.tagNotFound, Reason.CustomField.notExist) }
        var app = old
        app.customFields[index].isRetired = true
        return .done(
            changing: try AppRules.replace(old, by: app, of: ledger.app.id, in: ledger).changed)
    }
}

extension [CustomFieldRecord] {
    fileprivate func index(of owner: CustomFieldOwner, _ key: String) -> Int? {
        firstIndex { $0.owner == owner && $0.key.isExactly(key) }
    }
}
