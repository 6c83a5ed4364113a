import GRPC

/// The endpoints of a server by their paths, with the answers that were made just now.
///
/// It belongs to the admin loop.
final class EndpointTable {
    private let endpoints: [String: AdminEndpoint]
    private let list: String
    private let clock: @Sendable () -> UInt64
    private var kept: [String: (answer: AdminAnswer, made: UInt64)] = [:]

    /// - Parameter clock: Nanoseconds that only rise.
    init(_ endpoints: [AdminEndpoint], clock: @escaping @Sendable () -> UInt64) {
        self.endpoints = Dictionary(endpoints.map { ($0.path, $0) }) { first, _ in first }
        self.clock = clock
        list = endpoints.filter(\.isListed).map { "\($0.path)\n" }.joined()
    }

    /// Whether the endpoint of that path answers whatever host a client names.
    func isProbe(_ path: String) -> Bool { endpoints[path]?.isProbe ?? false }

    /// Whether the endpoint of that path takes a POST.
    func acceptsPost(_ path: String) -> Bool {
        if case .posted? = endpoints[path]?.body { true } else { false }
    }

    /// Gives `body` the answer of that path, now or later on another thread.
    ///
    /// - Parameter post: The request that changes something; nil for one that only reads.
    func answer(
        _ path: String, _ post: AdminPost? = nil,
        _ body: @escaping @Sendable (AdminAnswer) -> Void
    ) {
        switch endpoints[path]?.body {
        case .later(let make): make(body)
        case .posted(let make): body(make(post))
        default: body(present(path))
        }
    }

    private func present(_ path: String) -> AdminAnswer {
        if path == "/", endpoints[path] == nil { return AdminAnswer(list) }
        guard let endpoint = endpoints[path], case .now(let make) = endpoint.body else {
            return AdminAnswer(status: 404, "there is no such page; there are:\n\(list)")
        }
        guard endpoint.isKept else { return make() }
        let now = clock()
        if let kept = kept[path], now - kept.made < AdminLimits.pageMilliseconds * 1_000_000 {
            return kept.answer
        }
        let answer = make()
        kept[path] = (answer, now)
        return answer
    }
}
