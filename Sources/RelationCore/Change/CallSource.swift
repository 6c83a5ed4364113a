package import RelationModel

/// The facts about a call that only a history keeps: its credential, where it came from, and what a
/// hook said.
///
/// A call in an app without a history has none of them, and pays nothing for them.
package struct CallSource: Sendable, Equatable {
    /// The kind and the id of the credential, as an audit has them; empty for the server itself.
    package var credential = ""
    /// Where the caller's address lies: `loopback`, `private`, `public` or `socket`; empty if there
    /// is none.
    package var address = ""
    /// What a hook that is asked before calls said about it.
    package var hookAnswer = HookAnswer.unspecified

    package init() {}
}
