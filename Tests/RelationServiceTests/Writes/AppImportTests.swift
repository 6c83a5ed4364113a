import Memory
import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageRocks
import StorageSuite
import Testing

@testable import GRPC
@testable import RelationAdmission
@testable import RelationCalls
@testable import RelationRuntime
@testable import RelationService

/// A random app that is exported and imported equals itself.
@Suite struct AppImportTests {
    private static let steps = 160

    /// An app after a random history of calls.
    private static func app(seed: UInt64) throws -> ServiceHarness {
        var history = ServiceHistory(seed: seed)
        let harness = ServiceHarness(try World(settings: history.settings))
        try harness.world.create(ServiceHistory.users)
        try harness.register()
        for step in ServiceHistory.beginning { _ = try step.send(to: harness, WriteOptions()) }
        for _ in 0..<steps {
            let timedStep = history.next()
            harness.world.advance(milliseconds: min(timedStep.pauseMs, 3_000))
            _ = try timedStep.step.send(to: harness, timedStep.options)
        }
        try harness.world.runJobs()
        return harness
    }

    /// All messages of an export.
    private static func export(_ harness: ServiceHarness) throws -> [ExportAppResponse] {
        let exports = Exports(harness: harness)
        defer { exports.points.stop() }
        let source = try exports.stream(isOperator: true, withSecrets: true)
        defer { source.close() }
        var messages: [ExportAppResponse] = []
        while true {
            let batch = try Arena.temporary { (arena) throws(RPCError) in try source.next(arena) }
            messages += batch.messages
            if batch.isLast { return messages }
        }
    }

    /// The rows without what the contract says differs: points, sequences, the app's own time.
    ///
    /// - Parameter isCopy: Whether they are of an app that was imported, whose accounts count
    ///   sequences anew.
    private static func comparable(
        _ messages: [ExportAppResponse], isCopy: Bool = false
    ) -> [ExportAppResponse.Row] {
        messages.compactMap { message in
            switch message.row {
            case .point: return nil
            case .account(var account):
                if !isCopy { account.formerSequence += account.sequence }
                account.sequence = 0
                account.friendsSequence = 0
                account.pendenciesSequence = 0
                account.blacklistSequence = 0
                account.groupsSequence = 0
                account.subscriptionsSequence = 0
                account.consentsSequence = 0
                account.followingSequence = 0
                account.followersSequence = 0
                account.invitationsSequence = 0
                account.dismissalsSequence = 0
                account.reverseFriendsSequence = 0
                return .account(account)
            case .friendEntry(var row):
                row.entry?.sequence = 0
                return .friendEntry(row)
            case .app(var app):
                app.createTimeMs = 0
                return .app(app)
            default: return message.row
            }
        }
    }

    /// An empty app of the same number, over `store`.
    private static func empty(_ store: any Store, at now: Timestamp) throws -> ServiceHarness {
        let world = try World(on: store)
        world.now = now
        let harness = ServiceHarness(world)
        try harness.register()
        return harness
    }

    /// Imports the messages in transactions of `size` rows each.
    ///
    /// - Returns: The answers that are sent, by the number of the row.
    private static func importing(
        _ messages: ArraySlice<ExportAppResponse>, into harness: ServiceHarness, size: Int,
        resumption: inout ImportPosition?, isDryRun: Bool = false
    ) throws -> [Int: FriendOutcome] {
        var setup = ImportSetup(options: WriteOptions.with { $0.dryRun = isDryRun })
        setup.isOperator = true
        var trail = ImportTrail()
        trail.position = resumption
        var outcomes: [Int: FriendOutcome] = [:]
        var rest = messages
        var app = harness.world.app
        while !rest.isEmpty {
            let part = rest.prefix(size)
            rest = rest.dropFirst(size)
            try harness.world.commit { (transaction) throws(StorageError) in
                func ledger() -> Ledger {
                    Ledger(
                        app: app, now: harness.world.now, origin: Origin(user: nil),
                        transaction: transaction)
                }
                var current = ledger()
                for (index, message) in zip(part.indices, part) {
                    let outcome = try AppRows.apply(message, setup, &trail, in: current)
                    if outcome.code != .success || outcome.reason != .none {
                        outcomes[index] = outcome
                    }
                    guard let changed = current.appChange?.app else { continue }
                    if !isDryRun { try current.close() }
                    app = changed
                    current = ledger()
                }
                if !isDryRun { try current.close() }
            }
            if !isDryRun { harness.world.app = app }
        }
        resumption = trail.position
        return outcomes
    }

    private static func findings(of harness: ServiceHarness) throws -> [Integrity.Finding] {
        try harness.world.store.read { (transaction) throws(StorageError) in
            let app = harness.world.app
            var found: [Integrity.Finding] = []
            let users = try Integrity.users(of: app, after: nil, limit: 1_000, in: transaction)
            for user in users {
                found += try Integrity.findings(of: user, app: app, in: transaction)
            }
            var sums = FeedState()
            try Integrity.count(users, into: &sums, app: app, in: transaction)
            let missing = try Integrity.missing(from: sums, app: app, in: transaction)
            #expect(missing == nil)
            return found
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func aRandomAppThatIsExportedAndImportedEqualsItself(_ seed: UInt64) throws {
        let original = try Self.app(seed: seed)
        let messages = try Self.export(original)
        #expect(messages.count > 10, "RELATION_SEED=\(seed)")
        let folder = TemporaryFolder()
        let rocks = try RocksStore(folder: folder.path + "/data", .small)
        defer { rocks.close() }
        let stores: [any Store] = [MemoryStore(), rocks]
        for (store, size) in zip(stores, [7, 64]) {
            let copy = try Self.empty(store, at: original.world.now)
            var resumption: ImportPosition?
            let dry = try Self.importing(
                messages[...], into: copy, size: size, resumption: &resumption, isDryRun: true)
            #expect(try copy.world.directory().isEmpty, "RELATION_SEED=\(seed): a dry run wrote")
            resumption = nil
            let outcomes = try Self.importing(
                messages[...], into: copy, size: size, resumption: &resumption)
            #expect(outcomes == dry, "RELATION_SEED=\(seed)")
            #expect(outcomes.isEmpty, "RELATION_SEED=\(seed)")
            let wanted = Self.comparable(messages)
            let found = Self.comparable(try Self.export(copy), isCopy: true)
            #expect(found.count == wanted.count, "RELATION_SEED=\(seed)")
            for (row, wanted) in zip(found, wanted) where row != wanted {
                Issue.record("RELATION_SEED=\(seed): is \(row), should be \(wanted)")
                break
            }
            #expect(try Self.findings(of: copy) == [], "RELATION_SEED=\(seed)")
            let users = try copy.world.directory()
            // Lists may be longer than a limit that became lower.
            var limits = copy.world.settings.limits
            limits.friends = .max
            limits.groups = .max
            limits.blacklistedUsers = .max
            limits.pendencies = .max
            limits.subscriptions = .max
            limits.subscribers = .max
            limits.dismissedSuggestions = .max
            let audit = try Audit(copy.world, users, sharp: false, limits: limits)
            #expect(audit.findings == [], "RELATION_SEED=\(seed)")
        }
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func anImportThatIsCutAtEachKindOfRowAndResumedGivesTheSameApp(_ seed: UInt64) throws {
        let original = try Self.app(seed: seed)
        let messages = try Self.export(original)
        let wanted = Self.comparable(messages)
        for cut in 1..<messages.count
        where messages[cut].row.map(Self.kind) != messages[cut - 1].row.map(Self.kind) {
            let copy = try Self.empty(MemoryStore(), at: original.world.now)
            var resumption: ImportPosition?
            var outcomes = try Self.importing(
                messages[..<cut], into: copy, size: 50, resumption: &resumption)
            // The place is stored with the progress, and read by the stream that goes on.
            var record = ImportRecord()
            record.position = resumption
            let coder = Coder(ImportRecord.self)
            let bytes = try Arena.temporary { (arena) throws(CodecError) in
                try coder.bytes(record, arena)
            }
            resumption = try Arena.temporary { (arena) throws(CodecError) in
                try coder.message(bytes, arena).position
            }
            outcomes.merge(
                try Self.importing(messages[cut...], into: copy, size: 50, resumption: &resumption)
            ) { $1 }
            #expect(outcomes.isEmpty, "RELATION_SEED=\(seed), cut before row \(cut)")
            #expect(
                Self.comparable(try Self.export(copy), isCopy: true) == wanted,
                "RELATION_SEED=\(seed), cut before row \(cut)")
        }
    }

    @Test func anApplicationAfterAnImportHasAnIDThatNoneHadBefore() throws {
        var harness = ServiceHarness(try World("ann", "bob"))
        try harness.register()
        try harness.world.allow(.needConfirm, for: "bob")
        var ids: [String] = []
        for _ in 0..<4 {
            try #require(try harness.world.add("bob", to: "ann").code == .pending)
            let waiting = try harness.world.pendency(.sendOut, with: "bob", of: "ann")
            ids.append(try #require(waiting).applicationID)
            try #require(try harness.world.respond(to: "ann", of: "bob", .reject) == .success)
            let copy = try Self.empty(MemoryStore(), at: harness.world.now)
            var resumption: ImportPosition?
            let outcomes = try Self.importing(
                try Self.export(harness)[...], into: copy, size: 50, resumption: &resumption)
            try #require(outcomes.isEmpty)
            harness = copy
        }
        #expect(Set(ids).count == ids.count, "\(ids)")
    }

    @Test func theReviewOfAWordingComesWithItsApplication() throws {
        let world = try World("ann", "bob")
        world.settings.reviewedFields.friends = ["wording"]
        let harness = ServiceHarness(world)
        try harness.register()
        try world.allow(.needConfirm, for: "bob")
        try #require(try world.add("bob", to: "ann") { $0.wording = "hi" }.code == .pending)
        let copy = try Self.empty(MemoryStore(), at: world.now)
        var resumption: ImportPosition?
        let outcomes = try Self.importing(
            try Self.export(harness)[...], into: copy, size: 50, resumption: &resumption)
        try #require(outcomes.isEmpty)
        let reviews = try copy.world.reviews().rows
        #expect(reviews.map(\.text) == ["hi"])
        #expect(try reviews == world.reviews().rows)
        #expect(try copy.world.decide(1, approve: false) == .success)
        for (type, owner, other) in [
            (PendencyType.sendOut, "ann", "bob"), (.comeIn, "bob", "ann"),
        ] as [(PendencyType, UserID, UserID)] {
            #expect(try copy.world.pendency(type, with: other, of: owner)?.wording == "")
        }
    }

    @Test func anAppIntoWhichAnImportHasBegunIsNotEmpty() throws {
        let point = try Self.export(ServiceHarness(try World("ann"))).prefix(1)
        let copy = try Self.empty(MemoryStore(), at: Timestamp(milliseconds: World.start))
        func isEmpty() throws -> Bool {
            try copy.world.call(by: nil) { (ledger) throws(StorageError) in
                try AppImport.isEmpty(in: ledger)
            }
        }
        #expect(try isEmpty())
        var resumption: ImportPosition?
        _ = try Self.importing(point, into: copy, size: 1, resumption: &resumption, isDryRun: true)
        #expect(try isEmpty())
        _ = try Self.importing(point, into: copy, size: 1, resumption: &resumption)
        #expect(try !isEmpty())
    }

    private static func kind(_ row: ExportAppResponse.Row) -> String {
        String("\(row)".prefix { $0 != "(" })
    }
}
