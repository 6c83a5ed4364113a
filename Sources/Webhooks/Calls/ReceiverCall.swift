/// A call of gRPC to a receiver that an app runs.
package struct ReceiverCall: Sendable {
    package var url: WebhookURL
    package var policy: AddressPolicy
    /// The path of the method, such as `/relation.hook.v1.HookReceiverService/Deliver`.
    package var method: String
    /// Names in lower case with texts of visible ASCII.
    package var metadata: [(name: String, value: String)] = []
    /// The request message, which is sent as it is, without compression.
    package var message: [UInt8]
    /// The tenant that has named the address.
    package var tenant: UInt32
    /// The time for all: to connect, to send, to get the answer; it is the receiver's deadline.
    package var timeout = Duration.seconds(15)

    /// Checks the text of the address against the policy.
    package init(
        _ url: String, _ policy: AddressPolicy, method: String, message: [UInt8], tenant: UInt32
    ) throws(AddressRefusal) {
        self.tenant = tenant
        self.url = try WebhookURL(url, policy)
        self.policy = policy
        self.method = method
        self.message = message
    }
}
