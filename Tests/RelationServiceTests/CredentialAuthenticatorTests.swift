import GRPC
import RPC
import RelationAccess
import RelationCore
import RelationModel
import Testing

@testable import RelationAdmission
@testable import RelationCalls
@testable import RelationService

/// The credentials that open a guarded authenticator, while time passes and credentials change;
/// tests set the clock.
struct CredentialAuthenticatorTests {
    private static let start: Int64 = 1_700_000_000_000

    // MARK: Ends

    @Test func aKeyEndsWithItsLastMillisecond() async throws {
        try await GuardedService.run { (service) async throws in
            let key = try service.key(expiresMs: Self.start + 10)
            for _ in 0..<3 { #expect(try await service.call(key) == "OK") }
            service.set(Self.start + 10)
            #expect(try await service.call(key) == "OK")
            service.set(Self.start + 11)
            for _ in 0..<3 { #expect(try await service.call(key) == "CREDENTIAL_EXPIRED") }
        }
    }

    @Test func aSignatureEndsWithItselfOrWithItsSecret() async throws {
        try await GuardedService.run { (service) async throws in
            try service.rotate("old", oldValidUntilMs: 0)
            let short = try service.signature("old", seconds: 10)
            let long = try service.signature("old", seconds: 1_000)
            #expect(try await service.call(user: short) == "OK")
            #expect(try await service.call(user: long) == "OK")
            service.set(Self.start + 10_001)
            #expect(try await service.call(user: short) == "CREDENTIAL_EXPIRED")
            #expect(try await service.call(user: long) == "OK")
            try service.rotate("new", oldValidUntilMs: Self.start + 20_000)
            #expect(try await service.call(user: long) == "OK")
            service.set(Self.start + 20_000)
            #expect(try await service.call(user: long) == "OK")
            service.set(Self.start + 20_001)
            #expect(try await service.call(user: long) == "CREDENTIAL_INVALID")
            #expect(try await service.call(user: try service.signature("new", seconds: 60)) == "OK")
        }
    }

    @Test func aSignatureMayBeAheadByTheSkewOfTwoClocksAndNoMore() async throws {
        try await GuardedService.run { (service) async throws in
            try service.rotate("secret", oldValidUntilMs: 0)
            let skew = AccessLimits.clockSkewMilliseconds / 1_000
            let near = try service.signature("secret", seconds: 999, after: skew)
            let far = try service.signature("secret", seconds: 999, after: skew + 1)
            #expect(try await service.call(user: near) == "OK")
            #expect(try await service.call(user: far) == "CREDENTIAL_INVALID")
            service.set(Self.start + 1_000)
            #expect(try await service.call(user: far) == "OK")
        }
    }

    // MARK: Changes

    @Test func whatIsKnownIsForgottenWithAnyChange() async throws {
        try await GuardedService.run { (service) async throws in
            let (one, other) = (try service.key(), try service.key())
            for _ in 0..<3 {
                #expect(try await service.call(one) == "OK")
                #expect(try await service.call(other) == "OK")
            }
            try service.revoke(one)
            #expect(try await service.call(one) == "CREDENTIAL_INVALID")
            #expect(try await service.call(other) == "OK")
        }
    }

    @Test func aChangeThatWasNotCommittedChangesNothing() async throws {
        try await GuardedService.run { (service) async throws in
            let key = try service.key()
            let before = service.apps.generation
            service.apps.stage(
                CredentialChange(
                    app: Authenticator.defaultApp, id: CredentialID(service.name(of: key)),
                    record: nil))
            service.apps.discard()
            service.apps.publish()
            #expect(service.apps.generation == before)
            #expect(try await service.call(key) == "OK")
        }
    }

    @Test func theLastUseOfAKeyIsNotedAndStaysWhenOtherKeysChange() async throws {
        try await GuardedService.run { (service) async throws in
            let app = Authenticator.defaultApp
            let (one, other) = (try service.key(), try service.key())
            #expect(service.apps.lastUses(of: app).isEmpty)
            for _ in 0..<3 { #expect(try await service.call(one) == "OK") }
            #expect(try await service.call("\(other)x") == "CREDENTIAL_INVALID")
            try service.revoke(other)
            #expect(service.apps.lastUses(of: app) == [service.name(of: one): Self.start])
            try service.revoke(one)
            #expect(service.apps.lastUses(of: app).isEmpty)
        }
    }

    @Test func theLastUseIsNotedAnewAfterAWhileAndOutlivesAKeyringReadAnew() throws {
        let rows = ["one", "two"].map { (id: CredentialID($0), record: CredentialRecord()) }
        let before = AppKeyring(AppCredentials(app: 1, secrets: [], credentials: rows))
        let use = try #require(before.keys.first).use
        let step: Int64 = 1 << AdmissionLimits.lastUseBits
        for (arrival, time, wanted) in [
            (0, 5, 5), (step - 1, 6, 5), (step, 7, 7), (step, 8, 7),
        ] as [(Int64, Int64, Int64)] {
            use.note(arrival, by: ServiceClock { Timestamp(milliseconds: time) })
            #expect(use.milliseconds == wanted)
        }
        let after = AppKeyring(
            AppCredentials(app: 1, secrets: [], credentials: rows.reversed()), before)
        #expect(after.keys.map(\.use.milliseconds) == [0, 7])
    }

    @Test func aUseIsStoredAtOnceThenOnceAnHourAndAtTheStop() {
        let use = LastUse()
        let hour = AdmissionLimits.storedUseMilliseconds
        var arrival: Int64 = 0
        func call(at milliseconds: Int64) {
            arrival += 1 << AdmissionLimits.lastUseBits
            use.note(arrival, by: ServiceClock { Timestamp(milliseconds: milliseconds) })
        }
        #expect(use.due(all: true) == nil, "no call has shown it")
        call(at: Self.start)
        #expect(use.due(all: false) == Self.start)
        // An error of the store leaves it due.
        #expect(use.due(all: false) == Self.start)
        use.didStore(Self.start)
        #expect(use.due(all: true) == nil)
        call(at: Self.start + hour - 1)
        #expect(use.due(all: false) == nil)
        #expect(use.due(all: true) == Self.start + hour - 1)
        call(at: Self.start + hour)
        #expect(use.due(all: false) == Self.start + hour)
    }

    @Test func moreCallersThanAreRememberedComeInEachAsItself() async throws {
        try await GuardedService.run { (service) async throws in
            try service.rotate("secret", oldValidUntilMs: 0)
            for number in 0..<AdmissionLimits.rememberedCallers + 200 {
                let token = try service.signature("secret", seconds: 60, user: "u\(number)")
                // No account has that name, and the answer names the user that asked.
                #expect(try await service.whoAsks(token) == "u\(number)")
            }
        }
    }

    // MARK: Later

    @Test func aCallerIsStillAdmittedUntilItsCredentialEnds() async throws {
        try await GuardedService.run { (service) async throws in
            let (key, other) = (try service.key(expiresMs: Self.start + 10), try service.key())
            try service.rotate("secret", oldValidUntilMs: 0)
            let token = try service.signature("secret", seconds: 1)
            let callers = [
                try await service.caller("Bearer \(key)"),
                try await service.caller("Bearer \(other)"),
                try await service.caller("UserSig \(token)"),
            ]
            var seen: [UInt64] = [0, 0, 0]
            func looks() throws -> [String] {
                var reasons: [String] = []
                for (index, caller) in callers.enumerated() {
                    do throws(RPCError) {
                        try service.authenticator.reauthorise(caller, since: &seen[index])
                        reasons.append("OK")
                    } catch {
                        reasons.append(try error.unpacked().reason)
                    }
                }
                return reasons
            }
            let (expired, invalid) = ("CREDENTIAL_EXPIRED", "CREDENTIAL_INVALID")
            for _ in 0..<2 { #expect(try looks() == ["OK", "OK", "OK"]) }
            service.set(Self.start + 11)
            #expect(try looks() == [expired, "OK", "OK"])
            try service.revoke(other)
            for _ in 0..<2 { #expect(try looks() == [expired, invalid, "OK"]) }
            service.set(Self.start + 1_001)
            #expect(try looks() == [expired, invalid, expired])
            service.set(Self.start)
            try service.rotate("new", oldValidUntilMs: 0)
            #expect(try looks() == ["OK", invalid, invalid])
        }
    }

    @Test func aStreamByAReplacedSecretEndsWithThat() async throws {
        try await GuardedService.run { (service) async throws in
            try service.rotate("old", oldValidUntilMs: 0)
            let token = try service.signature("old", seconds: 1_000)
            let caller = try await service.caller("UserSig \(token)")
            var seen: UInt64 = 0
            try service.authenticator.reauthorise(caller, since: &seen)
            try service.rotate("new", oldValidUntilMs: Self.start + 5)
            for time in 0...5 {
                service.set(Self.start + Int64(time))
                try service.authenticator.reauthorise(caller, since: &seen)
            }
            service.set(Self.start + 6)
            #expect(throws: RPCError.self) {
                try service.authenticator.reauthorise(caller, since: &seen)
            }
        }
    }

    // MARK: How often

    @Test func eachBucketIsItsOwnAndTheAppsIsAbove() async throws {
        var rates = CallRates()
        // The rate is one an hour: however slow the test is, no token comes back in the meantime.
        let hour: Int64 = 3_600_000_000_000
        rates.app = Rate(every: hour, burst: 5)
        rates.key = Rate(every: hour, burst: 3)
        try await GuardedService.run(rates) { (service) async throws in
            let (one, other) = (try service.key(), try service.key())
            var first: [String] = []
            for _ in 0..<4 { first.append(try await service.call(one)) }
            #expect(first == ["OK", "OK", "OK", "THROTTLED"])
            var second: [String] = []
            for _ in 0..<3 { second.append(try await service.call(other)) }
            #expect(second == ["OK", "OK", "THROTTLED"])
        }
    }

    @Test func anotherRateHoldsFromTheNextCallOn() async throws {
        let hour: Int64 = 3_600_000_000_000
        var rates = CallRates()
        rates.key = Rate(every: hour, burst: 1)
        try await GuardedService.run(rates) { (service) async throws in
            let key = try service.key()
            #expect(try await service.call(key) == "OK")
            #expect(try await service.call(key) == "THROTTLED")
            rates.key = nil
            service.authenticator.apply(rates, HoldBounds())
            for _ in 0..<3 { #expect(try await service.call(key) == "OK") }
            rates.app = Rate(every: hour, burst: 1)
            service.authenticator.apply(rates, HoldBounds())
            var last = try await service.call(key)
            if last == "OK" { last = try await service.call(key) }
            #expect(last == "THROTTLED")
        }
    }

    // MARK: How much at once

    @Test func otherBoundsHoldFromTheNextCallOn() async throws {
        try await GuardedService.run { (service) async throws in
            let many = Array(repeating: "Bearer \(try service.key())", count: 3)
            #expect(try await refusals(service, many, open: 3).isEmpty)
            var bounds = HoldBounds()
            bounds.calls.key = 1
            service.authenticator.apply(CallRates(), bounds)
            #expect(try await refusals(service, many, open: 1).count == 2)
        }
    }

    /// Begins calls that stay open, and returns the results of the refused ones.
    private func refusals(
        _ service: GuardedService, _ credentials: [String], open: Int
    ) async throws -> [String] {
        try await withThrowingTaskGroup(of: String.self) { group in
            for credential in credentials {
                group.addTask { try await service.callThatWaits(credential) }
            }
            var refused: [String] = []
            while refused.count < credentials.count - open, let one = try await group.next() {
                refused.append(one)
            }
            while service.waiting.count < open { await Task.yield() }
            #expect(service.waiting.count == open)
            service.waiting.answerAll()
            for try await reason in group { #expect(reason == "OK") }
            return refused
        }
    }

    @Test func theLowerOneOfTheServersBoundAndTheAppsHolds() {
        var server = CallerLimits(rates: CallRates(), bounds: HoldBounds())
        server.rates.app = Rate(perSecond: 1_000, burst: 2_000)
        server.rates.key = nil
        server.bounds.calls = HoldBounds.Numbers(app: 10, key: nil, user: 2)
        var app = AppBounds()
        let same = server.lowered(by: app)
        #expect(same.rates.app == server.rates.app && same.rates.key == nil)
        (app.rate, app.keyRate, app.userRate) = (100, 50, 7)
        (app.openCalls, app.keyOpenCalls, app.userOpenCalls) = (11, 5, 1)
        (app.connections, app.keyConnections, app.userConnections) = (3, 0, 2)
        let lower = server.lowered(by: app)
        #expect(lower.rates.app == Rate(perSecond: 100, burst: 200))
        #expect(lower.rates.key == Rate(perSecond: 50, burst: 100))
        #expect(lower.rates.user == Rate(perSecond: 7, burst: 35))
        #expect(lower.bounds.calls.app == 10)
        #expect(lower.bounds.calls.key == 5)
        #expect(lower.bounds.calls.user == 1)
        #expect(lower.bounds.connections.app == 3)
        #expect(lower.bounds.connections.key == AdmissionLimits.connectionsPerKey)
        #expect(lower.bounds.connections.user == 2)
        app.rate = 1_001
        #expect(server.lowered(by: app).rates.app == server.rates.app)
    }

    @Test func anAppsBoundsHoldFromTheNextCallOnAndEndAsSoon() async throws {
        try await GuardedService.run { (service) async throws in
            let key = try service.key()
            let many = Array(repeating: "Bearer \(key)", count: 3)
            #expect(try await refusals(service, many, open: 3).isEmpty)
            try service.setBounds(["key_open_calls": 1])
            let full = "TOO_MANY_OPEN_CALLS"
            #expect(try await refusals(service, many, open: 1) == [full, full])
            try service.setBounds(["key_open_calls": 0, "open_calls": 2])
            #expect(try await refusals(service, many, open: 2) == [full])
            try service.setBounds(["open_calls": 0, "calls_per_second": 1])
            // Two come at once, and then one a second: of so many calls some are refused.
            var outcomes: Set<String> = []
            for _ in 0..<200 { outcomes.insert(try await service.call(key)) }
            #expect(outcomes == ["OK", "THROTTLED"])
            try service.setBounds(["calls_per_second": 0])
            #expect(try await refusals(service, many, open: 3).isEmpty)
        }
    }

    @Test func usersOfAnAppWithABoundOfItsOwnShareNoBucketWithOthers() async throws {
        try await GuardedService.run { (service) async throws in
            #expect(service.apps.keyring(of: Authenticator.defaultApp)?.users == nil)
            try service.setBounds(["user_calls_per_second": 1])
            let own = try #require(service.apps.keyring(of: Authenticator.defaultApp)?.users)
            try service.setBounds(["user_calls_per_second": 2])
            #expect(service.apps.keyring(of: Authenticator.defaultApp)?.users === own)
            try service.rotate("secret", oldValidUntilMs: 0)
            let token = try service.signature("secret", seconds: 60)
            var outcomes: Set<String> = []
            for _ in 0..<200 { outcomes.insert(try await service.call(user: token)) }
            #expect(outcomes == ["OK", "THROTTLED"])
            try service.setBounds(["user_calls_per_second": 0])
            #expect(service.apps.keyring(of: Authenticator.defaultApp)?.users == nil)
            for _ in 0..<20 { #expect(try await service.call(user: token) == "OK") }
        }
    }

    @Test func openCallsAreBoundedForAKeyAndForItsApp() async throws {
        var bounds = HoldBounds()
        bounds.calls = HoldBounds.Numbers(app: 5, key: 3, user: 2)
        try await GuardedService.run(bounds: bounds) { (service) async throws in
            let (one, other) = (try service.key(), try service.key())
            let many = Array(repeating: "Bearer \(one)", count: 10)
            let full = "TOO_MANY_OPEN_CALLS"
            // A call that ended gave its place back: the second round finds as many.
            for _ in 0..<2 {
                let refused = try await refusals(service, many, open: 3)
                #expect(refused == Array(repeating: full, count: 7))
            }
            let both = many.prefix(3) + Array(repeating: "Bearer \(other)", count: 3)
            #expect(try await refusals(service, Array(both), open: 5) == [full])
            // Calls that are answered at once do not count.
            for _ in 0..<10 { #expect(try await service.call(one) == "OK") }
        }
    }

    @Test func openCallsAreBoundedForAUserWhateverSignatureItShows() async throws {
        var bounds = HoldBounds()
        bounds.calls.user = 2
        try await GuardedService.run(bounds: bounds) { (service) async throws in
            try service.rotate("secret", oldValidUntilMs: 0)
            let tokens = try (1...4).map { try service.signature("secret", seconds: $0 * 100) }
            let all = tokens.map { "UserSig \($0)" }
            let refused = try await refusals(service, all, open: 2)
            #expect(refused == Array(repeating: "TOO_MANY_OPEN_CALLS", count: 2))
            let bob = "UserSig \(try service.signature("secret", seconds: 60, user: "bob"))"
            #expect(try await refusals(service, [bob, bob], open: 2).isEmpty)
        }
    }

    @Test func connectionsAreBoundedForAKeyAUserAndTheirApp() async throws {
        var bounds = HoldBounds()
        bounds.connections = HoldBounds.Numbers(app: 3, key: 2, user: 1)
        try await GuardedService.run(bounds: bounds) { (service) async throws in
            let (one, other) = ("Bearer \(try service.key())", "Bearer \(try service.key())")
            try service.rotate("secret", oldValidUntilMs: 0)
            let ann = "UserSig \(try service.signature("secret", seconds: 60))"
            let full = "TOO_MANY_CONNECTIONS"
            let first = try await service.callOnNewConnection(one) { () async throws in
                let second = try await service.callOnNewConnection(one) { () async throws in
                    #expect(try await service.callOnNewConnection(one) == full)
                    let user = try await service.callOnNewConnection(ann) { () async throws in
                        #expect(try await service.callOnNewConnection(ann) == full)
                        #expect(try await service.callOnNewConnection(other) == full)
                    }
                    #expect(user == "OK")
                }
                #expect(second == "OK")
            }
            #expect(first == "OK")
        }
    }

    @Test func usersWhomNoCallHoldsAreForgotten() {
        let usages = UserUsages()
        let app = Usage()
        let kept = usages.usage(of: UserID(stored: "kept".utf8), 1, in: app)
        for number in 0..<10_000 {
            _ = usages.usage(of: UserID(stored: "u\(number)".utf8), 1, in: app)
        }
        #expect(usages.count < 3_000)
        #expect(usages.usage(of: UserID(stored: "kept".utf8), 1, in: app) === kept)
        // The app was deleted, and made anew under its number.
        let anew = Usage()
        #expect(usages.usage(of: UserID(stored: "kept".utf8), 1, in: anew) !== kept)
    }
}
