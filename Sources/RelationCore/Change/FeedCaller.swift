/// The caller that an app's feed has for a call, beside its events.
///
/// No user's log has it, so that no client learns who called for a user.
package struct FeedCaller: Sendable, Equatable {
    /// The administrator of TIM's REST API who made the call; empty without one.
    package var administrator: String
    /// Whether the call added friends by force.
    package var isForced: Bool
    /// Whether the call answered applications.
    package var isResponse: Bool

    package init(
        administrator: String = "", isForced: Bool = false, isResponse: Bool = false
    ) {
        self.administrator = administrator
        self.isForced = isForced
        self.isResponse = isResponse
    }
}
