/// A message of the contract.
///
/// It is a plain value: it owns everything that it has, and may be kept, compared and sent to any
/// task. `print` shows its fields by their names, and leaves out secrets.
public protocol Message: Equatable, Sendable, SendableMetatype, CustomStringConvertible {
    /// Creates a message of which no field is set.
    init()
}

extension Message {
    /// The fields that are set: `FriendResult(userID: "bob", code: .success, changed: true)`.
    ///
    /// Bytes are cut short, and the text of a secret is left out.
    public var description: String { MessageText.description(of: self) }
}
