import Protobuf
import Storage
import Synchronization

/// All that those who write to the table of adjacency lists share, under one lock.
struct AdjacencyWriters: Sendable {
    /// The cost of all that stands in the table, and of the table.
    private(set) var cost = 0
    private(set) var accounts = 0
    private(set) var adjacency = 0
    private(set) var loaded: UInt64 = 0
    private(set) var evictions: UInt64 = 0
    /// The bytes that wait to be freed.
    private(set) var waitingBytes = 0

    /// Memory that was taken out of the table, and the era in which that was done.
    private var waiting: [(era: UInt64, memory: Memory)] = []
    /// Loads that have begun: the slots of their users, and their numbers.
    private var loads: [(slot: UInt64, number: UInt64)] = []
    private var loadNumber: UInt64 = 0
    private var invalidated: InvalidationVersions
    /// The new versions that the commit under way has installed.
    private var installed: [AdjacencyList] = []
    /// The slots that are not free in each part.
    private var filled: [Int] = []
    /// The next slot that an eviction visits.
    private var hand = (part: 0, slot: 1)

    init(invalidationSlots: Int) {
        invalidated = InvalidationVersions(slots: invalidationSlots)
    }

    /// `@unchecked Sendable` because of the pointers: the holder of the lock has them alone.
    private enum Memory: @unchecked Sendable {
        case list(AdjacencyList)
        case array(AdjacencyTable.Slots)
    }

    // MARK: Freeing

    /// Frees what no reader can be looking at any more.
    mutating func reclaim(in adjacency: AdjacencyCache) {
        guard !waiting.isEmpty else { return }
        let oldest = adjacency.readers.oldest()
        var kept = 0
        for entry in waiting {
            if entry.era > oldest {
                waiting[kept] = entry
                kept += 1
                continue
            }
            free(entry.memory)
        }
        waiting.removeLast(waiting.count - kept)
    }

    private mutating func free(_ memory: Memory) {
        waitingBytes -= Self.bytes(of: memory)
        switch memory {
        case .list(let list): list.free()
        case .array(let array): AdjacencyTable.free(array)
        }
    }

    private static func bytes(of memory: Memory) -> Int {
        switch memory {
        case .list(let list): AdjacencyWriters.cost(of: list)
        case .array(let array): AdjacencyTable.bytes(AdjacencyTable.mask(of: array) + 1)
        }
    }

    /// Frees what was taken out of the table, when it has no readers any more.
    mutating func freeAll() {
        for entry in waiting { free(entry.memory) }
        waiting = []
    }

    /// Leaves memory that is out of the table to be freed.
    private mutating func retire(_ memory: Memory, in adjacency: AdjacencyCache) {
        waitingBytes += Self.bytes(of: memory)
        waiting.append((adjacency.readers.advance(), memory))
    }

    /// The memory that an adjacency list takes, with what the allocator adds.
    static func cost(of list: AdjacencyList) -> Int { list.size + 16 }

    // MARK: The table

    /// The slot of a user's adjacency list in the table, and the adjacency list.
    func find(
        _ app: UInt32, _ id: UnsafeRawBufferPointer, _ hash: UInt64, in adjacency: AdjacencyCache
    ) -> (slot: AdjacencyTable.Slots, list: AdjacencyList)? {
        let slot = IDHash.slot(hash, in: app)
        guard let array = adjacency.table.array(adjacency.table.part(of: slot)) else { return nil }
        let mask = AdjacencyTable.mask(of: array)
        var number = Int(truncatingIfNeeded: slot) & mask
        while true {
            let at = array + 1 + number
            let address = at.pointee.address.load(ordering: .relaxed)
            if address == AdjacencyTable.Slot.free { return nil }
            if let list = AdjacencyTable.list(at: at), list.isOf(app, id) { return (at, list) }
            number = (number + 1) & mask
        }
    }

    /// Puts an adjacency list into the table, or instead of the one that its user has there.
    ///
    /// The caller has made room for its cost.
    private mutating func store(_ list: AdjacencyList, in adjacency: AdjacencyCache) {
        let header = list.header.pointee
        if let (slot, old) = find(header.app, list.id, header.hash, in: adjacency) {
            return replace(old, by: list, at: slot, in: adjacency)
        }
        let slot = IDHash.slot(header.hash, in: header.app)
        let part = adjacency.table.part(of: slot)
        let array = array(part, in: adjacency)
        let mask = AdjacencyTable.mask(of: array)
        var number = Int(truncatingIfNeeded: slot) & mask
        while AdjacencyTable.list(at: array + 1 + number) != nil { number = (number + 1) & mask }
        let at = array + 1 + number
        if at.pointee.address.load(ordering: .relaxed) == AdjacencyTable.Slot.free {
            filled[part] += 1
        }
        Self.write(list, slot, at)
        count(list, 1)
    }

    private static func write(_ list: AdjacencyList, _ slot: UInt64, _ at: AdjacencyTable.Slots) {
        at.pointee.tag.store(UInt32(truncatingIfNeeded: slot >> 32), ordering: .relaxed)
        at.pointee.isUsed.store(1, ordering: .relaxed)
        at.pointee.address.store(UInt(bitPattern: list.base), ordering: .sequentiallyConsistent)
    }

    private mutating func replace(
        _ old: AdjacencyList, by new: AdjacencyList, at slot: AdjacencyTable.Slots,
        in adjacency: AdjacencyCache
    ) {
        slot.pointee.address.store(
            UInt(bitPattern: new.base), ordering: .sequentiallyConsistent)
        count(old, -1)
        count(new, 1)
        retire(.list(old), in: adjacency)
    }

    /// Takes an adjacency list out of the table.
    private mutating func remove(
        _ list: AdjacencyList, at slot: AdjacencyTable.Slots, in adjacency: AdjacencyCache
    ) {
        slot.pointee.address.store(AdjacencyTable.Slot.left, ordering: .sequentiallyConsistent)
        count(list, -1)
        // Its memory may be free before the commit under way has ended.
        installed.removeAll { $0.base == list.base }
        retire(.list(list), in: adjacency)
    }

    private mutating func count(_ list: AdjacencyList, _ sign: Int) {
        cost += sign * Self.cost(of: list)
        accounts += sign
        if list.hasMembers { adjacency += sign }
    }

    /// The array of a part, with room for one more adjacency list.
    private mutating func array(_ part: Int, in adjacency: AdjacencyCache) -> AdjacencyTable.Slots {
        if filled.isEmpty { filled = Array(repeating: 0, count: adjacency.table.partCount) }
        let old = adjacency.table.array(part)
        if let old, (filled[part] + 1) * 4 <= (AdjacencyTable.mask(of: old) + 1) * 3 { return old }
        var living: [(AdjacencyList, used: UInt32)] = []
        if let old {
            for number in AdjacencyTable.slots(of: old) {
                guard let list = AdjacencyTable.list(at: old + number) else { continue }
                living.append((list, old[number].isUsed.load(ordering: .relaxed)))
            }
        }
        var size = 8
        while size < (living.count + 1) * 2 { size *= 2 }
        let new = AdjacencyTable.makeArray(size)
        for (list, used) in living {
            let header = list.header.pointee
            let slot = IDHash.slot(header.hash, in: header.app)
            var number = Int(truncatingIfNeeded: slot) & (size - 1)
            while AdjacencyTable.list(at: new + 1 + number) != nil {
                number = (number + 1) & (size - 1)
            }
            Self.write(list, slot, new + 1 + number)
            new[1 + number].isUsed.store(used, ordering: .relaxed)
        }
        filled[part] = living.count
        cost += AdjacencyTable.bytes(size)
        adjacency.table.parts[part].store(UInt(bitPattern: new), ordering: .sequentiallyConsistent)
        if let old {
            cost -= AdjacencyTable.bytes(AdjacencyTable.mask(of: old) + 1)
            retire(.array(old), in: adjacency)
        }
        return new
    }

    // MARK: Room

    /// Makes room for `bytes` more, by evicting adjacency lists that were not used lately.
    ///
    /// - Returns: Whether there is room now.
    private mutating func makeRoom(for bytes: Int, in adjacency: AdjacencyCache) -> Bool {
        guard bytes <= adjacency.bytes / 4 else { return false }
        var visits = 0
        while cost + bytes > adjacency.bytes {
            guard accounts > 0, visits <= adjacency.table.partCount * 2 else { return false }
            guard let array = adjacency.table.array(hand.part),
                AdjacencyTable.slots(of: array).contains(hand.slot)
            else {
                hand = ((hand.part + 1) % adjacency.table.partCount, 1)
                visits += 1
                continue
            }
            let slot = array + hand.slot
            hand.slot += 1
            guard let list = AdjacencyTable.list(at: slot) else { continue }
            if slot.pointee.isUsed.load(ordering: .relaxed) != 0 {
                slot.pointee.isUsed.store(0, ordering: .relaxed)
            } else {
                evictions += 1
                remove(list, at: slot, in: adjacency)
            }
        }
        reclaim(in: adjacency)
        // Memory that a slow reader holds back counts too, and makes room when it is freed.
        return cost + bytes + waitingBytes <= adjacency.bytes + adjacency.bytes / 4
    }

    /// Inserts an adjacency list that a reader found, unless a commit has touched its user since
    /// the list's version.
    ///
    /// - Returns: Whether it is inserted. If not, its memory is free again.
    mutating func insert(_ list: AdjacencyList, in adjacency: AdjacencyCache) -> Bool {
        let header = list.header.pointee
        let readVersion = ReadVersion(commit: header.version)
        guard !invalidated.mayHave(IDHash.slot(header.hash, in: header.app), after: readVersion),
            makeRoom(for: Self.cost(of: list), in: adjacency)
        else {
            list.free()
            return false
        }
        if list.hasMembers { loaded &+= 1 }
        store(list, in: adjacency)
        reclaim(in: adjacency)
        return true
    }

    // MARK: Loads

    /// - Returns: The number of the load; nil if too many run, or if the commit under way touches
    ///   the user.
    mutating func beginLoad(of slot: UInt64, at readVersion: ReadVersion) -> UInt64? {
        guard loads.count < CoreLimits.adjacencyLoads,
            !invalidated.mayHave(slot, after: readVersion),
            !loads.contains(where: { $0.slot == slot })
        else { return nil }
        loadNumber += 1
        loads.append((slot, loadNumber))
        return loadNumber
    }

    /// - Returns: Whether it had not ended yet.
    mutating func endLoad(_ number: UInt64) -> Bool {
        guard let index = loads.firstIndex(where: { $0.number == number }) else { return false }
        loads.swapAt(index, loads.count - 1)
        loads.removeLast()
        return true
    }

    // MARK: Commits

    /// Installs new versions of what the commit of that version touches.
    mutating func begin(
        _ version: UInt64, _ changes: [AdjacencyChange], in adjacency: AdjacencyCache
    ) {
        // A transaction that runs again starts over.
        removeInstalled(in: adjacency)
        installed.removeAll(keepingCapacity: true)
        for change in changes {
            change.key.bytes.withUnsafeBytes { key in
                apply(key, change.key.partitionCount, change, version, in: adjacency)
            }
        }
        // Changes made new versions grow.
        if cost > adjacency.bytes { _ = makeRoom(for: 0, in: adjacency) }
        reclaim(in: adjacency)
    }

    private mutating func apply(
        _ key: UnsafeRawBufferPointer, _ partitionCount: Int, _ change: AdjacencyChange,
        _ version: UInt64, in adjacency: AdjacencyCache
    ) {
        let app = change.key.app
        let rowKey = UnsafeRawBufferPointer(rebasing: key[(partitionCount + 1)...])
        // The directory names the users that become accounts, and those that no longer are.
        let isOfDirectory = key[partitionCount] == Tables.directory.kind
        let id =
            isOfDirectory
            ? rowKey : UnsafeRawBufferPointer(rebasing: key[4..<partitionCount - 1])
        let hash = adjacency.hash(id)
        invalidated.note(IDHash.slot(hash, in: app), in: version)
        guard !isOfDirectory else { return }
        let known = find(app, id, hash, in: adjacency)
        guard key[partitionCount] != Tables.userRecords.kind else {
            if !change.isSet {
                if let (at, list) = known { remove(list, at: at, in: adjacency) }
            }
            return
        }
        if key[partitionCount] == Tables.suspensions.kind {
            if let (at, list) = known { remove(list, at: at, in: adjacency) }
            return
        }
        guard let (at, list) = known, list.hasMembers else { return }
        guard let (fact, prefix) = AdjacencyFlags.stated(kind: key[partitionCount], rowKey: rowKey)
        else { return }
        let other = UnsafeRawBufferPointer(rebasing: rowKey[prefix...])
        let otherHash = adjacency.hash(other)
        let facts = list.facts(about: other, otherHash)
        // Rows that were not there are removed too, to be sure: that changes nothing.
        guard facts.contains(fact) != change.isSet else { return }
        guard let own = own(list, at: at, version, adding: other.count, in: adjacency) else {
            return
        }
        own.change(
            other, otherHash, adding: change.isSet ? fact : [], removing: change.isSet ? [] : fact)
    }

    /// The adjacency list of that version, which the commit may change: no reader takes it before
    /// the commit has ended.
    ///
    /// - Parameter bytes: The length of the id of a member that may have to be added.
    /// - Returns: Nil if the adjacency list has become too long, and was taken out of the table.
    private mutating func own(
        _ list: AdjacencyList, at slot: AdjacencyTable.Slots, _ version: UInt64, adding bytes: Int,
        in adjacency: AdjacencyCache
    ) -> AdjacencyList? {
        let room = AdjacencyList.memberHeader + bytes
        let isOwn = list.header.pointee.version == version
        let hasRoom = list.hasRoom(members: 1, bytes: room)
        if isOwn, hasRoom { return list }
        guard list.livingCount < CoreLimits.adjacencyMembers else {
            remove(list, at: slot, in: adjacency)
            return nil
        }
        let new =
            hasRoom
            ? list.copy(version: version)
            : list.rebuilt(version: version, members: 1, bytes: room, adjacency.hash)
        replace(list, by: new, at: slot, in: adjacency)
        if let index = isOwn ? installed.firstIndex(where: { $0.base == list.base }) : nil {
            installed[index] = new
        } else {
            installed.append(new)
        }
        return new
    }

    /// Removes the new versions of a commit that failed.
    mutating func removeInstalled(in adjacency: AdjacencyCache) {
        for list in installed {
            let header = list.header.pointee
            guard let known = find(header.app, list.id, header.hash, in: adjacency),
                known.list.base == list.base
            else { continue }
            remove(list, at: known.slot, in: adjacency)
        }
    }

    /// Ends the commit that is under way.
    mutating func end(in adjacency: AdjacencyCache) {
        installed.removeAll(keepingCapacity: true)
        reclaim(in: adjacency)
    }
}
