/// Everyone that one account has to do with, in one piece of memory that never changes after it was
/// made; or only the note that the account exists.
///
/// It is a pointer and no object, so that a look-up counts no references. A reader holds a slot,
/// which keeps the memory; see ``EpochReaders``.
///
/// The memory is a header, the id of the account, an index, and the members. A member is its facts
/// in two bytes, the length of its id in one, and the id. The index is a hash table of four bytes
/// for each slot: where the member stands, and eight bits of its hash. So a member takes about ten
/// bytes and its id. Members stand in the order in which they came.
///
/// `@unchecked Sendable`: after it was made, no thread writes to the memory.
struct AdjacencyList: @unchecked Sendable {
    /// The first bytes of the memory.
    struct Header {
        /// The commit from which on it is exact.
        var version: UInt64
        /// The hash of the id.
        let hash: UInt64
        let app: UInt32
        /// The bytes of all.
        let size: UInt32
        /// Where the members stand.
        let slab: UInt32
        /// The bytes that members may take, and those that they take.
        let slabRoom: UInt32
        var slabUsed: UInt32 = 0
        /// The members in the index, those without a fact included.
        var memberCount: UInt32 = 0
        /// The members without a fact.
        var emptyCount: UInt32 = 0
        /// The slots in the index: a power of two, or 0 if there is no adjacency list.
        let slots: UInt32
        let idCount: UInt8
        var note = Note.account
    }

    /// Facts that are known without the members.
    enum Note: UInt8 {
        /// The account exists.
        case account
        /// It exists, and no suspension keeps others from adding it.
        case unsuspended
        /// So it is, and it has too many members to keep them.
        case tooLong
    }

    /// The bytes of a member beside its id.
    static let memberHeader = 3

    let base: UnsafeMutableRawPointer

    @inline(__always)
    init(_ base: UnsafeMutableRawPointer) {
        self.base = base
    }

    // Every access below lies within the `size` bytes that `make` allocated. Header, id, index and
    // slab stand one after the other. An entry of the index is the offset of a member that was
    // written before.

    @inline(__always)
    var header: UnsafeMutablePointer<Header> { base.assumingMemoryBound(to: Header.self) }

    @inline(__always)
    private var idStart: UnsafeMutableRawPointer { base + MemoryLayout<Header>.size }

    @inline(__always)
    private var index: UnsafeMutablePointer<UInt32> {
        (base + Self.indexOffset(idCount: Int(header.pointee.idCount)))
            .assumingMemoryBound(to: UInt32.self)
    }

    @inline(__always)
    private var slab: UnsafeMutableRawPointer { base + Int(header.pointee.slab) }

    private static func indexOffset(idCount: Int) -> Int {
        (MemoryLayout<Header>.size + idCount + 3) & ~3
    }

    var id: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: idStart, count: Int(header.pointee.idCount))
    }

    var size: Int { Int(header.pointee.size) }

    /// Whether the members are here; otherwise only the account is known.
    @inline(__always)
    var hasMembers: Bool { header.pointee.slots > 0 }

    /// Whether the account is known not to be suspended; the members of others are not kept.
    var isUnsuspended: Bool { hasMembers || header.pointee.note != .account }

    @inline(__always)
    func isOf(_ app: UInt32, _ id: UnsafeRawBufferPointer) -> Bool {
        header.pointee.app == app && Int(header.pointee.idCount) == id.count
            && id.isSame(at: UnsafeRawPointer(idStart))
    }

    // MARK: Members

    /// The facts about the user of that id and hash; none if the two have nothing to do with each
    /// other.
    @inline(__always)
    func facts(about id: UnsafeRawBufferPointer, _ hash: UInt64) -> AdjacencyFlags {
        guard let member = member(id, hash) else { return [] }
        return AdjacencyFlags(rawValue: member.loadUnaligned(as: UInt16.self))
    }

    @inline(__always)
    private func member(
        _ id: UnsafeRawBufferPointer, _ hash: UInt64
    ) -> UnsafeMutableRawPointer? {
        let (index, slab) = (index, slab)
        let mask = Int(header.pointee.slots) &- 1
        let tag = UInt32(truncatingIfNeeded: hash >> 56)
        var slot = Int(truncatingIfNeeded: hash) & mask
        // At least a quarter of the slots is free, so this ends.
        while true {
            let entry = index[slot]
            if entry == 0 { return nil }
            if entry & 0xFF == tag {
                let member = slab + (Int(entry >> 8) &- 1)
                if Int(member.load(fromByteOffset: 2, as: UInt8.self)) == id.count,
                    id.isSame(at: UnsafeRawPointer(member + Self.memberHeader))
                {
                    return member
                }
            }
            slot = (slot &+ 1) & mask
        }
    }

    /// The entry of the index at which a look-up of that hash begins.
    ///
    /// - Precondition: The members are here.
    @inline(__always)
    func firstEntry(_ hash: UInt64) -> UInt32 {
        index[Int(truncatingIfNeeded: hash) & (Int(header.pointee.slots) &- 1)]
    }

    /// Calls `body` with the id and the facts of each member, until it returns false.
    @inline(__always)
    func forEachMember(_ body: (UnsafeRawBufferPointer, AdjacencyFlags) -> Bool) {
        var next = UnsafeRawPointer(slab)
        let end = next + Int(header.pointee.slabUsed)
        while next < end {
            let facts = AdjacencyFlags(rawValue: next.loadUnaligned(as: UInt16.self))
            let count = Int(next.load(fromByteOffset: 2, as: UInt8.self))
            let id = UnsafeRawBufferPointer(start: next + Self.memberHeader, count: count)
            if !facts.isEmpty, !body(id, facts) { return }
            next += Self.memberHeader + count
        }
    }

    /// The members that have a fact.
    var livingCount: Int { Int(header.pointee.memberCount - header.pointee.emptyCount) }

    // MARK: Making it

    /// A new piece of memory for the adjacency list of `id`, with no member yet.
    ///
    /// - Parameters:
    ///   - members: The members that it has room for; nil for the note that the account exists.
    ///   - bytes: The room for members.
    static func make(
        app: UInt32, _ id: UnsafeRawBufferPointer, _ hash: UInt64, version: UInt64,
        members: Int?, bytes: Int = 0
    ) -> AdjacencyList {
        precondition(id.count <= 255, "an id is short")
        var slots = 0
        if let members {
            slots = 4
            while slots * 3 / 4 < members { slots *= 2 }
        }
        let slab = indexOffset(idCount: id.count) + slots * 4
        let size = (slab + bytes + 7) & ~7
        let base = UnsafeMutableRawPointer.allocate(
            byteCount: size, alignment: MemoryLayout<Header>.alignment)
        let header = Header(
            version: version, hash: hash, app: app, size: UInt32(size), slab: UInt32(slab),
            slabRoom: UInt32(size - slab), slots: UInt32(slots), idCount: UInt8(id.count))
        base.bindMemory(to: Header.self, capacity: 1).initialize(to: header)
        let list = AdjacencyList(base)
        if let start = id.baseAddress {
            list.idStart.copyMemory(from: start, byteCount: id.count)
        }
        (base + indexOffset(idCount: id.count)).bindMemory(to: UInt32.self, capacity: slots)
            .initialize(repeating: 0, count: slots)
        return list
    }

    /// Another piece of memory with the same bytes.
    func copy(version: UInt64) -> AdjacencyList {
        let size = size
        let other = UnsafeMutableRawPointer.allocate(
            byteCount: size, alignment: MemoryLayout<Header>.alignment)
        other.copyMemory(from: base, byteCount: size)
        let list = AdjacencyList(other)
        list.header.pointee.version = version
        return list
    }

    /// Gives the memory back; no reader may look at it any more.
    func free() {
        base.deallocate()
    }

    /// Whether `members` more members of `bytes` bytes have room here.
    func hasRoom(members: Int, bytes: Int) -> Bool {
        let header = header.pointee
        return Int(header.memberCount) + members <= Int(header.slots) * 3 / 4
            && Int(header.slabUsed) + bytes <= Int(header.slabRoom)
    }

    /// Adds and removes facts about one user, while the adjacency list is being made.
    ///
    /// - Precondition: There is room for it.
    func change(
        _ id: UnsafeRawBufferPointer, _ hash: UInt64, adding: AdjacencyFlags = [],
        removing: AdjacencyFlags = []
    ) {
        if let member = member(id, hash) {
            let old = AdjacencyFlags(rawValue: member.loadUnaligned(as: UInt16.self))
            let new = old.subtracting(removing).union(adding)
            member.storeBytes(of: new.rawValue, as: UInt16.self)
            if old.isEmpty, !new.isEmpty { header.pointee.emptyCount -= 1 }
            if !old.isEmpty, new.isEmpty { header.pointee.emptyCount += 1 }
            return
        }
        guard !adding.isEmpty else { return }
        precondition(
            hasRoom(members: 1, bytes: Self.memberHeader + id.count), "no room for a member")
        let offset = header.pointee.slabUsed
        let member = slab + Int(offset)
        member.storeBytes(of: adding.rawValue, as: UInt16.self)
        member.storeBytes(of: UInt8(id.count), toByteOffset: 2, as: UInt8.self)
        if let start = id.baseAddress {
            (member + Self.memberHeader).copyMemory(from: start, byteCount: id.count)
        }
        header.pointee.slabUsed = offset + UInt32(Self.memberHeader + id.count)
        header.pointee.memberCount += 1
        let mask = Int(header.pointee.slots) - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while index[slot] != 0 { slot = (slot + 1) & mask }
        index[slot] = (offset + 1) << 8 | UInt32(truncatingIfNeeded: hash >> 56)
    }

    /// The members with a fact, in a piece of memory with room for more.
    ///
    /// - Parameter spare: Whether to leave room for later members.
    func rebuilt(
        version: UInt64, members: Int = 0, bytes: Int = 0, spare: Bool = true, _ hash: IDHash
    ) -> AdjacencyList {
        var (count, used) = (members, bytes)
        forEachMember { id, _ in
            count += 1
            used += Self.memberHeader + id.count
            return true
        }
        let list = AdjacencyList.make(
            app: header.pointee.app, id, header.pointee.hash, version: version, members: count,
            bytes: spare ? used + used / 8 + 64 : used)
        forEachMember { id, facts in
            list.change(id, hash(id), adding: facts)
            return true
        }
        return list
    }
}
