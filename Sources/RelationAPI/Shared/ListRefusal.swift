public import RelationModel

/// Why the server gave no list, although the call as a whole succeeded.
///
/// One example is the list of friends that a user shares with a user that does not exist.
public struct ListRefusal: Error, Equatable, CustomStringConvertible {
    /// The outcome, such as ``RelationModel/FriendStatus/accountNotFound``.
    public let code: FriendStatus
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public let reason: Reason
    /// The reason in TIM's form; empty if it is unspecified.
    public let info: String

    /// Creates the refusal of these values.
    public init(code: FriendStatus, reason: Reason = .none, info: String = "") {
        self.code = code
        self.reason = reason
        self.info = info
    }

    /// The refusal of an outcome; nil if the outcome is a success.
    package init?(unlessSuccess code: FriendStatus?, _ reason: Reason, _ info: String) {
        guard let code, code != .success else { return nil }
        self.init(code: code, reason: reason, info: info)
    }

    /// The code, and the reason if there is one.
    public var description: String {
        let words = info.isEmpty ? "" : " (\(info))"
        return "the server gave no list: \(code)\(words)"
    }
}
