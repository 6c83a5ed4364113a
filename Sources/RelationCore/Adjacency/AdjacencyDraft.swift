import Protobuf
import RelationModel
import Storage

extension AdjacencyCache.Load {
    /// Reads the rows of the adjacency list in `transaction`, whose view was taken after the load
    /// began, and keeps the adjacency list.
    ///
    /// A user without a record has no adjacency list: rows may be left of an account that is being
    /// deleted. A suspended user has none either: its own rows say whether that has ended, and so
    /// no other user's answers have to look.
    ///
    /// - Returns: Whether it is kept now.
    @discardableResult
    package func finish(in transaction: any ReadTransaction) throws(StorageError) -> Bool {
        let partition = app.partition(of: user)
        guard let userRecord = try userRecord(partition, in: transaction),
            !userRecord.suspensionLevel.forbids(.write)
        else { return false }
        var draft = AdjacencyDraft(self)
        defer { draft.free() }
        // The user record counts the rows of these lists.
        if userRecord.friendCount > 0 {
            try draft.read(Tables.friends.kind, partition, in: transaction)
        }
        if userRecord.comeInCount > 0 || userRecord.sendOutCount > 0 {
            try draft.read(Tables.pendencies.kind, partition, in: transaction)
        }
        if userRecord.blacklistCount > 0 {
            try draft.read(Tables.blacklist.kind, partition, in: transaction)
        }
        try draft.read(Tables.mentions.kind, partition, in: transaction)
        return finish(with: draft.finished())
    }

    /// The user's record; nil if it has none.
    ///
    /// A look-up would keep the block of rows around it in memory, and the adjacency list
    /// stands for most of them.
    private func userRecord(
        _ partition: Partition, in transaction: any ReadTransaction
    ) throws(StorageError) -> UserRecord? {
        let arena = transaction.arena
        var userRecord: UserRecord?
        var isBroken = false
        try transaction.scanOnce(KeyRange(in: partition, prefix: [Tables.userRecords.kind])) {
            _, row in
            userRecord = Tables.userRecords.decode(row, in: arena)
            isBroken = userRecord == nil
            return .stop
        }
        if isBroken { throw StorageError(.corrupted, "a user record does not decode") }
        return userRecord
    }
}

/// An adjacency list that is being read from rows.
private struct AdjacencyDraft {
    private let load: AdjacencyCache.Load
    private let hash: IDHash
    private var list: AdjacencyList
    private var isTooLong = false

    init(_ load: AdjacencyCache.Load) {
        self.load = load
        hash = load.idHash
        list = Self.make(load, members: 24, bytes: 512)
    }

    private static func make(_ load: AdjacencyCache.Load, members: Int?, bytes: Int = 0)
        -> AdjacencyList
    {
        var text = load.user.text
        return text.withUTF8 { id in
            AdjacencyList.make(
                app: load.app.id, UnsafeRawBufferPointer(id), load.hash,
                version: load.readVersion.commit, members: members, bytes: bytes)
        }
    }

    /// Reads the rows of one kind.
    mutating func read(
        _ kind: UInt8, _ partition: Partition, in transaction: any ReadTransaction
    ) throws(StorageError) {
        guard !isTooLong else { return }
        let prefixCount = partition.bytes.count + 1
        var isBroken = false
        // The adjacency list replaces the rows, so they need none in memory.
        try transaction.scanOnce(KeyRange(in: partition, prefix: [kind])) { key, _ in
            let rowKey = UnsafeRawBufferPointer(rebasing: key[prefixCount...])
            guard let (fact, prefix) = AdjacencyFlags.stated(kind: kind, rowKey: rowKey),
                rowKey.count > prefix, rowKey.count - prefix <= 255
            else {
                isBroken = true
                return .stop
            }
            add(UnsafeRawBufferPointer(rebasing: rowKey[prefix...]), fact)
            return isTooLong ? .stop : .more
        }
        if isBroken { throw StorageError(.corrupted, "an adjacency row names no other user") }
    }

    private mutating func add(_ id: UnsafeRawBufferPointer, _ fact: AdjacencyFlags) {
        if !list.hasRoom(members: 1, bytes: AdjacencyList.memberHeader + id.count) {
            guard list.livingCount < CoreLimits.adjacencyMembers else {
                isTooLong = true
                return
            }
            // As many members again, of the same length.
            let header = list.header.pointee
            let larger = list.rebuilt(
                version: load.readVersion.commit, members: Int(header.memberCount) + 1,
                bytes: Int(header.slabUsed) + AdjacencyList.memberHeader + id.count, hash)
            list.free()
            list = larger
        }
        list.change(id, hash(id), adding: fact)
    }

    /// The adjacency list in memory of its own, as small as it may be.
    func finished() -> AdjacencyList {
        guard !isTooLong, list.livingCount <= CoreLimits.adjacencyMembers else {
            let note = Self.make(load, members: nil)
            note.header.pointee.note = .tooLong
            return note
        }
        return list.rebuilt(version: load.readVersion.commit, spare: false, hash)
    }

    func free() {
        list.free()
    }
}
