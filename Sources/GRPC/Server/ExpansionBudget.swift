import NIOCore

/// To how many bytes a loop expands compressed messages in a second.
///
/// Expanding is work on the thread that serves everybody, and a sender pays a thousandth of it. So
/// there is one budget for the loop, not one for each connection, of which a sender may have a
/// thousand; a small part beside it is for callers who have shown no credential. Either is shared
/// by address.
///
/// What comes beyond it is refused. A second that has passed leaves nothing to the next, so that
/// no more than this is ever expanded in any second of the loop's.
struct ExpansionBudget {
    private var callers = Pool(limit: CallLimits.expandedBytesPerSecond)
    private var strangers = Pool(limit: CallLimits.strangersBytesPerSecond)
    private var end: NIODeadline

    init(now: NIODeadline) {
        end = now + .seconds(1)
    }

    /// Whether a message from `address` may be expanded now; ``count(_:from:isStranger:)`` tells
    /// what became of it.
    mutating func allows(_ address: AddressBlock?, isStranger: Bool, at now: NIODeadline) -> Bool {
        if now >= end {
            callers.renew()
            strangers.renew()
            end = now + .seconds(1)
        }
        return isStranger ? strangers.allows(address) : callers.allows(address)
    }

    /// Counts the bytes that a message became; the last one that is allowed may go beyond.
    mutating func count(_ bytes: Int, from address: AddressBlock?, isStranger: Bool) {
        let bytes = max(bytes, CallLimits.leastExpandedBytes)
        if isStranger {
            strangers.count(bytes, from: address)
        } else {
            callers.count(bytes, from: address)
        }
    }

    /// Bytes that were expanded in this second for callers who have shown a credential, and for
    /// those who have not.
    var used: (callers: Int, strangers: Int) { (callers.used, strangers.used) }
}

/// What some callers may use in a second, shared by their addresses.
private struct Pool {
    private let limit: Int
    private(set) var used = 0
    /// Bounded by the budget, of which each entry has used a part.
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
        // As much as all others leave free, so that one that has used nothing always finds some;
        // and no more than its part beside those of the last second and one that is new.
        return own < limit - used && own < limit / max(2, addresses + 1)
    }

    mutating func count(_ bytes: Int, from address: AddressBlock?) {
        used += bytes
        byAddress[address, default: 0] += bytes
    }
}
