internal import RPC
public import RelationAPI

extension Client {
    /// Reads the changes of the app as the reader of a consumer, and acknowledges those that
    /// `handle` is done with.
    ///
    /// ```swift
    /// try await client.consume("orders", .with { $0.scope = .app(true) }) { message in
    ///     print(message.event?.kind ?? .unspecified)
    /// }
    /// ```
    ///
    /// It acquires the consumer, and follows the changes over as many streams as needed, as
    /// ``changes(_:options:)`` does. `handle` gets one message after another, those without an
    /// event and without missing users left out. Each comes at least once: after a crash those come
    /// again that were not acknowledged. After RESYNC, drop what you have.
    ///
    /// When it ends, it acknowledges what `handle` is done with, and releases the consumer.
    ///
    /// - Parameters:
    ///   - consumer: The name of the consumer.
    ///   - request: The users to follow and the kinds of events.
    ///   - options: When it acknowledges, and whether it takes the consumer over.
    ///   - handle: Works on a message; its error ends the reading. With ``ConsumerOptions/End`` it
    ///     ends the reading without an error.
    /// - Throws: ``CallError``: with the reason `CONSUMER_BUSY` if another reader holds the
    ///   consumer, with `READER_FENCED` if another one has taken it over; `CancellationError`; the
    ///   error of `handle`.
    public func consume(
        _ consumer: String, _ request: WatchRequest, options: ConsumerOptions = ConsumerOptions(),
        handle: (WatchResponse) async throws -> Void
    ) async throws {
        let acquisition = AcquireConsumerRequest.with {
            $0.consumer = consumer
            $0.start = options.start
            $0.takeOver = options.takesOver
            $0.leaseMs = options.lease.milliseconds
        }
        let acquired = try await call(
            ChangeMethods.acquireConsumer, acquisition, options: options.calls)
        var reader = ConsumerReading(
            self, consumer, reader: acquired.consumer?.reader ?? 0, options)
        do {
            for try await message in changes(reader.request(request), options: options.changes) {
                if message.event != nil || !message.missingUserIDs.isEmpty {
                    try await handle(message)
                }
                try await reader.handled(message)
            }
        } catch let end as ConsumerOptions.End {
            reader.note(end.message)
        } catch {
            await reader.release()
            throw error
        }
        await reader.release()
    }
}

/// How far the reader of a consumer has come, and what the server knows of that.
private struct ConsumerReading {
    private let client: Client
    private let consumer: String
    private let reader: Int64
    private let options: ConsumerOptions
    /// The token of the last message that was handled, if it is not acknowledged.
    private var token = ""
    /// The token that was acknowledged last.
    private var known = ""
    private var messages = 0
    private var lastCall: Duration

    init(_ client: Client, _ consumer: String, reader: Int64, _ options: ConsumerOptions) {
        self.client = client
        self.consumer = consumer
        self.reader = reader
        self.options = options
        lastCall = client.clock.now
    }

    /// The time after which the lease is renewed even if nothing was handled.
    private var renewal: Duration { options.lease / 3 }

    /// Returns `request` as the reader's, with heartbeats so often that it can acknowledge in time.
    func request(_ request: WatchRequest) -> WatchRequest {
        var request = request
        request.consumer = .with { ($0.consumer, $0.reader) = (consumer, reader) }
        if request.heartbeatMs == 0 {
            request.heartbeatMs = max(
                1_000, min(options.acknowledgesEvery, renewal).milliseconds)
        }
        return request
    }

    /// Notes that a message was handled.
    mutating func note(_ message: WatchResponse) {
        if !message.resumeToken.isEmpty { token = message.resumeToken }
        messages += 1
    }

    /// Notes that a message was handled, and acknowledges if it is time for that.
    mutating func handled(_ message: WatchResponse) async throws {
        note(message)
        let waited = client.clock.now - lastCall
        let isDue = messages >= options.acknowledgesAfter || waited >= options.acknowledgesEvery
        // Within the present state there is no token, and the lease is renewed all the same.
        guard token != known && isDue || waited >= renewal else { return }
        messages = 0
        do {
            try await acknowledge()
        } catch let error as CallError where error.mayPass {
            // The next one says more.
        }
    }

    private mutating func acknowledge(releasing: Bool = false) async throws {
        lastCall = client.clock.now
        let request = AcknowledgeChangesRequest.with {
            $0.consumer = consumer
            $0.reader = reader
            $0.resumeToken = token
            $0.release = releasing
        }
        // A repetition would need a request id, whose answer the server keeps for a day. The next
        // acknowledgement says the same, and more.
        var call = options.calls
        call.retries = false
        _ = try await client.call(ChangeMethods.acknowledgeChanges, request, options: call)
        known = token
    }

    /// Says how far the reader came, and lets the consumer go: even if its task was cancelled.
    ///
    /// If the server does not hear it, the events come again, and the lease ends by itself.
    func release() async {
        await Task(executorPreference: client.clock.tasks) { [self] in
            var last = self
            try? await last.acknowledge(releasing: true)
        }.value
    }
}

extension Duration {
    /// The milliseconds, rounded towards zero.
    fileprivate var milliseconds: Int64 {
        Int64(clamping: attoseconds / 1_000_000_000_000_000)
    }
}
