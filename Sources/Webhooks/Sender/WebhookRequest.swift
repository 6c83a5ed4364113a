/// A receiver, as all requests to it have it.
package struct WebhookEndpoint: Sendable {
    package let url: WebhookURL
    package let policy: AddressPolicy
    /// How connections are encrypted; it has no effect on a URL without TLS.
    package let tls: WebhookTLS
    /// The tenant that has named the address.
    package let tenant: UInt32

    /// Checks the text of the address against the policy.
    ///
    /// - Parameter tls: The same object for all requests that may share connections.
    package init(
        _ url: String, _ policy: AddressPolicy, _ tls: WebhookTLS = .system, tenant: UInt32
    ) throws(AddressRefusal) {
        self.tenant = tenant
        self.url = try WebhookURL(url, policy)
        self.policy = policy
        self.tls = tls
    }
}

/// A message to a receiver.
package struct WebhookRequest: Sendable {
    package var endpoint: WebhookEndpoint
    /// Names and values that are added to the query of the URL, in this order; they are escaped.
    package var query: [(name: String, value: String)] = []
    /// Headers in lower case.
    ///
    /// The sender writes `host`, `content-length`, `content-type` and
    /// `user-agent` itself.
    package var headers: [(name: String, value: String)] = []
    package var contentType: String
    package var body: [UInt8]
    /// The time for all: to wait for a connection, to make it, to send, to read the answer.
    package var timeout = Duration.seconds(15)
    /// The bytes of the answer's body to return, up to ``WebhookLimits/keptBodyBytes``.
    package var keepsBody = 0

    package init(_ endpoint: WebhookEndpoint, contentType: String, body: [UInt8]) {
        self.endpoint = endpoint
        self.contentType = contentType
        self.body = body
    }
}
