package import RelationModel

/// The facts about a call that only a history keeps: its credential, where it came from, and what a
/// hook said.
///
/// An object, so that a call in an app without a history carries no more than one word for it.
package final class CallSource: Sendable {
    /// The kind and the id of the credential, as an audit has them.
    package let credential: String
    /// Where the caller's address lies: `loopback`, `private`, `public` or `socket`; empty if there
    /// is none.
    package let address: String
    /// The answer of the hook that was asked about the call.
    package let hookAnswer: HookAnswer

    package init(credential: String, address: String, hookAnswer: HookAnswer = .unspecified) {
        self.credential = credential
        self.address = address
        self.hookAnswer = hookAnswer
    }

    /// The same, about a call of which a hook has said that.
    package func judged(_ answer: HookAnswer) -> CallSource {
        CallSource(credential: credential, address: address, hookAnswer: answer)
    }
}
