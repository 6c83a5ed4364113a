package import NIOCore
import NIOPosix
import Synchronization

/// Sends messages to receivers by HTTP/1.1, over connections that it keeps for further messages.
///
/// All its state belongs to one event loop. It never follows a redirection, asks no proxy, and
/// shows no part of an answer but its status.
package final class WebhookSender: Sendable {
    private let settings: WebhookSenderSettings
    private let loop: any EventLoop
    private let pool: NIOLoopBoundBox<WebhookPool>
    private let counter = Counter()
    private let ids = Atomic<UInt64>(0)

    /// The counts, which the loop writes and any thread reads.
    private final class Counter: Sendable {
        let counts = Mutex(WebhookSenderCounts())
    }

    /// - Parameters:
    ///   - loop: The loop that all connections share; nil for one of NIO's own.
    ///   - resolver: It is asked once for each connection.
    package init(
        _ settings: WebhookSenderSettings = WebhookSenderSettings(),
        on loop: (any EventLoop)? = nil,
        resolver: any HostResolver = SystemHostResolver()
    ) {
        let loop = loop ?? MultiThreadedEventLoopGroup.singleton.next()
        self.settings = settings
        self.loop = loop
        let counter = counter
        pool = NIOLoopBoundBox.makeBoxSendingValue(
            WebhookPool(settings, loop, resolver) { change in
                counter.counts.withLock { change(&$0) }
            }, as: WebhookPool.self, eventLoop: loop)
    }

    /// Sends a message, and waits for the answer.
    ///
    /// A message goes out once, with one exception. If a kept connection turns out to be closed,
    /// and no byte of an answer has come, it goes out again on a new connection: receivers must
    /// know a message that they have.
    ///
    /// - Throws: A failure where there is no answer that counts; each other answer is returned, as
    ///   500 is.
    package func send(_ request: WebhookRequest) async throws(WebhookFailure) -> WebhookAnswer {
        guard !Task.isCancelled else { throw .cancelled }
        let prepared = try PreparedRequest(request, userAgent: settings.userAgent)
        let id = ids.add(1, ordering: .relaxed).newValue
        let deadline = NIODeadline.now() + TimeAmount(request.timeout)
        let promise = loop.makePromise(of: WebhookAnswer.self)
        let (loop, pool) = (loop, pool)
        do {
            return try await withTaskCancellationHandler {
                loop.execute {
                    pool.value.start(
                        WebhookExchange(id, prepared, deadline: deadline, promise))
                }
                return try await promise.futureResult.get()
            } onCancel: {
                loop.execute { pool.value.cancel(id) }
            }
        } catch {
            throw error as? WebhookFailure ?? .closed
        }
    }

    /// The counts so far; any thread may ask.
    package func reading() -> WebhookSenderCounts { counter.counts.withLock { $0 } }

    /// Fails what is under way, and ends all connections.
    package func close() async {
        let pool = pool
        _ = try? await loop.flatSubmit { pool.value.close() }.get()
    }
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
