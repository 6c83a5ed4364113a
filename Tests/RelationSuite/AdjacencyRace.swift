import Dispatch
import Memory
import Protobuf
package import RelationCore
import RelationModel
import Storage
import Synchronization

/// Readers on threads of their own beside one writer, who moves the one friend of a user from one
/// user to the next.
///
/// So each state has a number, and each answer shows the state from which it was made. An answer
/// may be of no state that ended before it was asked, nor of one that began after it was given, nor
/// older than an answer that the same reader got before.
package final class AdjacencyRace: Sendable {
    private let users: [UserID] = (0..<48).map { UserID(stored: "user \($0)".utf8) }
    private let owner: UserID = "owner"
    private let app: App
    private let store: any Store
    private let memory: ReadCache
    private let started = Atomic<Int>(0)
    private let ended = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)
    private let found = Mutex<[String]>([])
    private let cached = Atomic<Int>(0)

    /// - Parameter world: A new world without accounts.
    private init(_ world: World) {
        app = world.app
        store = world.store
        memory = world.memory
    }

    /// - Returns: The answers that should not have been, and how many answers adjacency lists gave
    ///   alone.
    package static func run(
        _ world: World, readers: Int, moves: Int
    ) throws(StorageError) -> (errors: [String], cached: Int) {
        let race = AdjacencyRace(world)
        try world.create([race.owner] + race.users)
        world.makeFriends(race.owner, race.users[0])
        let group = DispatchGroup()
        for number in 0..<readers {
            DispatchQueue.global().async(group: group) { race.read(number) }
        }
        do throws(StorageError) {
            for move in 1...moves { try race.move(move, in: world) }
        } catch {
            race.found.withLock { $0.append("\(error)") }
        }
        race.isOver.store(true, ordering: .sequentiallyConsistent)
        group.wait()
        // Now that nothing changes, the second answer needs no row.
        let arena = Arena()
        defer { arena.free() }
        let names = race.users.compactMap { arena.text($0.text) }
        for _ in 0..<2 { _ = try race.ask(names, byRows: false, arena) }
        return (race.found.withLock { $0 }, race.cached.load(ordering: .relaxed))
    }

    private func move(_ number: Int, in world: World) throws(StorageError) {
        started.store(number, ordering: .sequentiallyConsistent)
        let (old, new) = (users[(number - 1) % users.count], users[number % users.count])
        // Some commits fail at their end, and are made again.
        for fails in number % 7 == 0 ? [true, false] : [false] {
            do throws(StorageError) {
                try world.call(by: owner) { (ledger) throws(StorageError) in
                    _ = try FriendRules.delete(old, from: owner, .both, in: ledger)
                    var row = FriendImport.Row(owner: owner, friend: new)
                    row.bothWays = true
                    _ = try FriendImport.write(row, notify: false, in: ledger)
                    if fails { throw StorageError(.conflict, "on purpose") }
                }
            } catch {
                guard error.code == .conflict else { throw error }
            }
        }
        ended.store(number, ordering: .sequentiallyConsistent)
    }

    private func read(_ reader: Int) {
        let arena = Arena()
        defer { arena.free() }
        var latest = 0
        var turn = reader
        while !isOver.load(ordering: .sequentiallyConsistent) {
            arena.reset()
            turn += 1
            let names = users.compactMap { arena.text($0.text) }
            let least = max(latest, ended.load(ordering: .sequentiallyConsistent))
            do throws(StorageError) {
                let answer =
                    turn % 4 == 1
                    ? try askRows(names, arena) : try ask(names, byRows: turn % 3 == 0, arena)
                guard let friends = answer else { continue }
                let most = started.load(ordering: .sequentiallyConsistent)
                let states = (least...max(least, most)).filter {
                    friends == [$0 % users.count]
                }
                guard let state = states.first else {
                    found.withLock { $0.append("\(friends) is of no state in \(least)...\(most)") }
                    return
                }
                latest = state
            } catch {
                found.withLock { $0.append("\(error)") }
                return
            }
        }
    }

    /// The friends of the owner; nil if adjacency lists alone do not say it.
    private func ask(
        _ names: [Text], byRows: Bool, _ arena: Arena
    ) throws(StorageError) -> [Int]? {
        try names.withUnsafeBufferPointer { (names) throws(StorageError) in
            if !byRows {
                let answer = try FriendCheck.cached(
                    names, of: owner, .bidirection, app: app, from: memory.adjacency, arena)
                if case .answered(let findings) = answer {
                    cached.add(1, ordering: .relaxed)
                    return friends(findings)
                }
            }
            // As a loop asks, and as a thread does that loads.
            let asked = CacheLookup(memory, loading: byRows ? [] : [owner], app)
            return try store.read { (transaction) throws(StorageError) in
                try FriendCheck.run(
                    names, of: owner, .bidirection, app: app, asking: asked, in: transaction,
                    arena
                ).map(friends)
            }
        }
    }

    /// The friends whose rows are kept, by adjacency lists and kept rows alone; nil if they do not
    /// say it.
    ///
    /// A miss is read and kept, for those who ask next.
    private func askRows(_ names: [Text], _ arena: Arena) throws(StorageError) -> [Int]? {
        try names.withUnsafeBufferPointer { (names) throws(StorageError) in
            let look = try KnownRelations.cached(
                names, of: owner, app: app, from: memory.adjacency, memory.friends, arena)
            if case .answered(let known) = look { return friends(known, names) }
            let asked = CacheLookup(memory, loading: [owner], app)
            return try store.read { (transaction) throws(StorageError) in
                // The first row takes the view.
                _ = try Tables.userRecords.record(
                    app.partition(of: owner), OnlyKey(), in: transaction)
                let known = try KnownRelations.read(
                    names, of: owner, having: 1, app: app, asking: asked, in: transaction, arena)
                return known.map { friends($0, names) }
            }
        }
    }

    private func friends(
        _ known: KnownRelations, _ names: UnsafeBufferPointer<Text>
    ) -> [Int] {
        known.withRows { view in
            names.indices.filter { index in
                guard known.pairs.facts(index).isMine else { return false }
                // A friend without a row shows as one that there is not.
                return names[index].withBytes { view?.row(of: $0) != nil }
            }
        }
    }

    private func friends(_ findings: UnsafeBufferPointer<FriendCheck.Finding>) -> [Int] {
        findings.indices.filter { findings[$0] == .bothWay }
    }
}
