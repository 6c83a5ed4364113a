import InteropContract

/// The cases against a server that misbehaves in one way, which its port gives.
enum HostileCases {
    static let all: [Case] = [
        ("goaway", goAway), ("max_streams", maxStreams), ("ping", oneCall),
        ("rst_after_header", mustFail), ("rst_during_data", mustFail),
        ("rst_after_data", mustFail), ("data_frame_padding", oneCall),
    ]

    /// One call must succeed, whatever else the server sends beside it.
    @Sendable static func oneCall(_ peer: Peer) async throws {
        try await StandardCases.largeUnary(peer)
    }

    /// The server ends the connection after the first call; the second goes over another one.
    @Sendable static func goAway(_ peer: Peer) async throws {
        try await StandardCases.largeUnary(peer)
        try await StandardCases.largeUnary(peer)
    }

    /// The server takes one stream at a time; calls wait for their turn and none fails.
    @Sendable static func maxStreams(_ peer: Peer) async throws {
        try await StandardCases.largeUnary(peer)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { try await StandardCases.largeUnary(peer) } }
            try await group.waitForAll()
        }
    }

    /// The server resets the stream before, amid or after the data, but always before a status.
    @Sendable static func mustFail(_ peer: Peer) async throws {
        let failure = try await peer.failure(Paths.unaryCall, StandardCases.largeRequest())
        try expect(failure != nil, "the call succeeded")
    }
}
