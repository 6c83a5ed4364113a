import Foundation
import RelationAPI
import RelationCore
import RelationModel
import RelationService
import RelationSuite
import Storage
import StorageRocks
import StorageSuite
import Testing

@testable import RelationService

/// Random histories of all write calls through their handlers, on the model and on the embedded
/// engine.
///
/// `RELATION_SEED=n` runs that history alone; otherwise one of the seeds is new each time and
/// printed.
@Suite struct ServiceSimulationTests {
    static let seeds: [UInt64] = {
        if let text = ProcessInfo.processInfo.environment["RELATION_SEED"] {
            return [UInt64(text) ?? 0]
        }
        let new = UInt64.random(in: 1000..<1_000_000_000)
        print("service simulation: RELATION_SEED=\(new) repeats the new history of this run")
        return [1, 2, 3, new]
    }()

    private let users = RelationHistory.users
    private let everybody = RelationHistory.users + [RelationHistory.ghost]

    @Test(arguments: seeds)
    func everyCallKeepsItsPromises(_ seed: UInt64) throws {
        let keeps = seed % 2 == 0
        var settings = RelationHistory.settings(keepsFriendships: keeps)
        if seed % 3 == 0 { settings.applicationLifetimeMs = 40_000 }
        let folder = TemporaryFolder()
        let rocks = try RocksStore(folder: folder.path + "/data", .small)
        let desk = Desk(try World(settings: settings))
        let engine = Desk(try World(on: rocks, settings: settings))
        for world in [desk.world, engine.world] { try world.create(users) }
        var mirror = Mirror()
        var lists: [UserID: SyncedList] = [:]
        var history = ServiceHistory(seed: seed)
        for number in 0..<400 {
            let (step, options, pause) = history.next()
            for world in [desk.world, engine.world] { world.advance(milliseconds: pause) }
            let place = "RELATION_SEED=\(seed), step \(number): \(step) \(options)"
            let before = try desk.world.snapshot(of: everybody)
            let promised = try promise(of: step, options, desk)
            let answer = try step.send(to: desk, options)
            try #require(try step.send(to: engine, options) == answer, "\(place)")
            if case .response(_, applied: false) = answer {
                // A repeated answer was applied when it was first given.
                let after = try desk.world.snapshot(of: everybody)
                try #require(after == before || !options.requestID.isEmpty, "\(place)")
            }
            if case .fault = answer {
                try #require(try desk.world.snapshot(of: everybody) == before, "\(place)")
            }
            if options.requestID.isEmpty {
                try #require(answer.saysTheSame(as: promised), "\(place): dry run \(promised)")
            }
            try #require(try mirror.follow(desk.world, users) == [], "\(place)")
            guard number % 10 == 9 else { continue }
            try #require(
                try Audit(desk.world, everybody, sharp: !keeps).findings == [], "\(place)")
            try follow(&lists, desk, place)
            guard number % 40 == 39 else { continue }
            try #require(
                try engine.world.snapshot(of: everybody) == desk.world.snapshot(of: everybody),
                "\(place)")
        }
        rocks.close()
    }

    /// What a dry run of the step on a copy of all rows answers.
    private func promise(
        of step: ServiceStep, _ options: WriteOptions, _ desk: Desk
    ) throws -> ServiceStep.Answer {
        var options = options
        options.dryRun = true
        options.requestID = ""
        return try step.send(to: try desk.copy(), options)
    }

    /// Some of the users bring their copies up to date; each is then the list.
    private func follow(
        _ lists: inout [UserID: SyncedList], _ desk: Desk, _ place: String
    ) throws {
        for (number, user) in users.enumerated() {
            var list = lists[user] ?? SyncedList()
            try list.catchUp(user, desk, pageSize: Int32(1 + number))
            lists[user] = list
            let rows = try desk.world.rows(of: Tables.friends, of: user)
            try #require(Set(list.friends.keys) == Set(rows.map(\.place.text)), "\(place): \(user)")
            for row in rows {
                let copy = try #require(list.friends[row.place.text])
                try #require(copy.sequence == row.record.sequence, "\(place): \(user)")
                try #require(copy.remark == row.record.remark, "\(place): \(user)")
                try #require(copy.groups == row.record.groups, "\(place): \(user)")
            }
        }
    }
}

extension ServiceStep.Answer {
    /// Whether both are the same fault, or responses that differ at most in whether they were
    /// applied.
    fileprivate func saysTheSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.response(let one, _), .response(let two, _)): one == two
        case (.fault(let one), .fault(let two)): one == two
        default: false
        }
    }
}
