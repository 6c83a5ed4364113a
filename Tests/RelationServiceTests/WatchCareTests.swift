import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationService

/// What streams of changes must not get wrong where several things happen at once.
@Suite struct WatchCareTests {
    private static func watching(_ user: String, token: String = "") -> WatchRequest {
        var request = WatchRequest()
        request.userID = user
        request.resumeToken = token
        return request
    }

    // MARK: Settings

    /// The keys of the custom values of friends that a stream was told.
    private func keys(_ client: WatchClient, _ id: Int32) -> Set<String> {
        let items = client[id].responses.compactMap(\.event).flatMap(\.items)
        return Set(items.compactMap(\.friend).flatMap(\.custom).map(\.key))
    }

    private func desk(with fields: [CustomField]) throws -> WatchDesk {
        let desk = try WatchDesk("ann", "bob")
        set(fields, of: desk)
        let custom = ["Blood", "Secret"].map { CustomValue($0, .data([97])) }
        let outcome = try desk.world.add("bob", to: "ann") { $0.custom = custom }
        try #require(outcome == .success)
        return desk
    }

    private func set(_ fields: [CustomField], of desk: WatchDesk) {
        desk.world.settings.customFields = fields
        desk.apps.stage(AppChange(desk.world.app))
        desk.apps.publish()
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
    func whatIsHiddenWhileAStreamOpensIsNotTold(resumes: Bool) throws {
        let desk = try desk(with: Self.open)
        let client = try desk.connect()
        var token = ""
        if resumes {
            let first = try client.watch(Self.watching("ann"), scopes: "watch")
            try desk.settle()
            token = client[first].token
            _ = try desk.world.update("bob", of: "ann") { $0.remark = "new" }
            try desk.settle()
            client.reset(first)
            try desk.settle()
        }
        let stream = try client.watch(Self.watching("ann", token: token), scopes: "watch")
        try desk.settleHub()
        // Its first turn has been read when an administrator hides a field.
        #expect(desk.work.runRead())
        try desk.settleHub()
        set(Self.hidden, of: desk)
        try desk.settle()
        #expect(!client[stream].token.isEmpty)
        #expect(keys(client, stream) == ["Blood"])
        // Live events follow the settings too.
        _ = try desk.world.update("bob", of: "ann") { $0.remark = "newer" }
        set(Self.hidden, of: desk)
        try desk.settle()
        #expect(keys(client, stream) == ["Blood"])
    }

    // MARK: Accounts made again

    @Test func whoWasOnlineIsNotTheOneThatWasMadeAgainUnderItsID() throws {
        let desk = try WatchDesk("ann", "bob")
        try #require(try desk.world.add("bob", to: "ann") == .success)
        let client = try desk.connect()
        let stream = try client.watch("ann")
        try desk.settle()
        let before = client[stream].responses.count

        var report = PresenceBoard.Report(
            user: "bob", deviceID: "old", platform: "ios", online: true, leaseMs: 600_000)
        report.createdMs = World.start
        // Bob is gone, and somebody has its id, before the hub comes to tell.
        desk.board.report([report], app: 7, at: desk.world.now)
        _ = try desk.world.call(by: nil) { (ledger) throws(StorageError) in
            try AccountDeletion.start("bob", in: ledger)
        }
        try desk.world.runJobs()
        desk.world.advance(milliseconds: 10)
        desk.work.nowMs += 10
        try #require(try desk.world.make("bob") == .made)
        try #require(try desk.world.add("bob", to: "ann") == .success)
        try desk.settle()
        let told = client[stream].responses[before...].compactMap(\.event).map(\.kind)
        #expect(!told.contains(.presence))
        #expect(told.contains(.addFriend))

        // The new one's own report is told.
        report.createdMs = desk.world.now.milliseconds
        report.deviceID = "new"
        desk.board.report([report], app: 7, at: desk.world.now)
        try desk.settle()
        let last = client[stream].responses.last?.event
        #expect(last?.kind == .presence)
        #expect(last?.items.first?.presence?.devices.map(\.deviceID) == ["new"])
    }

    /// Every way in which an account is made that had no first profile, or has one.
    enum Making: CaseIterable {
        case importedWithNick, importedWithout, implicit, madeAgain
    }

    @Test(arguments: Making.allCases)
    func anAccountMadeAfterATokenIsNotMissed(_ making: Making) throws {
        let desk = try WatchDesk("ann")
        desk.world.settings.makesAccountsImplicitly = true
        desk.apps.stage(AppChange(desk.world.app))
        desk.apps.publish()
        if making == .madeAgain {
            try desk.world.create(["bob"])
            try setNick("Bob", of: "bob", desk)
            _ = try desk.world.call(by: nil) { (ledger) throws(StorageError) in
                try AccountDeletion.start("bob", in: ledger)
            }
            try desk.world.runJobs()
        }
        let client = try desk.connect()
        let first = try client.watch("ann")
        try desk.settle()
        let token = client[first].token

        let nick = making == .importedWithNick ? "Bob" : ""
        _ = try desk.world.call(by: making == .implicit ? "ann" : nil) {
            (ledger) throws(StorageError) in
            if making == .implicit {
                _ = try Accounts.knows("bob", in: ledger)
            } else {
                _ = try Accounts.create("bob", nick: nick, faceURL: "", in: ledger)
            }
        }
        try setLocation("Rome", of: "bob", desk)
        let stream = try client.watch("bob", token: token)
        try desk.settle()

        // Whatever it is told, in the end it has the whole profile and the sequence.
        var profile = Profile()
        var sequence: Int64 = 0
        for event in client[stream].responses.compactMap(\.event) {
            if event.sequence > 0 { sequence = event.sequence }
            for item in event.items {
                guard let told = item.profile, told.userID == "bob" else { continue }
                if event.kind == .state { profile = told } else { profile.location = told.location }
            }
        }
        let stored = try desk.world.storedProfile(of: "bob")
        #expect(profile.nick == stored.nick ?? "")
        #expect(profile.location == stored.location)
        #expect(sequence == (try desk.world.head(of: "bob")?.sequence))
        let kinds = client[stream].responses.compactMap(\.event).map(\.kind)
        let isNew = making == .importedWithNick || making == .madeAgain
        #expect((kinds.first == .resync) == isNew, "\(kinds)")

        // From where it now is it goes on.
        let again = try client.watch("bob", token: client[stream].token)
        try setLocation("Oslo", of: "bob", desk)
        try desk.settle()
        let rest = client[again].responses.compactMap(\.event).map(\.kind)
        #expect(!rest.contains(.resync) && rest.contains(.profileChange))
    }

    private func setNick(_ nick: String, of user: UserID, _ desk: WatchDesk) throws {
        var values = ProfileRecord()
        values.nick = nick
        try update(user, values, .nick, desk)
    }

    private func setLocation(_ location: String, of user: UserID, _ desk: WatchDesk) throws {
        var values = ProfileRecord()
        values.location = Array(location.utf8)
        try update(user, values, .location, desk)
    }

    private func update(
        _ user: UserID, _ values: ProfileRecord, _ field: ProfileField, _ desk: WatchDesk
    ) throws {
        _ = try desk.world.call(by: user) { (ledger) throws(StorageError) in
            try Profiles.update(
                user, values, fields: [field], expectedVersion: nil, in: ledger)
        }
    }

    // MARK: What the log keeps

    private func forget(_ desk: WatchDesk) throws {
        let world = desk.world
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
        case "app": request.app = true
        case "users": request.userIDs = ["ann", "bob"]
        default: request.userID = "ann"
        }
        return request
    }

    @Test(arguments: ["user", "users", "app"], [false, true])
    func aTokenFromBeforeWhatTheLogKeepsBeginsAnewAndAnotherGoesOn(
        scope: String, byCount: Bool
    ) throws {
        let desk = try WatchDesk("ann", "bob")
        let client = try desk.connect()
        let old = try client.watch(request(scope))
        try desk.settle()
        let before = client[old].token
        if byCount { desk.world.settings.logEvents = 10 }
        for _ in 0..<Limits.logSlack + 20 { try desk.change("ann") }
        if !byCount { desk.world.advance(milliseconds: desk.world.settings.logLifetimeMs - 1) }
        try desk.change("ann")
        try desk.settle()
        let after = client[old].token
        if !byCount { desk.world.advance(milliseconds: 1) }
        try forget(desk)
        let head = try #require(try desk.world.head(of: "ann"))
        try #require(head.logFloor > 0 && head.logFloor < head.sequence)

        let late = try client.watch(request(scope, before))
        let current = try client.watch(request(scope, after))
        try desk.settle()
        var told = client[late].responses.compactMap(\.event)
        #expect(told.first?.kind == .resync)
        #expect(told.filter { $0.kind == .resync }.count == 1)
        #expect(told.contains { $0.kind == .state && $0.sequence == head.sequence })
        #expect(client.sequences(late) == [], "what the state holds is not told again")
        told = client[current].responses.compactMap(\.event)
        #expect(!told.contains { $0.kind == .resync || $0.kind == .state })
        try desk.change("ann")
        try desk.settle()
        for stream in [late, current] {
            #expect(client.sequences(stream) == [head.sequence + 1])
        }
    }

    // MARK: Subscriptions that end

    private func endSubscriptions(_ desk: WatchDesk) throws {
        let world = desk.world
        let events = try world.store.write(touching: []) {
            (transaction) throws(StorageError) -> [EventRow] in
            let watched = WatchedTransaction(transaction)
            _ = try SubscriptionExpiry.step(
                world.app, at: world.now, limit: 100, in: watched)
            return watched.events
        }
        desk.tell(events)
    }

    @Test func aSubscriptionDeliversUntilItsEndAndNoLonger() throws {
        let desk = try WatchDesk("ann", "bob", "carl")
        for (user, type) in [("ann", SubscribeType.userProfile), ("carl", .onlineStatus)] {
            let id = UserID(stored: user.utf8)
            try #require(try desk.world.subscribe(id, to: "bob", type) == .success)
        }
        let client = try desk.connect()
        var request = Self.watching("ann")
        request.deviceID = "phone"
        let anns = try client.watch(request)
        let carls = try client.watch("carl")
        try desk.settle()
        let online = PresenceBoard.Report(
            user: "bob", deviceID: "web", platform: "", online: true, leaseMs: 600_000,
            createdMs: World.start)
        func told(_ stream: Int32, since count: Int) -> [ChangeKind] {
            client[stream].responses[count...].compactMap(\.event).map(\.kind)
        }

        for (passed, kinds) in [(Int64(59_999), [ChangeKind.profileChange]), (1, [])] {
            desk.world.advance(milliseconds: passed)
            desk.work.nowMs += passed
            let counts = [anns, carls].map { client[$0].responses.count }
            try setNick("Bob \(passed)", of: "bob", desk)
            var report = online
            report.deviceID = "web \(passed)"
            desk.board.report([report], app: 7, at: desk.world.now)
            try desk.settle()
            #expect(told(anns, since: counts[0]) == kinds)
            #expect(told(carls, since: counts[1]) == kinds.map { _ in .presence })
        }
        // It is over before anything has ended it, for a stream that begins now too.
        let late = try client.watch("ann")
        try desk.settle()
        let shown = client[late].responses.compactMap(\.event).flatMap(\.items)
        #expect(!shown.contains { $0.subscription != nil || $0.profile?.userID == "bob" })
        // Then every device is told that it has ended.
        let count = client[anns].responses.count
        try endSubscriptions(desk)
        try desk.settle()
        #expect(told(anns, since: count) == [.subscriptionExpired])
        #expect(client[anns].responses.last?.event?.items.map(\.userID) == ["bob"])
    }

    // MARK: Streams that end

    @Test func closingManyStreamsOfOneUserLooksAtEachAFewTimes() throws {
        let desk = try WatchDesk("ann")
        let caller = Caller(app: desk.world.app, scopes: .all)
        let count = 3_000
        let streams = (0..<count).map { _ in
            WatchStream(desk.hub, caller, .open(to: desk.apps))
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
