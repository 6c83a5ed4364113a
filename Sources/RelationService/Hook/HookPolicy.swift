package import RelationHooks

/// The hooks that the server's operator allows.
package struct HookPolicy: Sendable {
    /// Why a URL is refused, or nil if a hook may have it; nil as a whole if no hooks are allowed.
    let refusal: (@Sendable (_ url: String) -> String?)?
    /// The way of tests; nil if no hooks are allowed.
    let tester: HookTester?

    package init(refusal: (@Sendable (_ url: String) -> String?)?, send: HookSend? = nil) {
        self.refusal = refusal
        tester = send.map { HookTester($0) }
    }

    /// No hooks are allowed.
    package static let none = HookPolicy(refusal: nil)
}

/// A way to the receivers of hooks, which the program gives to the service.
package struct HookOffer: Sendable {
    let policy: HookPolicy
    let send: HookSend
    let ask: HookAskSend
    let receiverAsker: ReceiverAsker
    let close: @Sendable () async -> Void

    /// - Parameters:
    ///   - refusal: Why a URL is refused; nil if a hook may have it.
    ///   - send: Sends a request with events.
    ///   - ask: Sends a question, and keeps the answer.
    ///   - receiverAsker: Asks by gRPC.
    ///   - close: Fails what is under way; it is called once, when nothing more is sent.
    package init(
        refusal: @escaping @Sendable (_ url: String) -> String?, send: @escaping HookSend,
        ask: @escaping HookAskSend, receiverAsker: ReceiverAsker,
        close: @escaping @Sendable () async -> Void
    ) {
        policy = HookPolicy(refusal: refusal, send: send)
        self.send = send
        self.ask = ask
        self.receiverAsker = receiverAsker
        self.close = close
    }
}
