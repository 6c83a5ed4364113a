import NIOCore
import NIOHTTP1

/// The answer to a request.
struct PostAnswer: Sendable {
    let status: Int
    let body: [UInt8]
    /// Whether the connection takes another request.
    let isKept: Bool
}
