import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationAdmission
@testable import RelationCalls
@testable import RelationChanges
@testable import RelationService

/// Streams of changes stay right when several things happen at once.
@Suite struct WatchCareTests {
    private static func watching(_ user: String, token: String = "") -> WatchRequest {
        var request = WatchRequest()
        request.scope = .userID(user)
        request.resumeToken = token
        return request
    }

    // MARK: Settings

    /// The keys of friends' custom values that a stream got.
    private func keys(_ client: WatchClient, _ id: Int32) -> Set<String> {
        let items = client[id].responses.compactMap(\.event).flatMap(\.items)
        return Set(items.compactMap(\.friendEntry).flatMap(\.custom).map(\.key))
    }

    private func harness(with fields: [CustomField]) throws -> WatchHarness {
        let harness = try WatchHarness("ann", "bob")
        set(fields, of: harness)
        let custom = ["Blood", "Secret"].map { CustomValue($0, .data([97])) }
        let outcome = try harness.world.add("bob", to: "ann") { $0.custom = custom }
        try #require(outcome == .success)
        return harness
    }

    private func set(_ fields: [CustomField], of harness: WatchHarness) {
        harness.world.settings.customFields = fields
        harness.apps.stage(AppChange(harness.world.app))
        harness.apps.publish()
    }

    private static let open = [
        CustomField(.friend, "Blood", .string), CustomField(.friend, "Secret", .string),
    ]
    private static var hidden: [CustomField] {
        var fields = open
        fields[1].isReadable = false
        return fields
    }

    @Test(arguments: [false, true])
    func whatIsHiddenWhileAStreamOpensIsNotSent(resumes: Bool) throws {
        let harness = try harness(with: Self.open)
        let client = try harness.connect()
        var token = ""
        if resumes {
            let first = try client.watch(Self.watching("ann"), scopes: "watch")
            try harness.settle()
            token = client[first].token
            _ = try harness.world.update("bob", of: "ann") { $0.remark = "new" }
            try harness.settle()
            client.reset(first)
            try harness.settle()
        }
        let stream = try client.watch(Self.watching("ann", token: token), scopes: "watch")
        try harness.settleHub()
        // An administrator hides a field after the first turn of reading.
        #expect(harness.work.runRead())
        try harness.settleHub()
        set(Self.hidden, of: harness)
        try harness.settle()
        #expect(!client[stream].token.isEmpty)
        #expect(keys(client, stream) == ["Blood"])
        // Live events follow the new settings too.
        _ = try harness.world.update("bob", of: "ann") { $0.remark = "newer" }
        set(Self.hidden, of: harness)
        try harness.settle()
        #expect(keys(client, stream) == ["Blood"])
    }

    // MARK: Accounts made again

    @Test func whoWasOnlineIsNotTheOneThatWasMadeAgainUnderItsID() throws {
        let harness = try WatchHarness("ann", "bob")
        try #require(try harness.world.add("bob", to: "ann") == .success)
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.settle()
        let before = client[stream].responses.count

        var report = PresenceBoard.Report(
            user: "bob", deviceID: "old", platform: "ios", online: true, leaseMs: 600_000)
        report.createdMs = World.start
        // Bob is deleted, and another user gets the id, before the hub tells of it.
        harness.board.report([report], app: 7, at: harness.world.now)
        _ = try harness.world.call(by: nil) { (ledger) throws(StorageError) in
            try AccountDeletion.start("bob", in: ledger)
        }
        try harness.world.runJobs()
        harness.world.advance(milliseconds: 10)
        harness.work.nowMs += 10
        try #require(try harness.world.make("bob") == .made)
        try #require(try harness.world.add("bob", to: "ann") == .success)
        try harness.settle()
        let received = client[stream].responses[before...].compactMap(\.event).map(\.kind)
        #expect(!received.contains(.presence))
        #expect(received.contains(.addFriend))

        // A report about the new account is sent.
        report.createdMs = harness.world.now.milliseconds
        report.deviceID = "new"
        harness.board.report([report], app: 7, at: harness.world.now)
        try harness.settle()
        let last = client[stream].responses.last?.event
        #expect(last?.kind == .presence)
        #expect(last?.items.first?.presence?.devices.map(\.deviceID) == ["new"])
    }

    /// Every way to make an account, with a first profile or without one.
    enum Making: CaseIterable {
        case importedWithNick, importedWithout, implicit, madeAgain
    }

    @Test(arguments: Making.allCases)
    func anAccountMadeAfterATokenIsNotMissed(_ making: Making) throws {
        let harness = try WatchHarness("ann")
        harness.world.settings.makesAccountsImplicitly = true
        harness.apps.stage(AppChange(harness.world.app))
        harness.apps.publish()
        if making == .madeAgain {
            try harness.world.create(["bob"])
            try setNick("Bob", of: "bob", harness)
            _ = try harness.world.call(by: nil) { (ledger) throws(StorageError) in
                try AccountDeletion.start("bob", in: ledger)
            }
            try harness.world.runJobs()
        }
        let client = try harness.connect()
        let first = try client.watch("ann")
        try harness.settle()
        let token = client[first].token

        let nick = making == .importedWithNick ? "Bob" : ""
        _ = try harness.world.call(by: making == .implicit ? "ann" : nil) {
            (ledger) throws(StorageError) in
            if making == .implicit {
                _ = try Accounts.ensureExists("bob", in: ledger)
            } else {
                _ = try Accounts.create("bob", nick: nick, faceURL: "", in: ledger)
            }
        }
        try setLocation("Rome", of: "bob", harness)
        let stream = try client.watch("bob", token: token)
        try harness.settle()

        // In the end the stream has the whole profile and the sequence, whatever messages come.
        var profile = Profile()
        var sequence: Int64 = 0
        for event in client[stream].responses.compactMap(\.event) {
            if event.sequence > 0 { sequence = event.sequence }
            for item in event.items {
                guard let received = item.profile, received.userID == "bob" else { continue }
                if event.kind == .state {
                    profile = received
                } else {
                    profile.location = received.location
                }
            }
        }
        let stored = try harness.world.storedProfile(of: "bob")
        #expect(profile.nick == stored.nick ?? "")
        #expect(profile.location == stored.location)
        #expect(sequence == (try harness.world.userRecord(of: "bob")?.sequence))
        let kinds = client[stream].responses.compactMap(\.event).map(\.kind)
        let isNew = making == .importedWithNick || making == .madeAgain
        #expect((kinds.first == .resync) == isNew, "\(kinds)")

        // A stream continues from the present point.
        let again = try client.watch("bob", token: client[stream].token)
        try setLocation("Oslo", of: "bob", harness)
        try harness.settle()
        let rest = client[again].responses.compactMap(\.event).map(\.kind)
        #expect(!rest.contains(.resync) && rest.contains(.profileChange))
    }

    private func setNick(_ nick: String, of user: UserID, _ harness: WatchHarness) throws {
        var values = ProfileRecord()
        values.nick = nick
        try update(user, values, .nick, harness)
    }

    private func setLocation(_ location: String, of user: UserID, _ harness: WatchHarness) throws {
        var values = ProfileRecord()
        values.location = Array(location.utf8)
        try update(user, values, .location, harness)
    }

    private func update(
        _ user: UserID, _ values: ProfileRecord, _ field: ProfileField, _ harness: WatchHarness
    ) throws {
        _ = try harness.world.call(by: user) { (ledger) throws(StorageError) in
            try Profiles.update(
                user, values, fields: [field], expectedVersion: nil, in: ledger)
        }
    }

    // MARK: The kept part of the log

    private func forget(_ harness: WatchHarness) throws {
        let world = harness.world
        while try world.store.write(
            touching: [],
            { (transaction) throws(StorageError) in
                try Retention.step(world.app, at: world.now, limit: 100, in: transaction)
            })
        {}
    }

    private func request(_ scope: String, _ token: String = "") -> WatchRequest {
        var request = WatchRequest()
        request.resumeToken = token
        switch scope {
        case "app": request.scope = .app(true)
        case "users": request.scope = .userIDs(StringList(["ann", "bob"]))
        default: request.scope = .userID("ann")
        }
        return request
    }

    @Test(arguments: ["user", "users", "app"], [false, true])
    func aTokenFromBeforeWhatTheLogKeepsBeginsAnewAndAnotherGoesOn(
        scope: String, byCount: Bool
    ) throws {
        let harness = try WatchHarness("ann", "bob")
        let client = try harness.connect()
        let old = try client.watch(request(scope))
        try harness.settle()
        let before = client[old].token
        if byCount { harness.world.settings.logEvents = 10 }
        for _ in 0..<Limits.logSlack + 20 { try harness.change("ann") }
        if !byCount {
            harness.world.advance(milliseconds: harness.world.settings.logLifetimeMs - 1)
        }
        try harness.change("ann")
        try harness.settle()
        let after = client[old].token
        if !byCount { harness.world.advance(milliseconds: 1) }
        try forget(harness)
        let userRecord = try #require(try harness.world.userRecord(of: "ann"))
        try #require(userRecord.logFloor > 0 && userRecord.logFloor < userRecord.sequence)

        let late = try client.watch(request(scope, before))
        let current = try client.watch(request(scope, after))
        try harness.settle()
        var received = client[late].responses.compactMap(\.event)
        #expect(received.first?.kind == .resync)
        #expect(received.filter { $0.kind == .resync }.count == 1)
        #expect(harness.hub.counts().resyncs == 1)
        #expect(received.contains { $0.kind == .state && $0.sequence == userRecord.sequence })
        #expect(client.sequences(late) == [], "events that the state includes are not sent again")
        received = client[current].responses.compactMap(\.event)
        #expect(!received.contains { $0.kind == .resync || $0.kind == .state })
        try harness.change("ann")
        try harness.settle()
        for stream in [late, current] {
            #expect(client.sequences(stream) == [userRecord.sequence + 1])
        }
    }

    // MARK: Subscriptions that end

    private func endSubscriptions(_ harness: WatchHarness) throws {
        let world = harness.world
        let events = try world.store.write(touching: []) {
            (transaction) throws(StorageError) -> [EventRow] in
            let watched = WatchedTransaction(transaction)
            _ = try SubscriptionExpiry.step(
                world.app, at: world.now, limit: 100, in: watched)
            return watched.events
        }
        harness.notify(events)
    }

    @Test func aSubscriptionDeliversUntilItsEndAndNoLonger() throws {
        let harness = try WatchHarness("ann", "bob", "carl")
        for (user, type) in [("ann", SubscribeType.userProfile), ("carl", .onlineStatus)] {
            let id = UserID(stored: user.utf8)
            try #require(try harness.world.subscribe(id, to: "bob", type) == .success)
        }
        let client = try harness.connect()
        var request = Self.watching("ann")
        request.deviceID = "phone"
        let anns = try client.watch(request)
        let carls = try client.watch("carl")
        try harness.settle()
        let online = PresenceBoard.Report(
            user: "bob", deviceID: "web", platform: "", online: true, leaseMs: 600_000,
            createdMs: World.start)
        func notified(_ stream: Int32, since count: Int) -> [ChangeKind] {
            client[stream].responses[count...].compactMap(\.event).map(\.kind)
        }

        for (passed, kinds) in [(Int64(59_999), [ChangeKind.profileChange]), (1, [])] {
            harness.world.advance(milliseconds: passed)
            harness.work.nowMs += passed
            let counts = [anns, carls].map { client[$0].responses.count }
            try setNick("Bob \(passed)", of: "bob", harness)
            var report = online
            report.deviceID = "web \(passed)"
            harness.board.report([report], app: 7, at: harness.world.now)
            try harness.settle()
            #expect(notified(anns, since: counts[0]) == kinds)
            #expect(notified(carls, since: counts[1]) == kinds.map { _ in .presence })
        }
        // For a stream that begins now it has expired too, although no step has ended it.
        let late = try client.watch("ann")
        try harness.settle()
        let shown = client[late].responses.compactMap(\.event).flatMap(\.items)
        #expect(!shown.contains { $0.subscription != nil || $0.profile?.userID == "bob" })
        // Then every device learns of the end.
        let count = client[anns].responses.count
        try endSubscriptions(harness)
        try harness.settle()
        #expect(notified(anns, since: count) == [.subscriptionExpired])
        #expect(client[anns].responses.last?.event?.items.map(\.userID) == ["bob"])
    }

    // MARK: Streams that end

    @Test func closingManyStreamsOfOneUserLooksAtEachAFewTimes() throws {
        let harness = try WatchHarness("ann")
        let caller = Caller(app: harness.world.app, scopes: .all)
        let count = 3_000
        let streams = (0..<count).map { _ in
            WatchStream(harness.hub, caller, .open(to: harness.apps))
        }
        for order in [streams, streams.reversed()] {
            var set = StreamSet()
            for stream in order { set.insert(stream) }
            #expect(Array(set).count == count)
            var looks = 0
            for stream in streams { looks += set.remove(stream) }
            #expect(set.isEmpty)
            #expect(looks <= count * StreamSet.few)
        }
    }
}
