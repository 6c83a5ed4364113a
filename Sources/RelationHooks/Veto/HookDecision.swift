package import RPC
package import RelationModel

/// The consequence of a question for the call that waits.
package enum HookDecision: Sendable {
    /// The call goes on, with what the hook said; nil if it goes on as it is.
    case proceed(HookVerdict?, HookAnswer)
    case fail(RPCError)
}
