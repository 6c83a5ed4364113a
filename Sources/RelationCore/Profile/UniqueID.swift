package import Protobuf
package import RelationModel
package import Storage

/// A handle that at most one user of an app has: letters and digits, compared byte by byte.
package struct UniqueID: RowKey, Hashable {
    package let text: String

    /// The identifier that `text` spells, or nil if `text` is empty, too long, or has other
    /// characters.
    package init?(_ text: String, _ limits: AppLimits) {
        guard !text.isEmpty, limits.uniqueID.allows(text), Self.isOfItsAlphabet(text) else {
            return nil
        }
        self.text = text
    }

    /// The identifier in a stored profile, which was checked when it was written.
    package init(stored text: String) {
        self.text = text
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        text = String(decoding: bytes, as: UTF8.self)
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Whether `text` consists of letters and digits of ASCII only.
    package static func isOfItsAlphabet(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: false
            }
        }
    }
}

/// The user that has a unique identifier.
package struct UniqueIDRecord: CodedMessage, Equatable {
    package var userID = ""

    package init() {}

    package static let schema = Schema("relation.store.UniqueID", UniqueIDRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
    }
}

extension App {
    /// The unique identifiers of all users.
    package var uniqueIDs: Partition { Partition(app: id, name: [0x02]) }
}

extension Profiles {
    /// The user that has `id`, or nil.
    package static func owner(
        of id: UniqueID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> UserID? {
        try Tables.uniqueIDs.record(app.uniqueIDs, id, in: transaction).map {
            UserID(stored: $0.userID)
        }
    }

    /// The user that `viewer` finds by `id`, or nil.
    ///
    /// A user that lets no user find it so, or is banned, is found by itself and by administrators.
    package static func found(
        by id: UniqueID, for viewer: UserID, isAdmin: Bool, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> UserID? {
        guard let owner = try owner(of: id, app: app, in: transaction) else { return nil }
        guard !isAdmin, owner != viewer else { return owner }
        let record = try Tables.userRecords.record(
            app.partition(of: owner), OnlyKey(), in: transaction)
        guard let record else { return owner }
        return record.canBeFound(by: .uniqueID, at: now, app.settings) ? owner : nil
    }

    /// Gives `user` the identifier `new` in place of `old`, which is free from then on.
    ///
    /// - Precondition: No other user has `new`.
    static func move(
        _ user: UserID, from old: String?, to new: String?, in ledger: Ledger
    ) throws(StorageError) {
        guard old != new else { return }
        if let old {
            Tables.uniqueIDs.remove(
                ledger.app.uniqueIDs, UniqueID(stored: old), in: ledger.transaction)
        }
        if let new { try index(UniqueID(stored: new), of: user, in: ledger) }
    }

    /// Notes that `user` has `id`, even if another user had it.
    static func index(
        _ id: UniqueID, of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        var row = UniqueIDRecord()
        row.userID = user.text
        try Tables.uniqueIDs.set(row, at: ledger.app.uniqueIDs, id, in: ledger.transaction)
    }

    /// Frees the unique identifier of a user whose profile is about to be removed.
    static func releaseUniqueID(of user: UserID, in ledger: Ledger) throws(StorageError) {
        let row = try record(of: user, app: ledger.app, in: ledger.transaction)
        try move(user, from: row.uniqueID, to: nil, in: ledger)
    }
}
