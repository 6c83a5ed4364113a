import HTTP2
import NIOCore
import RPC
import Testing

@testable import GRPCClient
@testable import GRPCWire

/// A client of several addresses that follows their health, by hand.
struct HealthWatchTests {
    private static let one = "192.0.2.1"
    private static let two = "192.0.2.2"
    private static let serving = 1
    private static let notServing = 2

    private static func fleet(
        _ health: [String: Int] = [one: serving, two: serving]
    ) -> FleetHarness {
        let fleet = FleetHarness([.host(one, port: 7450), .host(two, port: 7450)])
        fleet.health = health
        return fleet
    }

    /// The servers that have the next calls.
    private static func inTurn(_ fleet: FleetHarness) throws -> Set<String> {
        _ = fleet.takeCounts()
        for _ in 0..<6 { #expect(try fleet.call().end?.status.code == .ok) }
        return Set(fleet.takeCounts().keys)
    }

    @Test func aServerThatTakesNoCallsIsLeftOutUntilItDoes() throws {
        let fleet = Self.fleet()
        #expect(try Self.inTurn(fleet) == [Self.one, Self.two])
        try fleet.setHealth(Self.one, Self.notServing)
        #expect(try Self.inTurn(fleet) == [Self.two])
        try fleet.setHealth(Self.one, Self.serving)
        #expect(try Self.inTurn(fleet) == [Self.one, Self.two])
        #expect(fleet.dials.count == 2)
    }

    @Test func callsOfAServerThatStopsServingGoOn() throws {
        let fleet = Self.fleet()
        try fleet.call()
        fleet.answer = .hold
        let held = [try fleet.call(), try fleet.call()]
        try fleet.setHealth(Self.one, Self.notServing)
        try fleet.answerHeld()
        #expect(held.allSatisfy { $0.end?.status.code == .ok })
    }

    @Test func noServerThatTakesCallsFailsThemInWords() throws {
        let fleet = Self.fleet([Self.one: Self.notServing, Self.two: Self.notServing])
        let error = try #require(fleet.error(of: try fleet.call()))
        #expect(error.code == .unavailable && error.wasUnprocessed)
        #expect(
            error.message.hasSuffix(":7450 takes no calls: the server says that it takes no calls"))
        // Later calls fail at once.
        #expect(try fleet.call().end?.status.code == .unavailable)
        let waits = try fleet.call(waits: true)
        #expect(waits.end == nil)
        try fleet.setHealth(Self.two, Self.serving)
        #expect(waits.end?.status.code == .ok)
    }

    @Test func aServerWithoutTheHealthServiceTakesCalls() throws {
        let fleet = Self.fleet([Self.one: Self.serving])
        #expect(try Self.inTurn(fleet) == [Self.one, Self.two])
        try fleet.pass(.milliseconds(2 * CallLimits.longestHealthWaitMilliseconds))
        #expect(fleet.connection(Self.two)?.session.openStreams == 0)
    }

    @Test func aServerThatWantsACredentialForItsHealthIsLeftOut() throws {
        let fleet = Self.fleet()
        try fleet.call()
        fleet.healthEnd = "16"
        try fleet.endHealth(Self.one, "16")
        #expect(try Self.inTurn(fleet) == [Self.two])
        // A stream that begins well brings it back.
        fleet.healthEnd = nil
        try fleet.pass(.milliseconds(CallLimits.longestHealthWaitMilliseconds))
        #expect(try Self.inTurn(fleet) == [Self.one, Self.two])
    }

    @Test func waitsBetweenHealthStreamsGrowToALimit() throws {
        let fleet = Self.fleet()
        fleet.healthEnd = "14"
        _ = try fleet.call()
        let connection = try #require(fleet.connection(Self.one))
        var begun: [Int64] = []
        var streams = connection.begunWatches
        for second in 0..<Int64(1_000) {
            try fleet.pass(.seconds(1))
            if connection.begunWatches != streams { begun.append(second) }
            streams = connection.begunWatches
        }
        let gaps = zip(begun.dropFirst(), begun).map { $0 - $1 }
        let longest = CallLimits.longestHealthWaitMilliseconds / 1_000
        #expect(begun.first ?? 99 <= 2)
        #expect(gaps.allSatisfy { $0 <= longest + 1 })
        #expect(gaps.suffix(4).allSatisfy { $0 >= longest / 2 - 1 })
    }

    @Test func aStreamThatHasLastedIsFollowedByAnotherAtOnce() throws {
        let fleet = Self.fleet()
        try fleet.call()
        try fleet.pass(.milliseconds(CallLimits.firstHealthWaitMilliseconds))
        try fleet.endHealth(Self.one, "0")
        try fleet.pass(.milliseconds(1))
        #expect(try Self.inTurn(fleet) == [Self.one, Self.two])
    }

    @Test func manyAnswersAtOnceAreReadOneAfterAnother() throws {
        let fleet = Self.fleet()
        try fleet.call()
        try fleet.setHealth(Self.one, Self.notServing, times: 8_000)
        #expect(try Self.inTurn(fleet) == [Self.two])
        try fleet.setHealth(Self.one, Self.serving, times: 8_000)
        #expect(try Self.inTurn(fleet) == [Self.one, Self.two])
    }

    @Test func healthIsFollowedFromTheSecondAddressOn() throws {
        let fleet = FleetHarness(
            [.host("relation.test", port: 7450)], ["relation.test": [Self.one]])
        fleet.health = [Self.one: Self.serving, Self.two: Self.serving]
        try fleet.call()
        #expect(fleet.connection(Self.one)?.watches.count == 0)
        fleet.resolver.set("relation.test", [Self.one, Self.two])
        try fleet.pass(.seconds(CallLimits.lookUpSeconds))
        fleet.core.resolveAgain(.host("relation.test", port: 7450))
        try fleet.exchange()
        #expect(fleet.connection(Self.one)?.watches.count == 1)
        #expect(fleet.connection(Self.two)?.watches.count == 1)
        // With one address left, its stream ends, and it takes calls in any case.
        fleet.health[Self.one] = Self.notServing
        fleet.resolver.set("relation.test", [Self.one])
        try fleet.pass(.seconds(CallLimits.lookUpSeconds))
        fleet.core.resolveAgain(.host("relation.test", port: 7450))
        try fleet.exchange()
        #expect(fleet.connection(Self.one)?.watches.count == 0)
        #expect(fleet.connected == [Self.one])
        #expect(try Self.inTurn(fleet) == [Self.one])
    }

    @Test func aConnectionThatIsAskedToGoIsNotHeldByItsHealthStream() throws {
        let fleet = Self.fleet()
        try fleet.call()
        let first = try #require(fleet.connection(Self.one))
        first.session.refuseNewStreams()
        try fleet.exchange()
        #expect(fleet.connected == [Self.two])
        try fleet.pass(.milliseconds(CallLimits.firstConnectWaitMilliseconds))
        #expect(fleet.connected == [Self.one, Self.two])
        #expect(try Self.inTurn(fleet) == [Self.one, Self.two])
    }
}
