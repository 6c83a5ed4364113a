import Protobuf
import RelationModel
package import Storage

extension Circles.Load {
    /// Reads the rows of the circle in `transaction`, whose view was taken after the load began,
    /// and keeps the circle.
    ///
    /// A user without a head has no circle: rows may be left of an account that is being deleted.
    ///
    /// - Returns: Whether it is kept now.
    @discardableResult
    package func finish(in transaction: any ReadTransaction) throws(StorageError) -> Bool {
        let partition = app.partition(of: user)
        guard let head = try head(partition, in: transaction) else { return false }
        var draft = CircleDraft(self)
        defer { draft.free() }
        // The head counts the rows of these lists.
        if head.friendCount > 0 {
            try draft.read(Tables.friends.kind, partition, in: transaction)
        }
        if head.comeInCount > 0 || head.sendOutCount > 0 {
            try draft.read(Tables.pendencies.kind, partition, in: transaction)
        }
        if head.blacklistCount > 0 {
            try draft.read(Tables.blacklist.kind, partition, in: transaction)
        }
        try draft.read(Tables.mentions.kind, partition, in: transaction)
        return finish(with: draft.finished())
    }

    /// The user's head; nil if it has none.
    ///
    /// A look-up would keep the block of rows around the head in memory, and the circle stands for
    /// most of them.
    private func head(
        _ partition: Partition, in transaction: any ReadTransaction
    ) throws(StorageError) -> HeadRecord? {
        let arena = transaction.arena
        var head: HeadRecord?
        var isBroken = false
        try transaction.scanOnce(KeyRange(in: partition, prefix: [Tables.heads.kind])) { _, row in
            head = Tables.heads.decode(row, in: arena)
            isBroken = head == nil
            return .stop
        }
        if isBroken { throw StorageError(.corrupted, "a head does not decode") }
        return head
    }
}

/// A circle that is being read from rows.
private struct CircleDraft {
    private let load: Circles.Load
    private let hash: IDHash
    private var circle: Circle
    private var isTooLong = false

    init(_ load: Circles.Load) {
        self.load = load
        hash = load.idHash
        circle = Self.make(load, members: 24, bytes: 512)
    }

    private static func make(_ load: Circles.Load, members: Int?, bytes: Int = 0) -> Circle {
        var text = load.user.text
        return text.withUTF8 { id in
            Circle.make(
                app: load.app.id, UnsafeRawBufferPointer(id), load.hash,
                since: load.moment.commit, members: members, bytes: bytes)
        }
    }

    /// Reads the rows of one kind.
    mutating func read(
        _ kind: UInt8, _ partition: Partition, in transaction: any ReadTransaction
    ) throws(StorageError) {
        guard !isTooLong else { return }
        let prefixCount = partition.bytes.count + 1
        var isBroken = false
        // The circle takes the place of the rows, so they need none in memory.
        try transaction.scanOnce(KeyRange(in: partition, prefix: [kind])) { key, _ in
            let rowKey = UnsafeRawBufferPointer(rebasing: key[prefixCount...])
            guard let (fact, prefix) = CircleFacts.stated(kind: kind, rowKey: rowKey),
                rowKey.count > prefix, rowKey.count - prefix <= 255
            else {
                isBroken = true
                return .stop
            }
            add(UnsafeRawBufferPointer(rebasing: rowKey[prefix...]), fact)
            return isTooLong ? .stop : .more
        }
        if isBroken { throw StorageError(.corrupted, "a row of a circle has no other user") }
    }

    private mutating func add(_ id: UnsafeRawBufferPointer, _ fact: CircleFacts) {
        if !circle.hasRoom(members: 1, bytes: Circle.memberHead + id.count) {
            guard circle.livingCount < CoreLimits.circleMembers else {
                isTooLong = true
                return
            }
            // As many members again, of the same length.
            let head = circle.head.pointee
            let larger = circle.rebuilt(
                since: load.moment.commit, members: Int(head.memberCount) + 1,
                bytes: Int(head.slabUsed) + Circle.memberHead + id.count, hash)
            circle.free()
            circle = larger
        }
        circle.change(id, hash(id), adding: fact)
    }

    /// The circle in memory of its own, as small as it may be.
    func finished() -> Circle {
        guard !isTooLong, circle.livingCount <= CoreLimits.circleMembers else {
            let note = Self.make(load, members: nil)
            note.head.pointee.isTooLong = true
            return note
        }
        return circle.rebuilt(since: load.moment.commit, spare: false, hash)
    }

    func free() {
        circle.free()
    }
}
