import ArgumentParser
import GRPC
import RelationAccess
import RelationAdmission
import RelationService

/// The options for how often callers may call, and how much they may hold at once.
struct CallerOptions: ParsableArguments {
    @Option(help: "Calls a second of one app; 0 for any number.")
    var appRate = AdmissionLimits.callsPerApp.perSecond

    @Option(help: "Calls a second of one API key or client certificate; 0 for any number.")
    var keyRate = AdmissionLimits.callsPerKey.perSecond

    @Option(help: "Calls a second of one user's signatures; 0 for any number.")
    var userRate = AdmissionLimits.callsPerUser.perSecond

    @Option(
        help: """
            Calls of one app that may be open at once: streams, and calls that wait for the disk; \
            0 for any number.
            """)
    var appStreams = AdmissionLimits.openCallsPerApp

    @Option(
        help: """
            Calls of one API key or client certificate that may be open at once; 0 for any number.
            """)
    var keyStreams = AdmissionLimits.openCallsPerKey

    @Option(help: "Calls of one user that may be open at once; 0 for any number.")
    var userStreams = AdmissionLimits.openCallsPerUser

    @Option(
        help: """
            Connections that may show credentials of one app at once; 0 for any number.
            """)
    var appConnections = AdmissionLimits.connectionsPerApp

    @Option(
        help: """
            Connections that may show one API key or client certificate at once; 0 for any number.
            """)
    var keyConnections = AdmissionLimits.connectionsPerKey

    @Option(
        help: "Connections that may show signatures of one user at once; 0 for any number.")
    var userConnections = AdmissionLimits.connectionsPerUser

    @Option(
        help: """
            Connections from one address, with or without a credential; 0 for any number, which a \
            server behind a balancer needs.
            """)
    var addressConnections = CallLimits.connectionsPerAddress

    @Option(
        help: """
            Connections a second from one address; those of four seconds may come at once; 0 for \
            any number.
            """)
    var addressRate = CallLimits.connectionsPerSecondOfAddress

    @Option(
        help: ArgumentHelp(
            "Memory that all connections together may hold for data that comes in or goes out.",
            discussion: "Above it, the connections that hold the most lose streams.",
            valueName: "MiB"))
    var memory = CallLimits.heldBytes / bytesPerUnit

    private static let bytesPerUnit = 1_024 * 1_024

    /// ``memory`` in bytes.
    var memoryBytes: Int { memory * Self.bytesPerUnit }

    /// The rates; each burst lasts as many seconds as the default one.
    var rates: CallRates {
        var rates = CallRates()
        rates.app = Self.rate(appRate, like: AdmissionLimits.callsPerApp)
        rates.key = Self.rate(keyRate, like: AdmissionLimits.callsPerKey)
        rates.user = Self.rate(userRate, like: AdmissionLimits.callsPerUser)
        return rates
    }

    private static func rate(_ perSecond: Int, like usual: Rate) -> Rate? {
        perSecond == 0
            ? nil : Rate(perSecond: perSecond, burst: perSecond * usual.burst / usual.perSecond)
    }

    var bounds: HoldBounds {
        var bounds = HoldBounds()
        bounds.calls = HoldBounds.Numbers(
            app: Self.bound(appStreams), key: Self.bound(keyStreams),
            user: Self.bound(userStreams))
        bounds.connections = HoldBounds.Numbers(
            app: Self.bound(appConnections), key: Self.bound(keyConnections),
            user: Self.bound(userConnections))
        return bounds
    }

    /// Connections from one address; nil for any number.
    var addressBound: Int? { Self.bound(addressConnections) }

    /// Connections that one address may make in a second; nil for any number.
    var addressRateBound: Int? { Self.bound(addressRate) }

    private static func bound(_ number: Int) -> Int? { number == 0 ? nil : number }

    func validate() throws {
        let numbers = [
            ("app-rate", appRate), ("key-rate", keyRate), ("user-rate", userRate),
            ("app-streams", appStreams), ("key-streams", keyStreams),
            ("user-streams", userStreams), ("app-connections", appConnections),
            ("key-connections", keyConnections), ("user-connections", userConnections),
            ("address-connections", addressConnections), ("address-rate", addressRate),
        ]
        for (name, number) in numbers where !(0...10_000_000).contains(number) {
            throw ValidationError("--\(name) takes a number from 0 to 10000000")
        }
        guard (16...1_048_576).contains(memory) else {
            throw ValidationError("--memory takes a number of MiB from 16 to 1048576")
        }
    }
}
