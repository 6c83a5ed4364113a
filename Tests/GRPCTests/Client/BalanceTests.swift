import HTTP2
import NIOCore
import NIOEmbedded
import RPC
import Testing

@testable import GRPCClient
@testable import GRPCWire

/// A client of several addresses, by hand.
struct BalanceTests {
    private static let one = "192.0.2.1"
    private static let two = "192.0.2.2"
    private static let three = "192.0.2.3"

    private static func targets(_ addresses: String...) -> [ServerTarget] {
        addresses.map { .host($0, port: 7450) }
    }

    private static let name = ServerTarget.host("relation.test", port: 7450)

    private static func named(
        _ addresses: [String], configure: (inout ClientConfiguration) -> Void = { _ in }
    ) -> FleetHarness {
        FleetHarness([name], ["relation.test": addresses], configure: configure)
    }

    // MARK: Turns

    @Test func callsGoToAllServersInTurn() throws {
        let fleet = FleetHarness(Self.targets(Self.one, Self.two, Self.three))
        for _ in 0..<30 { try fleet.call() }
        // While the first connections were made, calls may have gone to those that were ready.
        _ = fleet.takeCounts()
        for _ in 0..<30 { #expect(try fleet.call().end?.status.code == .ok) }
        #expect(fleet.takeCounts() == [Self.one: 10, Self.two: 10, Self.three: 10])
        #expect(fleet.dials.count == 3)
    }

    @Test func aServerThatIsNamedTwiceHasOneConnection() throws {
        let fleet = FleetHarness(Self.targets(Self.one, Self.one))
        try fleet.call()
        #expect(fleet.dials == [Self.one])
    }

    @Test func nothingIsConnectedBeforeTheFirstCall() throws {
        let fleet = Self.named([Self.one, Self.two])
        try fleet.pass(.seconds(100))
        #expect(fleet.dials.isEmpty && fleet.resolver.questions.isEmpty)
    }

    @Test func aServerThatIsDownIsLeftOutAndComesBack() throws {
        let fleet = FleetHarness(Self.targets(Self.one, Self.two))
        fleet.acceptance[Self.two] = .closed
        for _ in 0..<4 { #expect(try fleet.call().end?.status.code == .ok) }
        #expect(fleet.takeCounts() == [Self.one: 4])
        fleet.acceptance[Self.two] = nil
        try fleet.pass(.milliseconds(CallLimits.longestConnectWaitMilliseconds))
        for _ in 0..<4 { try fleet.call() }
        #expect(fleet.takeCounts() == [Self.one: 2, Self.two: 2])
    }

    // MARK: A server that hangs

    private func fleet(hangs: String) throws -> FleetHarness {
        let fleet = FleetHarness(Self.targets(Self.one, Self.two)) {
            $0.keepalive = .seconds(120)
        }
        for _ in 0..<4 { try fleet.call() }
        _ = fleet.takeCounts()
        try fleet.pass(.seconds(1))
        fleet.connection(hangs)?.isSilent = true
        return fleet
    }

    /// Makes calls of a second until one is over without an answer.
    private func loseACall(_ fleet: FleetHarness) throws {
        for _ in 0..<4 {
            let call = try fleet.call(deadline: Deadline(fleet.eventLoop.now + .seconds(1)))
            if call.end == nil {
                try fleet.pass(.seconds(1))
                #expect(call.end?.status.code == .deadlineExceeded)
                return
            }
        }
        Issue.record("no call went to the server that hangs")
    }

    @Test func aServerThatHangsHasNoCallsAfterOneWasLost() throws {
        let fleet = try fleet(hangs: Self.one)
        try loseACall(fleet)
        _ = fleet.takeCounts()
        for _ in 0..<6 { #expect(try fleet.call().end?.status.code == .ok) }
        #expect(fleet.takeCounts() == [Self.two: 6])
        try fleet.pass(.seconds(CallLimits.doubtAnswerSeconds))
        #expect(fleet.connected.contains(Self.two))
        #expect(fleet.connection(Self.one)?.isSilent != true, "the connection was given up")
    }

    @Test func aServerThatWakesUpHasCallsAgain() throws {
        let fleet = try fleet(hangs: Self.one)
        try loseACall(fleet)
        let connection = try #require(fleet.connection(Self.one))
        connection.isSilent = false
        try fleet.pass(.seconds(1))
        _ = fleet.takeCounts()
        for _ in 0..<4 { #expect(try fleet.call().end?.status.code == .ok) }
        #expect(fleet.takeCounts() == [Self.one: 2, Self.two: 2])
        try fleet.pass(.seconds(CallLimits.doubtAnswerSeconds))
        #expect(fleet.connection(Self.one) === connection)
    }

    @Test func theOnlyServerHasCallsAlthoughItSeemsToHang() throws {
        let fleet = FleetHarness(Self.targets(Self.one)) { $0.keepalive = .seconds(120) }
        try fleet.call()
        try fleet.pass(.seconds(1))
        let connection = try #require(fleet.connection(Self.one))
        connection.isSilent = true
        try loseACall(fleet)
        let call = try fleet.call()
        connection.isSilent = false
        try fleet.exchange()
        #expect(call.end?.status.code == .ok)
    }

    @Test func aSlowServerIsAskedSeldomForASignOfLife() throws {
        let fleet = FleetHarness(Self.targets(Self.one)) { $0.keepalive = .seconds(120) }
        try fleet.call()
        fleet.answer = .hold
        for _ in 0..<100 { try loseACall(fleet) }
        let pings = try #require(fleet.connection(Self.one)).pings
        #expect((1...2).contains(pings))
    }

    @Test func waitsBetweenAttemptsGrowToALimit() throws {
        let fleet = FleetHarness(Self.targets(Self.one, Self.two))
        fleet.acceptance[Self.two] = .closed
        try fleet.call()
        for _ in 0..<20 { try fleet.pass(.milliseconds(CallLimits.longestConnectWaitMilliseconds)) }
        let two = try #require(fleet.core.subchannels.last)
        #expect(two.backoff.milliseconds == CallLimits.longestConnectWaitMilliseconds)
        let dials = fleet.dials.count
        try fleet.pass(.milliseconds(CallLimits.longestConnectWaitMilliseconds / 2 - 1))
        #expect(fleet.dials.count <= dials + 1)
    }

    @Test func aLostServerIsConnectedAgainWithoutACall() throws {
        let fleet = FleetHarness(Self.targets(Self.one, Self.two))
        try fleet.call()
        try fleet.cut(Self.one)
        #expect(fleet.connected == [Self.two])
        for _ in 0..<3 { #expect(try fleet.call().end?.status.code == .ok) }
        try fleet.pass(.milliseconds(CallLimits.firstConnectWaitMilliseconds))
        #expect(fleet.connected == [Self.one, Self.two])
    }

    @Test func aCallFailsOnlyWhenEveryServerHasFailed() throws {
        let fleet = FleetHarness(Self.targets(Self.one, Self.two))
        fleet.acceptance = [Self.one: .closed, Self.two: .silent]
        let call = try fleet.call()
        #expect(call.end == nil)
        try fleet.pass(.seconds(CallLimits.connectSeconds))
        #expect(call.end?.status.code == .unavailable)
        let error = try #require(fleet.error(of: call))
        #expect(error.wasUnprocessed)
        #expect(
            error.message.hasPrefix("the connection to 192.0.2.2:7450 was lost: the server said "))
        // No call needs the servers, so none is tried.
        let dials = fleet.dials.count
        try fleet.pass(.seconds(100))
        #expect(fleet.dials.count == dials)
    }

    @Test func eachCallSaysWhetherItWaitsForAServer() throws {
        let fleet = FleetHarness(Self.targets(Self.one, Self.two))
        fleet.acceptance = [Self.one: .closed, Self.two: .closed]
        let waits = try fleet.call(waits: true)
        #expect(waits.end == nil && waits.isWaiting)
        let fails = try fleet.call(waits: false)
        try fleet.pass(.milliseconds(CallLimits.longestConnectWaitMilliseconds))
        #expect(fails.end?.status.code == .unavailable)
        #expect(waits.end == nil)
        fleet.acceptance[Self.two] = nil
        try fleet.pass(.milliseconds(CallLimits.longestConnectWaitMilliseconds))
        #expect(waits.end?.status.code == .ok)
        // A channel may say it for all its calls, and a call for itself.
        let patient = FleetHarness(Self.targets(Self.one)) { $0.waitsForServer = true }
        patient.acceptance[Self.one] = .closed
        #expect(try patient.call().end == nil)
        let error = try patient.call(waits: false)
        try patient.pass(.milliseconds(CallLimits.longestConnectWaitMilliseconds))
        #expect(error.end?.status.code == .unavailable)
    }

    @Test func aRefusedCallGoesToAnotherServer() throws {
        let fleet = FleetHarness(Self.targets(Self.one, Self.two))
        try fleet.call()
        _ = fleet.takeCounts()
        fleet.answer = .refuse
        let call = try fleet.call()
        #expect(fleet.takeCounts() == [Self.one: 1, Self.two: 1])
        let error = try #require(fleet.error(of: call))
        #expect(error.code == .unavailable && error.wasUnprocessed)
    }

    @Test func closingEndsCallsOnConnectionsThatTakeNoMore() throws {
        let fleet = FleetHarness(Self.targets(Self.one))
        fleet.answer = .hold
        let held = try fleet.call()
        fleet.connection(Self.one)?.session.refuseNewStreams()
        try fleet.exchange()
        #expect(held.end == nil)
        fleet.answer = .echo
        #expect(try fleet.call().end?.status.code == .ok)
        #expect(fleet.dials.count == 2)
        fleet.core.close()
        #expect(held.end?.status.code == .cancelled)
        #expect(fleet.connected.isEmpty)
    }

    // MARK: Names

    @Test func allAddressesOfANameHaveCallsUnderTheName() throws {
        let fleet = Self.named([Self.one, Self.two])
        for _ in 0..<10 { #expect(try fleet.call().end?.status.code == .ok) }
        _ = fleet.takeCounts()
        for _ in 0..<10 { try fleet.call() }
        #expect(fleet.takeCounts() == [Self.one: 5, Self.two: 5])
        #expect(fleet.resolver.questions == ["relation.test"])
        let authorities = fleet.connections.reduce(into: Set()) { $0.formUnion($1.authorities) }
        #expect(authorities == ["relation.test:7450"])
    }

    @Test func aNameOfOneAddressHasOneConnectionAndNoHealthStream() throws {
        let fleet = Self.named([Self.one])
        fleet.health[Self.one] = 2
        for _ in 0..<3 { #expect(try fleet.call().end?.status.code == .ok) }
        #expect(fleet.dials == [Self.one])
        #expect(fleet.connection(Self.one)?.watches.isEmpty == true)
    }

    @Test func aNameWithoutAddressesFailsInWordsAndIsAskedAgain() throws {
        let fleet = FleetHarness([Self.name])
        let call = try fleet.call()
        let error = try #require(fleet.error(of: call))
        #expect(error.message == "cannot find relation.test:7450: no such name")
        #expect(error.wasUnprocessed)
        // A call that waits has the name looked up again.
        let waits = try fleet.call(waits: true)
        #expect(waits.end == nil)
        fleet.resolver.set("relation.test", [Self.one])
        try fleet.pass(.milliseconds(CallLimits.firstConnectWaitMilliseconds))
        #expect(waits.end?.status.code == .ok)
        // An answer without addresses is not an answer.
        let empty = Self.named([])
        let other = try empty.call()
        #expect(
            empty.error(of: other)?.message
                == "cannot find relation.test:7450: it has no address")
    }

    @Test func aNameIsLookedUpAgainWhenAConnectionIsLostButNotTooOften() throws {
        let fleet = Self.named([Self.one])
        try fleet.call()
        try fleet.cut(Self.one)
        try fleet.call()
        try fleet.cut(Self.one)
        try fleet.pass(.seconds(CallLimits.lookUpSeconds - 1))
        #expect(fleet.resolver.questions.count == 1)
        try fleet.pass(.seconds(1))
        #expect(fleet.resolver.questions.count == 2)
        // After a long time it is looked up at once.
        try fleet.call()
        try fleet.pass(.seconds(CallLimits.lookUpSeconds))
        #expect(fleet.resolver.questions.count == 2)
        try fleet.cut(Self.one)
        #expect(fleet.resolver.questions.count == 3)
    }

    @Test func aNameIsLookedUpAgainWhenItsAddressesCannotBeReached() throws {
        let fleet = Self.named([Self.one])
        fleet.acceptance[Self.one] = .closed
        #expect(try fleet.call().end?.status.code == .unavailable)
        fleet.resolver.set("relation.test", [Self.two])
        try fleet.pass(.seconds(CallLimits.lookUpSeconds))
        #expect(try fleet.call().end?.status.code == .ok)
        #expect(fleet.takeCounts() == [Self.two: 1])
    }

    @Test func anAddressThatVanishesKeepsItsCallsAndGetsNoNewOnes() throws {
        let fleet = Self.named([Self.one, Self.two])
        try fleet.call()
        try fleet.call()
        fleet.answer = .hold
        let held = [try fleet.call(), try fleet.call()]
        fleet.answer = .echo
        #expect(fleet.takeCounts()[Self.one] != nil)
        fleet.resolver.set("relation.test", [Self.two, Self.three])
        try fleet.pass(.seconds(CallLimits.lookUpSeconds))
        fleet.core.resolveAgain(Self.name)
        try fleet.exchange()
        _ = fleet.takeCounts()
        for _ in 0..<10 { #expect(try fleet.call().end?.status.code == .ok) }
        #expect(fleet.takeCounts()[Self.one] == nil)
        #expect(held.allSatisfy { $0.end == nil })
        #expect(fleet.connected == [Self.one, Self.two, Self.three])
        try fleet.answerHeld()
        #expect(held.allSatisfy { $0.end?.status.code == .ok })
        #expect(fleet.connected == [Self.two, Self.three])
    }

    @Test func addressesStayInUseWhileTheNameServerIsAway() throws {
        let fleet = FleetHarness([Self.name])
        fleet.resolver.set("relation.test", [Self.one])
        try fleet.call()
        fleet.resolver.set("relation.test", [])
        try fleet.pass(.seconds(CallLimits.lookUpSeconds))
        try fleet.cut(Self.one)
        #expect(fleet.resolver.questions.count == 2)
        #expect(try fleet.call().end?.status.code == .ok)
    }

    @Test func aNameWithTooManyAddressesKeepsTheFirstAndThoseInUse() throws {
        let many = (1...CallLimits.addressesOfName + 8).map { "192.0.2.\($0)" }
        let fleet = Self.named(many)
        try fleet.call()
        #expect(fleet.core.subchannels.count == CallLimits.addressesOfName)
        let used = Set(fleet.core.subchannels.map { "\($0.endpoint)" })
        fleet.resolver.set("relation.test", many.reversed())
        try fleet.pass(.seconds(CallLimits.lookUpSeconds))
        fleet.core.resolveAgain(Self.name)
        try fleet.exchange()
        #expect(fleet.resolver.questions.count == 2)
        #expect(Set(fleet.core.subchannels.map { "\($0.endpoint)" }) == used)
    }

    @Test func anAddressThatCannotBeOneIsNamedInWords() throws {
        let path = "/" + String(repeating: "x", count: 200)
        let fleet = FleetHarness([.unixSocket(path: path)])
        let error = try #require(fleet.error(of: try fleet.call()))
        #expect(error.code == .unavailable)
        #expect(error.message.hasPrefix("unix:\(path) is not an address: "))
    }
}
