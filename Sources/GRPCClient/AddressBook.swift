import GRPCWire
import NIOCore

/// The addresses of a client's servers.
///
/// A name is looked up when the first call needs it. It is looked up again when one of its
/// connections was lost or could not be made, but not more often than every
/// ``CallLimits/lookUpSeconds``.
///
/// - Important: It belongs to the event loop of its client.
final class AddressBook {
    /// A server, with its addresses as far as they are known.
    private struct Entry {
        let target: ServerTarget
        /// The name to look up, with the port; nil for a server whose address is given.
        var name: (host: String, port: Int)?
        var addresses: [SocketAddress] = []
        var isLooking = false
        /// When it was looked up last.
        var looked: NIODeadline?
        /// The next time that it is looked up.
        var timer: Scheduled<Void>?
        var backoff = Backoff.connecting
    }

    private let eventLoop: any EventLoop
    private let resolver: any AddressResolver
    private let chance: ChannelChance
    private var entries: [Entry] = []
    private var isClosed = false

    /// Called when the addresses have changed.
    var changed: () -> Void = {}
    /// Called with the reason when a name without known addresses could not be looked up.
    ///
    /// It returns whether the name is looked up again after a wait.
    var failed: (String) -> Bool = { _ in false }

    init(_ configuration: ClientConfiguration, _ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        resolver = configuration.resolver
        chance = configuration.chance
        for target in configuration.servers where !entries.contains(where: { $0.target == target })
        {
            entries.append(Entry(target: target))
        }
        for index in entries.indices {
            do {
                if let address = try entries[index].target.address() {
                    entries[index].addresses = [address]
                } else if case .host(let host, let port) = entries[index].target {
                    entries[index].name = (host, port)
                }
            } catch {
                // ``refuse(_:)`` says why, when the target is used.
            }
        }
    }

    /// All known addresses, in the order of the servers.
    var endpoints: [Endpoint] {
        entries.flatMap { entry in
            entry.addresses.map { Endpoint(target: entry.target, address: $0) }
        }
    }

    /// Whether a name without known addresses is being looked up.
    var isLooking: Bool { entries.contains { $0.isLooking && $0.addresses.isEmpty } }

    /// Whether a name without known addresses will be looked up after a wait.
    var isWaiting: Bool { entries.contains { $0.timer != nil && $0.addresses.isEmpty } }

    // MARK: - Looking

    /// Looks up the names without known addresses, unless they wait for their turn.
    func resolve() {
        for index in entries.indices
        where entries[index].addresses.isEmpty && entries[index].timer == nil {
            resolve(index)
        }
    }

    /// Looks up a server again: a connection to one of its addresses was lost, or was not made.
    func resolveAgain(_ target: ServerTarget) {
        guard !isClosed, let index = entries.firstIndex(where: { $0.target == target }),
            entries[index].name != nil, entries[index].timer == nil
        else { return }
        let due = (entries[index].looked ?? eventLoop.now) + .seconds(CallLimits.lookUpSeconds)
        guard due > eventLoop.now else { return resolve(index) }
        entries[index].timer = eventLoop.assumeIsolated().scheduleTask(deadline: due) {
            self.entries[index].timer = nil
            self.resolve(index)
        }
    }

    private func resolve(_ index: Int) {
        guard !isClosed, !entries[index].isLooking else { return }
        guard let (host, port) = entries[index].name else {
            return refuse(entries[index].target)
        }
        entries[index].isLooking = true
        entries[index].looked = eventLoop.now
        resolver.addresses(of: host, port: port, on: eventLoop).assumeIsolated().whenComplete {
            self.entries[index].isLooking = false
            guard !self.isClosed else { return }
            switch $0 {
            case .success(let found): self.found(found, index)
            case .failure(let error): self.missed("\(PlainError(error))", index)
            }
        }
    }

    /// Says why a server has no address at all.
    private func refuse(_ target: ServerTarget) {
        do {
            _ = try target.address()
        } catch {
            _ = failed("\(target) is not an address: \(PlainError(error))")
        }
    }

    private func found(_ found: [SocketAddress], _ index: Int) {
        guard !found.isEmpty else { return missed("it has no address", index) }
        entries[index].backoff.reset()
        let old = entries[index].addresses
        // The present addresses come first. So of a name with too many, those in use stay.
        var new: [SocketAddress] = []
        for address in old.filter(found.contains) + found where !new.contains(address) {
            if new.count < CallLimits.addressesOfName { new.append(address) }
        }
        entries[index].addresses = new
        if new != old { changed() }
    }

    /// The addresses that are known stay in use.
    private func missed(_ reason: String, _ index: Int) {
        let target = entries[index].target
        guard entries[index].addresses.isEmpty,
            failed("cannot find \(target): \(reason)"), entries[index].timer == nil
        else { return }
        let wait = entries[index].backoff.next(chance)
        entries[index].timer = eventLoop.assumeIsolated().scheduleTask(in: wait) {
            self.entries[index].timer = nil
            self.resolve(index)
        }
    }

    // MARK: - The end

    /// Stops looking up names without known addresses, until ``resolve()`` is called.
    func rest() {
        for index in entries.indices where entries[index].addresses.isEmpty { stopTimer(index) }
    }

    private func stopTimer(_ index: Int) {
        entries[index].timer?.cancel()
        entries[index].timer = nil
    }

    func close() {
        isClosed = true
        for index in entries.indices { stopTimer(index) }
        changed = {}
        failed = { _ in false }
    }
}
