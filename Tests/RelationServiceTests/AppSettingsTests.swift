import Digests
import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@testable import RelationAdmission
@testable import RelationCalls
@testable import RelationRuntime
@testable import RelationService

/// Settings that change while calls are under way, and secrets that no call returns again.
@Suite struct AppSettingsTests {
    /// App 7 with users A, B and C, in a registry.
    private func world() throws -> World {
        let world = try World("A", "B", "C")
        var making = AppRules.Making()
        making.id = world.app.id
        try world.call(by: nil) { (ledger) throws(StorageError) in
            _ = try AppRules.create(making, in: ledger)
        }
        return world
    }

    private func invocation<Request: WriteRequest, Response: WriteResponse>(
        _ method: Protobuf.Method<Request, Response>, _ request: Request, _ apps: Apps,
        _ world: World,
        _ handler: (Request, Call, inout Violations) -> Work<Response>
    ) throws -> WriteInvocation<Response> {
        var violations = Violations()
        let harness = ServiceHarness(world)
        let call = harness.call(Request.actsForUser ? request.userID : nil, &violations)
        let work = handler(request, call, &violations)
        #expect(violations.isEmpty)
        return WriteInvocation(
            work, call, request.options ?? WriteOptions(), on: WrittenList(of: method.service),
            apps: apps, digest: [], coder: method.responseCoder, handle: ServiceHarness.handle,
            deadline: nil)
    }

    private func add(_ friend: String, _ world: World, _ apps: Apps) throws
        -> WriteInvocation<AddFriendsResponse>
    {
        var item = AddFriend()
        item.userID = friend
        var request = AddFriendsRequest()
        request.userID = "A"
        request.items = [item]
        return try invocation(
            FriendMethods.addFriends, request, apps, world, FriendHandlers.addFriends)
    }

    private func lowerFriends(to count: UInt32, _ world: World, _ apps: Apps) throws
        -> WriteInvocation<UpdateAppResponse>
    {
        var limits = AppLimitsMessage()
        limits.friends = count
        var request = UpdateAppRequest()
        request.settings = AppSettingsMessage()
        request.settings?.limits = limits
        request.updateMask = FieldMask()
        request.updateMask?.paths = ["limits.friends"]
        return try invocation(AppMethods.updateApp, request, apps, world, AppHandlers.update)
    }

    @Test func aWriteLetInUnderOldSettingsIsDecidedByTheNewOnes() throws {
        let world = try world()
        let apps = Apps([world.app])
        let first = try add("B", world, apps)
        let change = try lowerFriends(to: 1, world, apps)
        let second = try add("C", world, apps)
        try world.store.write(touching: []) { (transaction) throws(StorageError) in
            try first.run(in: transaction)
            try change.run(in: transaction)
            try second.run(in: transaction)
        }
        // No other call has seen it yet.
        #expect(apps[world.app.id]?.settings.limits.friends == 3_000)
        apps.publish()
        #expect(apps[world.app.id]?.settings.limits.friends == 1)
        #expect(try first.answer.get().results.map(\.code) == [.success])
        #expect(try second.answer.get().results.map(\.code) == [.selfFriendFull])
    }

    @Test func settingsOfATransactionThatFailedAreNeverSeen() throws {
        let world = try world()
        let apps = Apps([world.app])
        let change = try lowerFriends(to: 1, world, apps)
        try world.store.write(touching: []) { (transaction) throws(StorageError) in
            try change.run(in: transaction)
        }
        #expect(apps.inTransaction(world.app.id)?.settings.limits.friends == 1)
        apps.discard()
        #expect(apps.inTransaction(world.app.id)?.settings.limits.friends == 3_000)
        apps.publish()
        #expect(apps[world.app.id]?.settings.limits.friends == 3_000)
    }

    @Test func aWriteOfAnAppThatWasDeletedBeforeItFindsNoApp() throws {
        let world = try world()
        let apps = Apps([world.app])
        var request = DeleteAppRequest()
        request.appID = world.app.id
        let gone = try invocation(AppMethods.deleteApp, request, apps, world) {
            AppHandlers.delete($0, $1, &$2, wake: {})
        }
        let late = try add("B", world, apps)
        try world.store.write(touching: []) { (transaction) throws(StorageError) in
            try gone.run(in: transaction)
            try late.run(in: transaction)
        }
        let error = try #require(throws: RPCError.self) { try late.answer.get() }
        #expect(error.code == .notFound)
        #expect(try error.unpacked().reason == "APP_NOT_FOUND")
    }

    @Test func aDryRunOfADeletionLeavesTheAppAsItIs() throws {
        let world = try world()
        let apps = Apps([world.app])
        var request = DeleteAppRequest()
        request.appID = world.app.id
        request.options = WriteOptions.with { $0.dryRun = true }
        let tried = try invocation(AppMethods.deleteApp, request, apps, world) {
            AppHandlers.delete($0, $1, &$2, wake: {})
        }
        try world.store.write(touching: []) { (transaction) throws(StorageError) in
            try tried.run(in: transaction)
        }
        apps.publish()
        #expect(apps[world.app.id] != nil)
        #expect(try world.nextJob() == nil)
        #expect(try tried.answer.get().app?.state == .deleting)
    }

    // MARK: Secrets

    @Test func ofAKeyOnlyADigestIsStored() throws {
        let world = try world()
        let apps = Apps([world.app])
        var request = CreateCredentialRequest()
        request.scopes = [.read]
        request.options = WriteOptions.with { $0.requestID = "one" }
        let randomness = Randomness { count in Array(repeating: UInt8(count), count: count) }
        let made = try invocation(AppMethods.createCredential, request, apps, world) {
            CredentialHandlers.create($0, $1, &$2, randomness)
        }
        try world.store.write(touching: []) { (transaction) throws(StorageError) in
            try made.run(in: transaction)
        }
        let answer = try made.answer.get()
        let secret = String(repeating: "20", count: 32)
        #expect(answer.key == "7.0808080808080808.\(secret)")
        let rows = try world.read { (transaction) throws(StorageError) in
            try CredentialRules.list(of: world.app, in: transaction)
        }
        #expect(rows.map(\.record.digest) == [SHA256.digest(of: answer.key.utf8)])
        for row in try world.store.rows(KeyRange(app: world.app.id)) {
            #expect(!row.value.contains(Array(secret.utf8)), "no stored row holds the secret")
        }
    }
}
