import Memory
import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// The answer of GetRelations, put together from the ids of the request, the stored rows of
/// friends, and encoded parts.
///
/// The bytes are those that the codec makes of the plain messages; a test compares the two.
enum RelationAnswer {
    private static let results = SplicedField(GetRelationsResponse.schema, "results")
    private static let userID = SplicedField(RelationCard.schema, "user_id")
    private static let friendEntry = SplicedField(RelationCard.schema, "friend_entry")

    /// The fields before the friend's row: a malformed id, an id without an account, and the four
    /// relations.
    private static let userRecords: EncodedParts = {
        var malformed = RelationCard()
        malformed.set(.invalidParameter, Reason.RelationGet.userIDIllegal)
        var noAccount = RelationCard()
        noAccount.set(.accountNotFound, Reason.RelationGet.accountNotExist)
        let found = (0..<4).map { number in
            var card = RelationCard()
            card.set(.success)
            card.relation = FriendRelation(mine: number & 1 != 0, theirs: number & 2 != 0)
            return card
        }
        return EncodedParts([malformed, noAccount] + found)
    }()
    private static let malformed = 0
    private static let noAccount = 1
    private static func found(_ facts: AdjacencyFlags) -> Int {
        2 + (facts.isMine ? 1 : 0) + (facts.isTheirs ? 2 : 0)
    }

    /// The fields after the friend's row: who has whom on a blacklist.
    private static let tails = EncodedParts(
        [nil, false, true].flatMap { blocking in
            [false, true].map { blocked in
                RelationCard.with {
                    $0.blacklisted = blocked
                    $0.blacklistedBy = blocking
                }
            }
        })
    private static func tail(_ facts: AdjacencyFlags, isAdmin: Bool) -> Int {
        (isAdmin ? facts.isBlocking ? 4 : 2 : 0) + (facts.isBlocked ? 1 : 0)
    }

    /// The answer in the memory of the call; nil if a friend has no row, so that a read of the rows
    /// finds out why.
    static func bytes(
        _ names: UnsafeBufferPointer<Text>, _ known: KnownRelations, _ call: Call
    ) throws(StorageError) -> Encoded<GetRelationsResponse>? {
        try known.withRows { (view) throws(StorageError) in
            var room = 0
            guard let rows = try rows(names, known.pairs, view, &room, call.arena) else {
                return nil
            }
            do throws(CodecError) {
                return try bytes(names, known.pairs, rows, room: room, call)
            } catch {
                throw .answerIsFull
            }
        }
    }

    /// The row of each of `names`, which is empty for those that are not friends; nil if a friend
    /// has none.
    ///
    /// - Parameter room: The bytes of the answer at most; they are added up here.
    private static func rows(
        _ names: UnsafeBufferPointer<Text>, _ pairs: KnownPairs, _ view: StoredFriendRows.View?,
        _ room: inout Int, _ arena: Arena
    ) throws(StorageError) -> UnsafeMutablePointer<UnsafeRawBufferPointer>? {
        let stride = MemoryLayout<UnsafeRawBufferPointer>.stride
        guard let memory = arena.allocate(names.count * stride) else { throw .answerIsFull }
        let rows = memory.bindMemory(to: UnsafeRawBufferPointer.self, capacity: names.count)
        room = names.count * (3 * Splice.prefixBytes + userRecords.longest + tails.longest)
        for index in names.indices {
            var row = UnsafeRawBufferPointer(start: nil, count: 0)
            if pairs.state(index) == .found, !pairs.isOwner(index), pairs.facts(index).isMine {
                guard let view, let found = names[index].withBytes({ view.row(of: $0) }) else {
                    return nil
                }
                row = found
            }
            (rows + index).initialize(to: row)
            room += names[index].count + row.count
        }
        return rows
    }

    private static func bytes(
        _ names: UnsafeBufferPointer<Text>, _ pairs: KnownPairs,
        _ rows: UnsafeMutablePointer<UnsafeRawBufferPointer>, room: Int, _ call: Call
    ) throws(CodecError) -> Encoded<GetRelationsResponse> {
        let (results, userID, friendEntry) = (results, userID, friendEntry)
        let (userRecords, tails, isAdmin) = (userRecords, tails, call.isAdmin)
        var splice = try Splice(room: room, in: call.arena)
        for index in names.indices {
            var name = names[index]
            let row = rows[index]
            var (userRecord, tail) = (
                userRecords[noAccount], UnsafeRawBufferPointer(start: nil, count: 0)
            )
            switch pairs.state(index) {
            case .malformed:
                userRecord = userRecords[malformed]
                name = name.echoed()
            case .noAccount, .open: break
            case .found:
                let facts = pairs.isOwner(index) ? [] : pairs.facts(index)
                userRecord = userRecords[found(facts)]
                tail = tails[self.tail(facts, isAdmin: isAdmin)]
            }
            // The codec leaves out an empty id.
            let idBytes = name.isEmpty ? 0 : userID.size(of: name.count)
            let rowBytes = row.isEmpty ? 0 : friendEntry.size(of: row.count)
            splice.appendPrefix(
                of: results, count: idBytes &+ userRecord.count &+ rowBytes &+ tail.count)
            if !name.isEmpty { splice.append(userID, short: name) }
            splice.append(short: userRecord)
            if !row.isEmpty { splice.append(friendEntry, row) }
            splice.append(short: tail)
        }
        return splice.finished()
    }
}
