import Memory
import Protobuf
package import RelationCore
import RelationModel

/// The way of a question to the receiver of a hook.
package protocol HookTransport: Sendable {
    /// Asks, and calls back once, on any thread, within about that time.
    ///
    /// - Parameter id: The name of the question, which no other has.
    func ask(
        _ ask: HookAsk, of hook: HookRecord, in app: App, named id: String, at now: Int64,
        within milliseconds: Int64, _ done: @escaping @Sendable (HookSaid) -> Void)
}

/// Sends a question of HTTP, and calls back once, on any thread.
package typealias HookAskSend =
    @Sendable (
        _ request: HookRequest, _ milliseconds: Int64,
        _ done: @escaping @Sendable (HookReply) -> Void
    ) -> Void
