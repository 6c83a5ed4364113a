package import RelationModel

/// What a rule answers about one item: a code, and a reason that tells apart what shares the code.
package struct Outcome: Equatable, Sendable {
    package let code: FriendStatus
    package let reason: Reason

    package init(_ code: FriendStatus, _ reason: Reason) {
        self.code = code
        self.reason = reason
    }

    package static let success = Outcome(.success, .none)

    /// Whether a call that wants all or nothing may go on: done, or waiting for an answer.
    package var isAcceptable: Bool { code == .success || code == .pending }
}
