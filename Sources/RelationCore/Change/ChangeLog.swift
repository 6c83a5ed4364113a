import Protobuf
package import RelationModel
import Storage

/// Reads the log of one user.
package enum ChangeLog {
    /// Whether the log still has every event after `sequence`; false if the user never reached
    /// `sequence`.
    package static func reachesBack(to sequence: Int64, _ userRecord: UserRecord) -> Bool {
        (userRecord.logFloor...max(userRecord.logFloor, userRecord.sequence)).contains(sequence)
    }

    /// Calls `body` with the events of `user` after `sequence`, oldest first, until `body` returns
    /// ``ScanStep/stop`` or has seen `limit` events.
    ///
    /// - Important: The bytes are valid only during that call.
    package static func scan(
        of user: UserID, after sequence: Int64, limit: Int, app: App,
        in transaction: any ReadTransaction,
        _ body: (_ sequence: Int64, _ event: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        let table = Tables.changes
        let range = table.rows(of: app.partition(of: user), after: UInt64(max(0, sequence)))
        try table.scan(range, limit: limit, in: transaction) { sequence, bytes in
            body(Int64(sequence), bytes)
        }
    }
}

extension ChangeKind {
    /// Reads the kind of a stored event from its first bytes, without decoding the rest.
    package init(storedEvent bytes: UnsafeRawBufferPointer) {
        // Field 1 comes first. An event without it has no kind.
        var walk = FieldWalk(bytes)
        guard case (1, .varint(let value))? = try? walk.next() else {
            self = .unspecified
            return
        }
        self.init(rawValue: Int32(truncatingIfNeeded: value))
    }
}
