import NIOCore
import Synchronization

/// How many connections all loops of a server hold together, and how many of them come from one
/// address.
final class ConnectionCounts: Sendable {
    /// Why one more is refused.
    enum Refusal {
        case tooMany
        case tooManyOfAddress

        /// What it is in the log.
        var offence: StaticString {
            switch self {
            case .tooMany: "too_many_connections"
            case .tooManyOfAddress: "too_many_connections_of_address"
            }
        }
    }

    private struct State {
        var all = 0
        /// Only of those that have some.
        var byAddress: [AddressBlock: Int] = [:]
    }

    private let limit: Int
    private let addressLimit: Int?
    private let state = Mutex(State())

    init(limit: Int, addressLimit: Int?) {
        self.limit = limit
        self.addressLimit = addressLimit
    }

    /// Counts one more, unless a limit is reached.
    ///
    /// - Parameter block: Where it comes from; nil for a socket in the file system.
    func add(from block: AddressBlock?) -> Refusal? {
        state.withLock { state in
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

    /// One that was counted is gone.
    func remove(from block: AddressBlock?) {
        state.withLock { state in
            state.all -= 1
            guard let block, let count = state.byAddress[block] else { return }
            state.byAddress[block] = count == 1 ? nil : count - 1
        }
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
