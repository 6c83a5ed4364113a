import GRPCWire
import NIOCore
import Synchronization

/// Counts the connections of all loops of a server, those of each address, and how often each
/// address makes new ones.
final class ConnectionCounts: Sendable {
    /// Why a new connection is refused.
    enum ConnectionRefusal {
        case tooMany
        case tooManyOfAddress
        case tooFastOfAddress

        /// The name of the refusal in the log.
        var violation: StaticString {
            switch self {
            case .tooMany: "too_many_connections"
            case .tooManyOfAddress: "too_many_connections_of_address"
            case .tooFastOfAddress: "too_fast_connections_of_address"
            }
        }
    }

    private struct State {
        var all = 0
        /// Holds only addresses that have connections.
        var byAddress: [AddressBlock: Int] = [:]
        var arrivals: Arrivals?
        var addressLimit: Int?
        var addressRate: Int?
    }

    let limit: Int
    private let state: Mutex<State>

    /// - Parameter addressRate: How many connections one address may make in a second, for as long
    ///   as it likes.
    init(limit: Int, addressLimit: Int?, addressRate: Int? = nil) {
        self.limit = limit
        state = Mutex(State())
        apply(addressLimit: addressLimit, addressRate: addressRate)
    }

    /// Takes other bounds for each address.
    ///
    /// With another rate, what addresses did before is forgotten.
    func apply(addressLimit: Int?, addressRate: Int?) {
        state.withLock { state in
            state.addressLimit = addressLimit
            guard state.addressRate != addressRate else { return }
            state.addressRate = addressRate
            state.arrivals = addressRate.map { Arrivals(perSecond: $0) }
        }
    }

    /// Counts one more connection, unless a limit is reached.
    ///
    /// - Parameter block: The address that it comes from; nil for a socket in the file system.
    ///
    /// - Returns: The limit that was reached, or nil if the connection was counted.
    func add(from block: AddressBlock?, at now: NIODeadline) -> ConnectionRefusal? {
        state.withLock { state in
            // This comes first, so that a client that is refused for another reason cannot try
            // without end.
            if let block, state.arrivals?.admit(block, at: now) == false {
                return .tooFastOfAddress
            }
            guard state.all < limit else { return .tooMany }
            if let block {
                // Counted without a limit too, because one may come.
                let count = state.byAddress[block, default: 0]
                guard count < state.addressLimit ?? .max else { return .tooManyOfAddress }
                state.byAddress[block] = count + 1
            }
            state.all += 1
            return nil
        }
    }

    /// How many addresses are remembered for how often they connected.
    var addresses: Int { state.withLock { $0.arrivals?.count ?? 0 } }

    /// Takes note that a counted connection is gone.
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
/// The cost is not the connection but the TLS handshake that follows, so this is checked before it.
/// For each address one time is kept: the moment at which its allowance would be full again. Each
/// connection moves that time on by one interval. No address needs more than that, and one whose
/// time is past needs no entry.
private struct Arrivals {
    private let interval: TimeAmount
    private let burst: TimeAmount
    private var times: [AddressBlock: NIODeadline] = [:]

    /// The number of entries beyond which those with a past time are forgotten.
    private var mostTimes = CallLimits.rememberedAddresses

    var count: Int { times.count }

    init(perSecond: Int) {
        interval = .nanoseconds(1_000_000_000 / Int64(perSecond))
        burst = .seconds(CallLimits.connectionBurstSeconds)
    }

    /// Counts one more connection; false if it comes too soon.
    mutating func admit(_ block: AddressBlock, at now: NIODeadline) -> Bool {
        let next = max(times[block] ?? now, now) + interval
        guard next - now <= burst else { return false }
        times[block] = next
        if times.count > mostTimes {
            times = times.filter { $0.value > now }
            // The entries that are left can be forgotten within the time of a burst.
            mostTimes = max(CallLimits.rememberedAddresses, 2 * times.count)
        }
        return true
    }
}

/// The addresses that one host has: one address of IPv4, or all addresses of IPv6 with the same
/// first half.
///
/// A host of IPv6 may choose the second half freely.
struct AddressBlock: Hashable {
    private let bits: UInt64
    private let isOldVersion: Bool

    /// Nil if there is no address, or if it is not one of IPv4 or IPv6.
    init?(_ address: SocketAddress?) {
        guard let address else { return nil }
        let found: (UInt64, Bool)? = address.withSockAddr { start, length in
            Self.read(UnsafeRawBufferPointer(start: start, count: length), address.protocol)
        }
        guard let found else { return nil }
        (bits, isOldVersion) = found
    }

    /// The address follows the family and the port, in version 6 also the flow label, in network
    /// byte order.
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
            // A socket of both versions writes an address of IPv4 like this: ::ffff:1.2.3.4
            let isOldVersion = high == 0 && low >> 32 == 0xFFFF
            return (isOldVersion ? low & 0xFFFF_FFFF : high, isOldVersion)
        default: return nil
        }
    }
}
