package import Memory
import Protobuf
package import RelationModel
import Storage

/// The relations of some users to one user, as its adjacency list has them.
///
/// All that it needs is in the memory of the call: no pair has memory of its own.
package struct KnownPairs {
    /// The state of one of the users.
    package enum UserState: UInt8, Sendable {
        /// The id is malformed.
        case malformed
        /// A read finds the user.
        case found
        /// The user is not an account of the app.
        case noAccount
        /// Only the user's record says whether it is an account.
        case open
    }

    package let count: Int
    private let users: UnsafePointer<Text>
    private let facts: UnsafeMutablePointer<AdjacencyFlags>
    private let states: UnsafeMutablePointer<UserState>
    private let owner: UserIDView
    private let app: App
    private let proof: AdjacencyFlags
    private let arena: Arena

    package func state(_ index: Int) -> UserState { states[index] }

    /// The facts of the owner about the user; they count only if the user is found.
    package func facts(_ index: Int) -> AdjacencyFlags { facts[index] }

    /// Whether the user is the owner itself.
    package func isOwner(_ index: Int) -> Bool { users[index] == owner.text }

    /// - Parameter proof: The facts of which each proves to the caller that the user is found.
    /// - Throws: ``StorageError`` if the arena is full.
    private init(
        _ users: UnsafeBufferPointer<Text>, of owner: UserID, provedBy proof: AdjacencyFlags,
        app: App, _ arena: Arena
    ) throws(StorageError) {
        guard let owner = UserIDView(owner, in: arena), let start = users.baseAddress,
            let facts = arena.allocate(users.count * MemoryLayout<AdjacencyFlags>.stride),
            let states = arena.allocate(users.count)
        else { throw .callIsFull }
        count = users.count
        self.users = start
        self.facts = facts.bindMemory(to: AdjacencyFlags.self, capacity: users.count)
        self.states = states.bindMemory(to: UserState.self, capacity: users.count)
        self.owner = owner
        self.app = app
        self.proof = proof
        self.arena = arena
    }

    // MARK: From memory alone

    /// How each of `users` stands to `owner`, from adjacency lists alone.
    ///
    /// - Parameter readVersion: The read version of the answer; now, unless something else has to
    ///   be of the same one.
    package static func cached(
        _ users: UnsafeBufferPointer<Text>, of owner: UserID, provedBy proof: AdjacencyFlags,
        app: App, from adjacency: AdjacencyCache, at readVersion: ReadVersion? = nil, _ arena: Arena
    ) throws(StorageError) -> CacheResult<KnownPairs> {
        guard adjacency.isOn else { return .notKnown }
        let pairs = try KnownPairs(users, of: owner, provedBy: proof, app: app, arena)
        switch pairs.lookUp(at: adjacency, readVersion ?? adjacency.readVersion()) {
        case nil:
            return pairs.owner.text.withBytes { adjacency.isWorthLoading(app.id, $0) }
                ? .worthLoading : .notKnown
        case 0: return .answered(pairs)
        // The owner has too many others, or some of the users are not known as accounts.
        default: return .notKnown
        }
    }

    /// Fills in what adjacency lists say.
    ///
    /// - Returns: How many users are left open; -1 if the owner's adjacency list is too long; nil
    ///   if it is not known.
    private func lookUp(at adjacency: AdjacencyCache, _ readVersion: ReadVersion) -> Int? {
        let everyUserExists = app.settings.makesAccountsImplicitly
        let app = app.id
        return adjacency.lookUp(at: readVersion) { view in
            let list = owner.text.withBytes { view.account(app, $0, view.hash($0)) }
            guard let list else { return nil }
            guard list.hasMembers else { return list.header.pointee.note == .tooLong ? -1 : nil }
            let hashes = roomForHashes()
            var open = 0
            var first = 0
            while first < count {
                let end = min(count, first + CoreLimits.usersLookedAtTogether)
                if let hashes { near(first..<end, view, list, !everyUserExists, hashes) }
                for index in first..<end {
                    guard let user = UserIDView(users[index]) else {
                        (states + index).initialize(to: .malformed)
                        (facts + index).initialize(to: [])
                        continue
                    }
                    var state = UserState.found
                    let found = user.text.withBytes { id in
                        let hash = hashes.map { $0[index - first] } ?? view.hash(id)
                        let found = list.facts(about: id, hash)
                        if !everyUserExists, found.isDisjoint(with: proof),
                            view.account(app, id, hash) == nil, user != owner
                        {
                            state = .open
                            open += 1
                        }
                        return found
                    }
                    (facts + index).initialize(to: found)
                    (states + index).initialize(to: state)
                }
                first = end
            }
            return open
        }
    }

    /// Room for the hashes of the users that are looked at together, and for as many words; nil for
    /// a few users, or if the arena is full.
    @inline(__always)
    private func roomForHashes() -> UnsafeMutablePointer<UInt64>? {
        let words = 2 * CoreLimits.usersLookedAtTogether
        guard count >= CoreLimits.leastLookedAtTogether,
            let memory = arena.allocate(words * MemoryLayout<UInt64>.stride)
        else { return nil }
        let hashes = memory.bindMemory(to: UInt64.self, capacity: words)
        hashes.initialize(repeating: 0, count: words)
        return hashes
    }

    /// Looks once at the memory that the look-ups of some users need, and fills in their hashes.
    ///
    /// Adjacency lists take far more memory than a processor has near, and a look-up waits for it
    /// several times, each time for an address that it has just read. Here the same step is taken
    /// for all of these users, so that they wait together. Nothing is decided by what is read here.
    @inline(__always)
    private func near(
        _ range: Range<Int>, _ view: AdjacencyView, _ list: AdjacencyList, _ looksForAccounts: Bool,
        _ hashes: UnsafeMutablePointer<UInt64>
    ) {
        // The words are kept, so that no compiler leaves the reading out.
        let seen = hashes + CoreLimits.usersLookedAtTogether
        for index in range {
            let hash = users[index].withBytes { view.hash($0) }
            hashes[index - range.lowerBound] = hash
            seen[index - range.lowerBound] =
                looksForAccounts ? view.firstAddress(app.id, hash) : 0
        }
        for number in 0..<range.count {
            let entry = list.firstEntry(hashes[number])
            let userRecord = UnsafeRawPointer(bitPattern: UInt(seen[number])).map {
                $0.load(as: UInt64.self)
            }
            seen[number] = (userRecord ?? 0) ^ UInt64(entry)
        }
    }

    // MARK: With the user records of users that are not known

    /// How each of `users` stands to `owner`, in the view of `transaction`.
    ///
    /// It reads the user records of users that are not known as accounts, and the owner's adjacency
    /// list if that is to be loaded.
    ///
    /// - Returns: Nil if the owner's adjacency list is not known: then the rows of the pairs tell
    ///   it.
    package static func read(
        _ users: UnsafeBufferPointer<Text>, of owner: UserID, provedBy proof: AdjacencyFlags,
        app: App, asking asked: CacheLookup, in transaction: any ReadTransaction, _ arena: Arena
    ) throws(StorageError) -> KnownPairs? {
        try asked.finishLoads(in: transaction)
        let pairs = try KnownPairs(users, of: owner, provedBy: proof, app: app, arena)
        guard let open = pairs.lookUp(at: asked.adjacency, asked.readVersion), open >= 0 else {
            return nil
        }
        guard open > 0 else { return pairs }
        guard let read = try pairs.readUserRecords(open, transaction) else { return nil }
        // That read took the view, so what no commit has touched since the read version is the
        // view's.
        guard let left = pairs.lookUp(at: asked.adjacency, asked.readVersion), left >= 0 else {
            return nil
        }
        return pairs.settle(read, asked) ? pairs : nil
    }

    /// The result of the read of a user record.
    private enum ReadUserRecord: UInt8 {
        case notRead, missing, present
    }

    /// Reads the user records of the users that are left open.
    private func readUserRecords(
        _ open: Int, _ transaction: any ReadTransaction
    ) throws(StorageError) -> UnsafeMutablePointer<ReadUserRecord>? {
        var bytes = open * StagedKeys.bytesBesideNames
        for index in 0..<count where states[index] == .open { bytes += users[index].count }
        guard var keys = StagedKeys(keys: open, bytes: bytes, in: arena),
            let slots = arena.allocate(open * MemoryLayout<Int32>.stride),
            let memory = arena.allocate(count)
        else { throw .callIsFull }
        let read = memory.bindMemory(to: ReadUserRecord.self, capacity: count)
        read.initialize(repeating: .notRead, count: count)
        // The user of each key.
        let asked = slots.bindMemory(to: Int32.self, capacity: open)
        for index in 0..<count where states[index] == .open {
            (asked + keys.count).initialize(to: Int32(index))
            keys.append(app: app.id, users[index], kind: Tables.userRecords.kind, Text())
        }
        try transaction.read(keys) { number, row in
            read[Int(asked[number])] = row == nil ? .missing : .present
        }
        return read
    }

    /// Decides by the user records that were read, and remembers the accounts among them.
    ///
    /// - Returns: Whether every user is decided.
    private func settle(_ read: UnsafeMutablePointer<ReadUserRecord>, _ asked: CacheLookup) -> Bool
    {
        guard let memory = arena.allocate(count * MemoryLayout<Text>.stride) else { return false }
        let accounts = memory.bindMemory(to: Text.self, capacity: count)
        var accountCount = 0
        for index in 0..<count where states[index] == .open {
            switch read[index] {
            case .notRead: return false
            case .missing: states[index] = .noAccount
            case .present:
                states[index] = .found
                (accounts + accountCount).initialize(to: users[index])
                accountCount += 1
            }
        }
        if accountCount > 0 {
            asked.adjacency.insertAccounts(
                UnsafeBufferPointer(start: accounts, count: accountCount), of: app.id,
                at: asked.readVersion)
        }
        return true
    }
}
