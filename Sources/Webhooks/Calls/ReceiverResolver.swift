import GRPCClient
import NIOCore
import Synchronization

/// Finds the address of a receiver that a channel connects to, within the policy.
///
/// A channel gets one address: with several it would watch the health of each, and keep a
/// connection to each. The next channel gets the next one, if the last could not be reached.
final class ReceiverResolver: AddressResolver {
    private let policy: AddressPolicy
    private let resolver: any HostResolver
    private let tenant: UInt32
    private let attempt: Int
    private let failure = Mutex(WebhookFailure?.none)

    /// - Parameters:
    ///   - tenant: The tenant for whom the channel was made.
    ///   - attempt: How many channels to the receiver were given up before.
    init(
        _ policy: AddressPolicy, _ resolver: any HostResolver, for tenant: UInt32, attempt: Int
    ) {
        self.policy = policy
        self.resolver = resolver
        self.tenant = tenant
        self.attempt = attempt
    }

    /// Why the last look-up gave no address; nil if it gave one.
    var lastFailure: WebhookFailure? { failure.withLock { $0 } }

    func addresses(
        of host: String, port: Int, on eventLoop: any EventLoop
    ) -> EventLoopFuture<[SocketAddress]> {
        let promise = eventLoop.makePromise(of: [SocketAddress].self)
        Task {
            do throws(WebhookFailure) {
                let address = try await chosen(host)
                failure.withLock { $0 = nil }
                promise.completeWith(
                    Result { [try SocketAddress(ipAddress: address.description, port: port)] })
            } catch {
                failure.withLock { $0 = error }
                promise.fail(error)
            }
        }
        return promise.futureResult
    }

    private func chosen(_ host: String) async throws(WebhookFailure) -> IPAddress {
        let answer = try? await resolver.addresses(of: host, for: tenant)
        guard let found = answer else { throw .unresolved }
        guard !found.isEmpty else { throw .refused(.noAddress) }
        guard found.count <= WebhookLimits.addressesPerName else {
            throw .refused(.tooManyAddresses)
        }
        // One bad address is enough: a name of the Internet has none.
        for address in found {
            if let refusal = policy.refusal(of: address) { throw .refused(refusal) }
        }
        return found[attempt % min(found.count, WebhookLimits.triedAddresses)]
    }
}
