import Protobuf
import RelationModel
import Storage
import Synchronization

/// All that those who write to the table of circles share, behind one lock.
struct CircleWriters: Sendable {
    /// The cost of all that stands in the table, and of the table.
    private(set) var cost = 0
    private(set) var accounts = 0
    private(set) var circles = 0
    private(set) var loaded: UInt64 = 0
    private(set) var evictions: UInt64 = 0
    /// The latest commit that made or removed an account.
    private(set) var lastAccounts: UInt64 = 0
    /// The bytes that wait to be freed.
    private(set) var waitingBytes = 0

    /// Memory that was taken out of the table, and the era in which that was done.
    private var waiting: [(era: UInt64, memory: Memory)] = []
    /// Loads that have begun: the places of their users, and their numbers.
    private var loads: [(place: UInt64, number: UInt64)] = []
    private var loadNumber: UInt64 = 0
    /// The users that the commit under way touches.
    private var touched: [UInt64] = []
    /// The new versions that the commit under way has put in place.
    private var installed: [Circle] = []
    /// The places that are not free in each part.
    private var filled: [Int] = []
    /// The next place that an eviction looks at.
    private var hand = (part: 0, place: 1)

    /// `@unchecked Sendable` because of the pointers: the holder of the lock has them alone.
    private enum Memory: @unchecked Sendable {
        case circle(Circle)
        case array(CircleTable.Places)
    }

    // MARK: Freeing

    /// Frees what no reader can be looking at any more.
    mutating func reclaim(in circles: Circles) {
        guard !waiting.isEmpty else { return }
        let oldest = circles.readers.oldest()
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
        case .circle(let circle): circle.free()
        case .array(let array): CircleTable.free(array)
        }
    }

    private static func bytes(of memory: Memory) -> Int {
        switch memory {
        case .circle(let circle): CircleWriters.cost(of: circle)
        case .array(let array): CircleTable.bytes(CircleTable.mask(of: array) + 1)
        }
    }

    /// Frees what was taken out of the table, when it has no readers any more.
    mutating func freeAll() {
        for entry in waiting { free(entry.memory) }
        waiting = []
    }

    /// Leaves memory that is out of the table to be freed.
    private mutating func leave(_ memory: Memory, in circles: Circles) {
        waitingBytes += Self.bytes(of: memory)
        waiting.append((circles.readers.advance(), memory))
    }

    /// The memory that a circle takes, with what the allocator adds.
    static func cost(of circle: Circle) -> Int { circle.size + 16 }

    // MARK: The table

    /// The place of a user's circle in the table, and the circle.
    func find(
        _ app: UInt32, _ id: UnsafeRawBufferPointer, _ hash: UInt64, in circles: Circles
    ) -> (place: CircleTable.Places, circle: Circle)? {
        let place = IDHash.place(hash, in: app)
        guard let array = circles.table.array(circles.table.part(of: place)) else { return nil }
        let mask = CircleTable.mask(of: array)
        var number = Int(truncatingIfNeeded: place) & mask
        while true {
            let at = array + 1 + number
            let address = at.pointee.address.load(ordering: .relaxed)
            if address == CircleTable.Place.free { return nil }
            if let circle = CircleTable.circle(at: at), circle.isOf(app, id) { return (at, circle) }
            number = (number + 1) & mask
        }
    }

    /// Puts a circle into the table, or in the place of the one that its user has there.
    ///
    /// The caller has made room for its cost.
    private mutating func put(_ circle: Circle, in circles: Circles) {
        let head = circle.head.pointee
        if let (place, old) = find(head.app, circle.id, head.hash, in: circles) {
            return replace(old, by: circle, at: place, in: circles)
        }
        let place = IDHash.place(head.hash, in: head.app)
        let part = circles.table.part(of: place)
        let array = array(part, in: circles)
        let mask = CircleTable.mask(of: array)
        var number = Int(truncatingIfNeeded: place) & mask
        while CircleTable.circle(at: array + 1 + number) != nil { number = (number + 1) & mask }
        let at = array + 1 + number
        if at.pointee.address.load(ordering: .relaxed) == CircleTable.Place.free {
            filled[part] += 1
        }
        Self.write(circle, place, at)
        count(circle, 1)
    }

    private static func write(_ circle: Circle, _ place: UInt64, _ at: CircleTable.Places) {
        at.pointee.tag.store(UInt32(truncatingIfNeeded: place >> 32), ordering: .relaxed)
        at.pointee.isUsed.store(1, ordering: .relaxed)
        at.pointee.address.store(UInt(bitPattern: circle.base), ordering: .sequentiallyConsistent)
    }

    private mutating func replace(
        _ old: Circle, by new: Circle, at place: CircleTable.Places, in circles: Circles
    ) {
        place.pointee.address.store(
            UInt(bitPattern: new.base), ordering: .sequentiallyConsistent)
        count(old, -1)
        count(new, 1)
        leave(.circle(old), in: circles)
    }

    /// Takes a circle out of the table.
    private mutating func remove(
        _ circle: Circle, at place: CircleTable.Places, in circles: Circles
    ) {
        place.pointee.address.store(CircleTable.Place.left, ordering: .sequentiallyConsistent)
        count(circle, -1)
        // Its memory may be free before the commit under way has ended.
        installed.removeAll { $0.base == circle.base }
        leave(.circle(circle), in: circles)
    }

    private mutating func count(_ circle: Circle, _ sign: Int) {
        cost += sign * Self.cost(of: circle)
        accounts += sign
        if circle.hasMembers { circles += sign }
    }

    /// The array of a part, with room for one more circle.
    private mutating func array(_ part: Int, in circles: Circles) -> CircleTable.Places {
        if filled.isEmpty { filled = Array(repeating: 0, count: circles.table.partCount) }
        let old = circles.table.array(part)
        if let old, (filled[part] + 1) * 4 <= (CircleTable.mask(of: old) + 1) * 3 { return old }
        var living: [(Circle, used: UInt32)] = []
        if let old {
            for number in CircleTable.places(of: old) {
                guard let circle = CircleTable.circle(at: old + number) else { continue }
                living.append((circle, old[number].isUsed.load(ordering: .relaxed)))
            }
        }
        var size = 8
        while size < (living.count + 1) * 2 { size *= 2 }
        let new = CircleTable.makeArray(size)
        for (circle, used) in living {
            let head = circle.head.pointee
            let place = IDHash.place(head.hash, in: head.app)
            var number = Int(truncatingIfNeeded: place) & (size - 1)
            while CircleTable.circle(at: new + 1 + number) != nil {
                number = (number + 1) & (size - 1)
            }
            Self.write(circle, place, new + 1 + number)
            new[1 + number].isUsed.store(used, ordering: .relaxed)
        }
        filled[part] = living.count
        cost += CircleTable.bytes(size)
        circles.table.parts[part].store(UInt(bitPattern: new), ordering: .sequentiallyConsistent)
        if let old {
            cost -= CircleTable.bytes(CircleTable.mask(of: old) + 1)
            leave(.array(old), in: circles)
        }
        return new
    }

    // MARK: Room

    /// Makes room for `bytes` more, by forgetting circles that were not used lately.
    ///
    /// - Returns: Whether there is room now.
    private mutating func makeRoom(for bytes: Int, in circles: Circles) -> Bool {
        guard bytes <= circles.bytes / 4 else { return false }
        var looks = 0
        while cost + bytes > circles.bytes {
            guard accounts > 0, looks <= circles.table.partCount * 2 else { return false }
            guard let array = circles.table.array(hand.part),
                CircleTable.places(of: array).contains(hand.place)
            else {
                hand = ((hand.part + 1) % circles.table.partCount, 1)
                looks += 1
                continue
            }
            let place = array + hand.place
            hand.place += 1
            guard let circle = CircleTable.circle(at: place) else { continue }
            if place.pointee.isUsed.load(ordering: .relaxed) != 0 {
                place.pointee.isUsed.store(0, ordering: .relaxed)
            } else {
                evictions += 1
                remove(circle, at: place, in: circles)
            }
        }
        reclaim(in: circles)
        // Memory that a slow reader holds back counts too, and makes room when it is freed.
        return cost + bytes + waitingBytes <= circles.bytes + circles.bytes / 4
    }

    /// Keeps a circle that a reader found.
    ///
    /// - Returns: Whether there was room for it; if not, its memory is free again.
    mutating func keep(_ circle: Circle, in circles: Circles) -> Bool {
        guard makeRoom(for: Self.cost(of: circle), in: circles) else {
            circle.free()
            return false
        }
        if circle.hasMembers { loaded &+= 1 }
        put(circle, in: circles)
        reclaim(in: circles)
        return true
    }

    // MARK: Loads

    /// - Returns: The number of the load; nil if too many run, or if the commit under way touches
    ///   the user.
    mutating func beginLoad(of place: UInt64) -> UInt64? {
        guard loads.count < CoreLimits.circleLoads, !touched.contains(place),
            !loads.contains(where: { $0.place == place })
        else { return nil }
        loadNumber += 1
        loads.append((place, loadNumber))
        return loadNumber
    }

    /// - Returns: Whether no commit has touched its user since it began.
    mutating func endLoad(_ number: UInt64) -> Bool {
        guard let index = loads.firstIndex(where: { $0.number == number }) else { return false }
        loads.swapAt(index, loads.count - 1)
        loads.removeLast()
        return true
    }

    // MARK: Commits

    /// Changes what the commit `number` touches.
    mutating func begin(_ number: UInt64, _ changes: [CircleChange], in circles: Circles) {
        // A transaction that runs again begins anew.
        forgetInstalled(in: circles)
        touched.removeAll(keepingCapacity: true)
        installed.removeAll(keepingCapacity: true)
        for change in changes {
            change.key.bytes.withUnsafeBytes { key in
                take(key, change.key.partitionCount, change, number, in: circles)
            }
        }
        // Changes made new versions grow.
        if cost > circles.bytes { _ = makeRoom(for: 0, in: circles) }
        reclaim(in: circles)
    }

    private mutating func take(
        _ key: UnsafeRawBufferPointer, _ partitionCount: Int, _ change: CircleChange,
        _ number: UInt64, in circles: Circles
    ) {
        let app = change.key.app
        let rowKey = UnsafeRawBufferPointer(rebasing: key[(partitionCount + 1)...])
        // The directory names the users that become accounts, and those that no longer are.
        let isOfDirectory = key[partitionCount] == Tables.directory.kind
        if isOfDirectory { lastAccounts = number }
        let id =
            isOfDirectory
            ? rowKey : UnsafeRawBufferPointer(rebasing: key[4..<partitionCount - 1])
        let hash = circles.hash(id)
        let place = IDHash.place(hash, in: app)
        if touched.last != place {
            touched.append(place)
            loads.removeAll { $0.place == place }
        }
        guard !isOfDirectory else { return }
        let known = find(app, id, hash, in: circles)
        guard key[partitionCount] != Tables.heads.kind else {
            if !change.isSet {
                if let (at, circle) = known { remove(circle, at: at, in: circles) }
            }
            return
        }
        guard let (at, circle) = known, circle.hasMembers else { return }
        guard let (fact, prefix) = CircleFacts.stated(kind: key[partitionCount], rowKey: rowKey)
        else { return }
        let other = UnsafeRawBufferPointer(rebasing: rowKey[prefix...])
        let otherHash = circles.hash(other)
        let facts = circle.facts(about: other, otherHash)
        // Rows that were not there are removed too, to be sure: that changes nothing.
        guard facts.contains(fact) != change.isSet else { return }
        guard let own = own(circle, at: at, number, adding: other.count, in: circles) else {
            return
        }
        own.change(
            other, otherHash, adding: change.isSet ? fact : [], removing: change.isSet ? [] : fact)
    }

    /// The version of a circle that the commit `number` may change: no reader takes it before the
    /// commit has ended.
    ///
    /// - Parameter bytes: The length of the id of a member that may have to be added.
    /// - Returns: Nil if the circle has become too long, and was taken out of the table.
    private mutating func own(
        _ circle: Circle, at place: CircleTable.Places, _ number: UInt64, adding bytes: Int,
        in circles: Circles
    ) -> Circle? {
        let room = Circle.memberHead + bytes
        let isOwn = circle.head.pointee.since == number
        let hasRoom = circle.hasRoom(members: 1, bytes: room)
        if isOwn, hasRoom { return circle }
        guard circle.livingCount < CoreLimits.circleMembers else {
            remove(circle, at: place, in: circles)
            return nil
        }
        let new =
            hasRoom
            ? circle.copy(since: number)
            : circle.rebuilt(since: number, members: 1, bytes: room, circles.hash)
        replace(circle, by: new, at: place, in: circles)
        if let index = isOwn ? installed.firstIndex(where: { $0.base == circle.base }) : nil {
            installed[index] = new
        } else {
            installed.append(new)
        }
        return new
    }

    /// Forgets the new versions of a commit that failed.
    mutating func forgetInstalled(in circles: Circles) {
        for circle in installed {
            let head = circle.head.pointee
            guard let known = find(head.app, circle.id, head.hash, in: circles),
                known.circle.base == circle.base
            else { continue }
            remove(circle, at: known.place, in: circles)
        }
    }

    /// Ends the commit that is under way.
    mutating func end(in circles: Circles) {
        touched.removeAll(keepingCapacity: true)
        installed.removeAll(keepingCapacity: true)
        reclaim(in: circles)
    }
}
