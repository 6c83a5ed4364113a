package import NIOCore

/// The bounds of a sender that an operator may choose.
package struct WebhookSenderSettings: Sendable {
    /// Connections to one host and port.
    package var connectionsPerOrigin = 16
    /// Connections in all; one that is idle gives way to another origin.
    package var connections = 256
    /// Requests that wait for a connection, in all.
    package var waitingRequests = 4_096
    /// How long a connection stays open without a request.
    package var idleTime = Duration.seconds(30)
    /// The time to find the addresses of a name and to connect to one of them, within that of the
    /// request.
    package var connectTime = Duration.seconds(5)
    /// The name of the program in the header `user-agent`.
    package var userAgent = "relationd"

    package init() {}
}

/// Sends messages to receivers by HTTP/1.1, over connections that it keeps for further messages.
///
/// All its state belongs to one event loop. It never follows a redirection, asks no proxy, and
/// shows no part of an answer but its status.
package final class WebhookSender: Sendable {
    /// - Parameters:
    ///   - loop: The loop that all connections share; nil for one of NIO's own.
    ///   - resolver: It is asked once for each connection.
    package init(
        _ settings: WebhookSenderSettings = WebhookSenderSettings(),
        on loop: (any EventLoop)? = nil,
        resolver: any HostResolver
    ) {}

    /// Sends a message, and waits for the answer.
    ///
    /// A message goes out once, with one exception. If a kept connection turns out to be closed,
    /// and no byte of an answer has come, it goes out again on a new connection: receivers must
    /// know a message that they have.
    ///
    /// - Throws: A failure where there is no answer that counts; each other answer is returned, as
    ///   500 is.
    package func send(_ request: WebhookRequest) async throws(WebhookFailure) -> WebhookAnswer {
        throw .closed
    }

    /// The counts so far; any thread may ask.
    package func reading() -> WebhookSenderCounts { WebhookSenderCounts() }

    /// Fails what is under way, and ends all connections.
    package func close() async {}
}

/// How many requests a sender has sent, and how they went.
package struct WebhookSenderCounts: Sendable, Equatable {
    package var requests: UInt64 = 0
    /// The answers by the first digit of their status; index 0 is unused.
    package var answers: [UInt64] = Array(repeating: 0, count: 6)
    /// The failures by ``WebhookFailure/label``.
    package var failures: [String: UInt64] = [:]
    package var connectionsMade: UInt64 = 0
    /// Messages that went out again, since a kept connection was closed.
    package var repeated: UInt64 = 0
    package var sentBytes: UInt64 = 0
    /// Connections that are open now, with those that are being made.
    package var openConnections = 0
    package var idleConnections = 0
    package var waitingRequests = 0

    package init() {}
}
