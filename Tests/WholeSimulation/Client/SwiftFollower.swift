import RelationAPI
import RelationClient
import RelationModel

/// A follower whose stream is that of the Swift client, which goes on by itself where it was.
final class SwiftFollower: SimulatedFollower, @unchecked Sendable {
    private let swift: SwiftClient
    private var task: Task<Void, Never>?
    private(set) var hasEnded = false

    init(
        _ index: Int, _ swift: SwiftClient, _ book: Book, _ network: any Network,
        in world: SimulatedWorld
    ) {
        self.swift = swift
        super.init(index, following: swift.followed, book, network, in: world)
    }

    override var connection: SimulatedConnection? { swift.socket?.connection }
    override var holder: Int { swift.line }

    override func endCalls() { swift.socket?.endCalls() }

    override func begin() {
        task = Task(executorPreference: swift.tasks) {
            while !Task.isCancelled { await self.follow() }
            self.hasEnded = true
        }
    }

    /// Ends the reading.
    func end() { task?.cancel() }

    /// Reads the changes from the token that it has.
    private func follow() async {
        if token.isEmpty { forget() }
        let request = WatchRequest.with {
            $0.scope = .userID(Book.name(user))
            $0.resumeToken = token
            $0.heartbeatMs = Int64(WorldLimits.heartbeatMilliseconds)
        }
        let known = sequence.map { "\($0)" } ?? "nothing"
        world.note("client \(holder) follows \(user) after \(known)")
        let options = ChangesOptions(onReconnect: { [unowned self] reconnection in
            world.met(.clientResumed)
            world.note("client \(holder) lost its stream: \(reconnection)")
        })
        let maker = SwiftClient.Maker { [unowned self] maker in key = maker.key ?? key }
        do {
            try await SwiftClient.$maker.withValue(maker) {
                for try await message in swift.client.changes(request, options: options) {
                    take(message)
                    // Some programs end and begin anew with the token that they kept.
                    if !world.isCalm, chance.one(in: WorldLimits.readerEnds) {
                        world.met(.clientLeft)
                        break
                    }
                }
            }
        } catch let error as CallError {
            ended(error)
        } catch {
            // The reading was cancelled.
        }
        let pause = chance.number(WorldLimits.retryMilliseconds)
        try? await swift.time.sleep(for: .milliseconds(pause))
    }

    private func take(_ message: WatchResponse) {
        // Within a present state there is no token that could be kept.
        if message.event != nil, message.resumeToken.isEmpty { token = "" }
        receive(message)
        if let event = message.event { swift.heard(event) }
    }

    private func ended(_ error: CallError) {
        world.note("stream of client \(holder) ends with \(error)")
        if error.code == .unauthenticated, book.holders.refused(key, of: holder) {
            world.met(.revokedStream)
        } else {
            world.find(.answer, "the stream of client \(holder) ends with \(error)")
        }
    }
}
