import GRPCWire
import NIOCore

/// The number of bytes that a loop may produce in a second by expanding compressed messages.
///
/// Expanding is work on the thread that serves all connections, and it costs the sender a
/// thousandth of that work. So there is one budget for the loop, not one for each connection: a
/// sender may have a thousand connections. A second, small budget is for callers who have shown no
/// credential. Addresses share each of the two.
///
/// A message beyond the budget is refused. Budget that was not used in one second is not added to
/// the next, so each second of the loop has the same limit.
struct ExpansionBudget {
    private var callers = Pool(limit: CallLimits.expandedBytesPerSecond)
    private var unauthenticated = Pool(limit: CallLimits.unauthenticatedBytesPerSecond)
    private var end: NIODeadline

    init(now: NIODeadline) {
        end = now + .seconds(1)
    }

    /// Whether a message from `address` may be expanded now; then
    /// ``count(_:from:isUnauthenticated:)`` must be given its size.
    mutating func allows(_ address: AddressBlock?, isUnauthenticated: Bool, at now: NIODeadline)
        -> Bool
    {
        if now >= end {
            callers.renew()
            unauthenticated.renew()
            end = now + .seconds(1)
        }
        return isUnauthenticated ? unauthenticated.allows(address) : callers.allows(address)
    }

    /// Counts the bytes that a message was expanded to; the last message that is allowed may exceed
    /// the budget.
    mutating func count(_ bytes: Int, from address: AddressBlock?, isUnauthenticated: Bool) {
        let bytes = max(bytes, CallLimits.leastExpandedBytes)
        if isUnauthenticated {
            unauthenticated.count(bytes, from: address)
        } else {
            callers.count(bytes, from: address)
        }
    }

    /// Bytes that were expanded in this second: for callers who have shown a credential, and for
    /// callers who have not.
    var used: (callers: Int, unauthenticated: Int) { (callers.used, unauthenticated.used) }
}

/// The bytes that one kind of callers may use in a second, shared by their addresses.
private struct Pool {
    private let limit: Int
    private(set) var used = 0
    /// Its size is bounded by the budget, because each entry has used a part of it.
    private var byAddress: [AddressBlock?: Int] = [:]
    /// Addresses that used something in the last second.
    private var addresses = 0

    init(limit: Int) {
        self.limit = limit
    }

    mutating func renew() {
        addresses = byAddress.count
        byAddress.removeAll(keepingCapacity: byAddress.count < CallLimits.rememberedAddresses)
        used = 0
    }

    func allows(_ address: AddressBlock?) -> Bool {
        let own = byAddress[address, default: 0]
        // First, an address may use as much as is left free, so an address that has used nothing
        // finds some. Second, it may use no more than an equal share beside the addresses of the
        // last second and one new one.
        return own < limit - used && own < limit / max(2, addresses + 1)
    }

    mutating func count(_ bytes: Int, from address: AddressBlock?) {
        used += bytes
        byAddress[address, default: 0] += bytes
    }
}
