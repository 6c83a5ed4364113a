import Protobuf
import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

/// The registry of apps: the answer to each change of it, and the rows and notices that the change
/// leaves.
@Suite struct AppRuleTests {
    private let store = MemoryStore()
    private let now = Timestamp(milliseconds: World.start)

    /// Runs `body` as one call in `app`, and returns its change of an app.
    @discardableResult
    private func call<Result>(
        in app: App = .registry, _ body: (Ledger) throws(StorageError) -> Result
    ) throws -> (result: Result, change: AppChange?) {
        try store.write(touching: []) { (transaction) throws(StorageError) in
            let ledger = Ledger(
                app: app, now: now, origin: Origin(user: nil), transaction: transaction)
            let result = try body(ledger)
            try ledger.close()
            return (result, ledger.appChange)
        }
    }

    private func create(
        _ id: UInt32? = nil, _ edit: (inout AppRules.Making) -> Void = { _ in }
    ) throws -> AppRules.CreateResult {
        var making = AppRules.Making()
        making.id = id
        edit(&making)
        return try call { (ledger) throws(StorageError) in
            try AppRules.create(making, in: ledger)
        }.result
    }

    private func update(
        _ id: UInt32, _ edit: (inout AppRules.Change) -> Void
    ) throws -> (result: AppRules.UpdateResult, change: AppChange?) {
        var change = AppRules.Change()
        edit(&change)
        return try call { (ledger) throws(StorageError) in
            try AppRules.update(id, change, in: ledger)
        }
    }

    private func delete(
        _ id: UInt32
    ) throws -> (result: AppRules.DeleteResult, change: AppChange?) {
        try call { (ledger) throws(StorageError) in try AppRules.delete(id, in: ledger) }
    }

    private func record(_ id: UInt32) throws -> AppRecord? {
        try store.read { (transaction) throws(StorageError) in
            try AppRules.record(of: id, in: transaction)
        }
    }

    private func count() throws -> Int {
        try store.read { (transaction) throws(StorageError) in
            try AppRules.count(in: transaction)
        }
    }

    private func active() throws -> [UInt32]? {
        try store.read { (transaction) throws(StorageError) in
            try AppRules.active(in: transaction)
        }?.map(\.id)
    }

    private func app(_ id: UInt32) throws -> App {
        App(id: id, settings: try #require(try record(id)).effectiveSettings)
    }

    // MARK: Making

    @Test func anAppThatIsMadeIsARowAndIsReported() throws {
        #expect(try active() == nil)
        let friends = try #require(AppSetting.named("limits.friends"))
        let made = try create(5) {
            $0.name = "five"
            $0.preset = .rongCloud
            $0.settings = [friends.record(of: .number(9))]
        }
        let row = try #require(try record(5))
        #expect(made == .done(5, row))
        #expect(row.name == "five" && row.preset == .rongCloud && row.state == .active)
        #expect(row.version == 1 && row.createdMs == World.start)
        let settings = row.effectiveSettings
        #expect(settings.limits.friends == 9)
        #expect(settings.defaultVisibility == AppSettings.rongCloud.defaultVisibility)
        #expect(try active() == [5])
        #expect(try count() == 1)
    }

    @Test func aNumberIsGivenOnceAndTheNextFreeOneIsFound() throws {
        _ = try create(2)
        #expect(try create(2) == .exists)
        guard case .done(1, _) = try create(), case .done(3, _) = try create() else {
            Issue.record("1 is free, 2 is not, 3 is")
            return
        }
        _ = try create(UInt32.max)
        #expect(try active() == [1, 2, 3, UInt32.max])
        #expect(try count() == 4)
    }

    @Test func aFullServerTakesNoMore() throws {
        _ = try create(1)
        try call { (ledger) throws(StorageError) in
            var registry = RegistryRecord()
            registry.appCount = UInt32(Limits.apps)
            try Tables.registry.set(
                registry, at: App.registry.partition, OnlyKey(), in: ledger.transaction)
        }
        #expect(try create(1) == .exists)
        #expect(try create(2) == .tooMany)
        #expect(try record(2) == nil)
    }

    // MARK: Changing

    @Test(arguments: AppSetting.all.map(\.name))
    func aSettingIsStoredAndReadAndLeftToThePresetAgain(_ name: String) throws {
        let setting = try #require(AppSetting.named(name))
        _ = try create(7)
        for value in setting.bounds.ends {
            let (result, change) = try update(7) { $0.settings = [(setting, value)] }
            guard case .done(let row, let changed) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(setting.value(in: row.effectiveSettings) == value)
            #expect(changed && change != nil)
            #expect(change?.app.map { setting.value(in: $0.settings) } == value)
            #expect(try record(7) == row)
        }
        _ = try update(7) { $0.settings = [(setting, nil)] }
        let row = try #require(try record(7))
        #expect(row.settings.isEmpty)
        #expect(setting.value(in: row.effectiveSettings) == setting.value(in: .tim))
    }

    @Test func noTwoSettingsShareANameOrANumber() {
        #expect(Set(AppSetting.all.map(\.name)).count == AppSetting.all.count)
        #expect(Set(AppSetting.all.map(\.number)).count == AppSetting.all.count)
        for settings in [AppSettings.tim, .rongCloud] {
            for setting in AppSetting.all {
                #expect(setting.bounds.contains(setting.value(in: settings)), "\(setting.name)")
            }
        }
    }

    @Test func aChangeOfNothingKeepsTheVersionAndIsNotReported() throws {
        _ = try create(7) { $0.name = "x" }
        let (result, change) = try update(7) { $0.name = "x" }
        let row = try #require(try record(7))
        #expect(change == nil && result == .done(row, changed: false))
        #expect(try record(7)?.version == 1)
        _ = try update(7) { $0.name = "y" }
        #expect(try record(7)?.version == 2)
    }

    @Test func theAnswersOfAChangeComeInOrder() throws {
        _ = try create(7)
        #expect(try update(8) { $0.expectedVersion = 5 }.result == .unknown)
        #expect(try update(7) { $0.expectedVersion = 5 }.result == .stale(version: 1))
        _ = try delete(7)
        #expect(try update(7) { $0.expectedVersion = 5 }.result == .unknown)
    }

    // MARK: Deleting

    @Test func aDeletedAppGoesByStepsAndItsNumberIsFreeWithTheLastRow() throws {
        _ = try create(7)
        _ = try create(8)
        let world = try World(on: store)
        try world.create((0..<400).map { UserID(stored: "user\($0)".utf8) })
        let others = try store.rows(KeyRange(app: 8)).count

        let (result, change) = try delete(7)
        guard case .done(let row, true) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(row.state == .deleting && row.secrets.isEmpty)
        #expect(change?.id == 7 && change?.app == nil)
        #expect(try active() == [8])
        #expect(try create(7) == .beingDeleted)
        let deletedAgain = try delete(7)
        #expect(deletedAgain.result == .done(row, changed: false) && deletedAgain.change == nil)

        var steps = 0
        while try !world.stepJob() {
            steps += 1
            let deletion = try store.read { (transaction) throws(StorageError) in
                try AppRules.deletion(of: 7, in: transaction)
            }
            #expect(deletion?.removedRows == Int64(steps * Limits.rowsPerMaintenanceStep))
            #expect(deletion?.startedMs == World.start)
        }
        #expect(steps > 2)
        #expect(try world.nextJob() == nil)
        #expect(try store.rows(KeyRange(app: 7)).isEmpty)
        #expect(try store.rows(KeyRange(app: 8)).count == others)
        #expect(try record(7) == nil)
        #expect(try delete(7).result == .unknown)
        #expect(try count() == 1)
        guard case .done(7, _) = try create(7) else {
            Issue.record("the number is free")
            return
        }
    }

    @Test func theNamesOfADeletedAppAreForgotten() throws {
        _ = try create(7)
        let world = try World("A", "B", on: store)
        world.makeFriends("A", "B")
        _ = try delete(7)
        var touched = Touches()
        try store.write(touching: []) { (transaction) throws(StorageError) in
            let watched = WatchedTransaction(transaction)
            guard let job = try Jobs.next(in: watched) else { return }
            _ = try JobSteps.step(job, settings: .tim, now: now, in: watched)
            touched = watched.touched
        }
        #expect(touched.lists == [AppUser(app: 7, user: "A"), AppUser(app: 7, user: "B")])
    }

    // MARK: Credentials

    @Test func anAppKeepsADigestOfItsKeysUpToItsLimit() throws {
        _ = try create(7)
        let app = try app(7)
        for number in 0...Limits.credentials {
            var record = CredentialRecord()
            record.digest = [UInt8(number % 256)]
            let made = try call(in: app) { (ledger) throws(StorageError) in
                try CredentialRules.create(CredentialID("c\(number)"), record, in: ledger)
            }.result
            #expect(made == (number < Limits.credentials ? .done : .full))
        }
        func revoke(_ id: String) throws -> Bool {
            try call(in: app) { (ledger) throws(StorageError) in
                try CredentialRules.revoke(CredentialID(id), in: ledger)
            }.result
        }
        #expect(try revoke("c7"))
        #expect(try !revoke("c7"))
        let left = try store.read { (transaction) throws(StorageError) in
            try CredentialRules.list(of: app, in: transaction)
        }
        #expect(left.count == Limits.credentials - 1)
        #expect(left.map(\.id.text) == left.map(\.id.text).sorted())
    }

    @Test func atMostOneOldSecretStaysAndNoLongerThanStated() throws {
        _ = try create(7)
        let app = try app(7)
        func rotate(_ text: String, until: Int64) throws -> [SecretRecord] {
            let record = try call(in: app) { (ledger) throws(StorageError) in
                try CredentialRules.rotate(
                    text, oldValidUntilMs: until, of: ledger.app.id, in: ledger)
            }.result
            #expect(record?.changed == true)
            return try #require(record).app.secrets
        }
        #expect(try rotate("one", until: World.start + 5).map(\.text) == ["one"])
        let two = try rotate("two", until: World.start + 5)
        #expect(two.map(\.text) == ["two", "one"])
        #expect(two.map(\.validUntilMs) == [nil, World.start + 5])
        #expect(try rotate("three", until: World.start + 9).map(\.text) == ["three", "two"])
        #expect(try rotate("four", until: World.start - 1).map(\.text) == ["four"])
    }

    // MARK: Custom fields

    @Test func definingAnswersTheFirstReasonThatApplies() throws {
        typealias Why = Reason.CustomField
        _ = try create(7)
        func define(_ owner: Int32, _ key: String, _ type: Int32) throws -> FriendOutcome {
            let field = CustomField(
                CustomFieldOwner(rawValue: owner), key, CustomFieldType(rawValue: type))
            let app = try app(7)
            let outcome: (result: FriendOutcome, change: AppChange?) = try call(in: app) {
                (ledger) throws(StorageError) in
                try CustomFieldRules.define(field, in: ledger)
            }
            return outcome.result
        }
        func refused(_ reason: Reason) -> FriendOutcome { FriendOutcome(.invalidParameter, reason) }
        #expect(try define(0, "", 0) == refused(Why.ownerIllegal))
        #expect(try define(1, "", 0) == refused(Why.keyIllegal))
        #expect(try define(1, "Key", 0) == refused(Why.typeIllegal))
        #expect(try define(1, "Key", 1) == .success)
        #expect(try define(2, "Key", 3) == .success)
        #expect(try define(1, "Key", 2) == refused(Why.typeDiffers))
        let limit = try #require(AppSetting.named("limits.profile_keys"))
        _ = try update(7) { $0.settings = [(limit, .number(1))] }
        #expect(try define(1, "Key", 1) == .unchanged)
        #expect(try define(1, "Other", 1) == refused(Why.limit))
        #expect(try define(2, "Other", 1) == .success)
        let keys = try #require(try record(7)).customFields.map(\.key)
        #expect(keys == ["Key", "Key", "Other"])
    }
}

extension AppSetting.Bounds {
    /// The values at both ends.
    fileprivate var ends: [AppSetting.Value] {
        switch self {
        case .number(let bounds): [.number(bounds.lowerBound), .number(bounds.upperBound)]
        case .texts(_, let each): [.texts(["a", String(repeating: "b", count: each.upperBound)])]
        }
    }

    fileprivate func contains(_ value: AppSetting.Value) -> Bool {
        switch (self, value) {
        case (.number(let bounds), .number(let number)): bounds.contains(number)
        case (.texts(let count, let each), .texts(let texts)):
            count.contains(texts.count) && texts.allSatisfy { each.contains($0.utf8.count) }
        default: false
        }
    }
}
