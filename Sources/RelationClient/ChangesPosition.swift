internal import RelationAPI

/// The position in the changes that a reader has come to, and the request that goes on from there.
///
/// In the present state no message has a token, because a stream cannot go on within it. A stream
/// that is lost there is followed by one that starts over. Its reader must drop what it has, and is
/// notified by RESYNC: by the server if the stream had ended with a token, else by the client.
struct ChangesPosition {
    /// The request of the next stream.
    private(set) var request: WatchRequest
    /// Whether the reader has part of a present state that ended too early.
    private var mustDrop = false
    /// Whether the messages that come belong to the present state.
    private var isInState = false

    init(_ request: WatchRequest) {
        self.request = request
    }

    /// The reader gets a message.
    mutating func apply(_ message: WatchResponse) {
        if !message.resumeToken.isEmpty {
            request.resumeToken = message.resumeToken
            isInState = false
        } else if message.event != nil {
            // A RESYNC says that no earlier token holds any more.
            request.resumeToken = ""
            isInState = true
        }
    }

    /// The stream is lost.
    mutating func disconnect(_ error: CallError) {
        if isInState {
            isInState = false
            mustDrop = true
        }
        if let token = error.metadata["resume_token"], !token.isEmpty {
            request.resumeToken = token
        }
    }

    /// The message by which the reader has to drop what it has, if that is due before `message`,
    /// the first one of a stream.
    mutating func resync(before message: WatchResponse) -> WatchResponse? {
        guard mustDrop else { return nil }
        mustDrop = false
        guard message.event?.kind != .resync else { return nil }
        return WatchResponse.with {
            $0.event = .with {
                $0.kind = .resync
                $0.timeMs = message.event?.timeMs ?? 0
            }
        }
    }
}
