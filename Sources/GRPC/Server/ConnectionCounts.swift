import NIOCore
import Synchronization

/// How many connections all loops of a server hold together, how many of them come from one
/// address, and how often those come.
final class ConnectionCounts: Sendable {
    /// Why one more is refused.
    enum ConnectionRefusal {
        case tooMany
        case tooManyOfAddress
        case tooFastOfAddress

        /// What it is in the log.
        var offence: StaticString {
            switch self {
            case .tooMany: "too_many_connections"
            case .tooManyOfAddress: "too_many_connections_of_address"
            case .tooFastOfAddress: "too_fast_connections_of_address"
            }
        }
    }

    private struct State {
        var all = 0
        /// Only of those that have some.
        var byAddress: [AddressBlock: Int] = [:]
        var arrivals: Arrivals?
    }

    private let limit: Int
    private let addressLimit: Int?
    private let state: Mutex<State>

    /// - Parameter addressRate: How many may come from one address in a second, for as long as it
    ///   likes.
    init(limit: Int, addressLimit: Int?, addressRate: Int? = nil) {
        self.limit = limit
        self.addressLimit = addressLimit
        state = Mutex(State(arrivals: addressRate.map { Arrivals(perSecond: $0) }))
    }

    /// Counts one more, unless a limit is reached.
    ///
    /// - Parameter block: Where it comes from; nil for a socket in the file system.
    func add(from block: AddressBlock?, at now: NIODeadline) -> ConnectionRefusal? {
        state.withLock { state in
            // First, so that whoever is refused for another reason cannot try for ever.
            if let block, state.arrivals?.take(block, at: now) == false {
                return .tooFastOfAddress
            }
            guard state.all < limit else { return .tooMany }
            if let block, let addressLimit {
                let count = state.byAddress[block, default: 0]
                guard count < addressLimit else { return .tooManyOfAddress }
                state.byAddress[block] = count + 1
            }
            state.all += 1
            return nil
        }
    }

    /// How many addresses are remembered for how often they came.
    var addresses: Int { state.withLock { $0.arrivals?.count ?? 0 } }

    /// One that was counted is gone.
    func remove(from block: AddressBlock?) {
        state.withLock { state in
            state.all -= 1
            guard let block, let count = state.byAddress[block] else { return }
            state.byAddress[block] = count == 1 ? nil : count - 1
        }
    }
}

/// How often addresses make connections: so many at once, and so many a second.
///
/// What costs is not the connection but the handshake of TLS that follows, so this is asked before.
/// Kept as the time at which an address has used up nothing, which a connection moves on by its
/// part of a second: no address needs more than that, and one whose time is past needs nothing.
private struct Arrivals {
    private let interval: TimeAmount
    private let burst: TimeAmount
    private var times: [AddressBlock: NIODeadline] = [:]

    /// How many times are remembered when those that are past are next forgotten.
    private var mostTimes = CallLimits.rememberedAddresses

    var count: Int { times.count }

    init(perSecond: Int) {
        interval = .nanoseconds(1_000_000_000 / Int64(perSecond))
        burst = .seconds(CallLimits.connectionBurstSeconds)
    }

    /// Whether one more may come now.
    mutating func take(_ block: AddressBlock, at now: NIODeadline) -> Bool {
        let next = max(times[block] ?? now, now) + interval
        guard next - now <= burst else { return false }
        times[block] = next
        if times.count > mostTimes {
            times = times.filter { $0.value > now }
            // Those that are left are forgotten within the time of a burst.
            mostTimes = max(CallLimits.rememberedAddresses, 2 * times.count)
        }
        return true
    }
}

/// The addresses that one host has: one of IPv4, and of IPv6 all with the same first half, which is
/// what a host gets to choose from.
struct AddressBlock: Hashable {
    private let bits: UInt64
    private let isOldVersion: Bool

    /// Nil for what is no address of the network.
    init?(_ address: SocketAddress?) {
        guard let address else { return nil }
        let found: (UInt64, Bool)? = address.withSockAddr { start, length in
            Self.read(UnsafeRawBufferPointer(start: start, count: length), address.protocol)
        }
        guard let found else { return nil }
        (bits, isOldVersion) = found
    }

    /// The address stands behind the family and the port, of version 6 behind the flow too, in the
    /// order of the network.
    private static func read(
        _ bytes: UnsafeRawBufferPointer, _ family: NIOBSDSocket.ProtocolFamily
    ) -> (UInt64, Bool)? {
        switch family {
        case .inet where bytes.count >= 8:
            let address = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
            return (UInt64(UInt32(bigEndian: address)), true)
        case .inet6 where bytes.count >= 24:
            let high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            let low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
            // An address of IPv4 as a socket of both versions names it: ::ffff:1.2.3.4
            let isOldVersion = high == 0 && low >> 32 == 0xFFFF
            return (isOldVersion ? low & 0xFFFF_FFFF : high, isOldVersion)
        default: return nil
        }
    }
}
