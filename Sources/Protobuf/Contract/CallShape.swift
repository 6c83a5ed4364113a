/// How many messages each side of a call sends.
@usableFromInline package enum CallShape: Sendable {
    case unary, serverStreaming, clientStreaming, bidirectional
}
