/// A message of the contract.
///
/// It is a plain value: it owns everything that it has, and may be kept, compared and sent to any
/// task. `print` shows its fields by their names, and leaves out secrets. It may stand in a set. As
/// a part of a `Codable` type it has proto3's JSON, with the names of the contract.
///
/// A program makes it empty, or sets some of its fields at once:
///
/// ```swift
/// let friend = Friend.with {
///     $0.userID = "bob"
///     $0.remark = "met at sea"
/// }
/// ```
public protocol Message: Hashable, Codable, Sendable, SendableMetatype, CustomStringConvertible {
    /// Creates a message of which no field is set.
    init()
}

extension Message {
    /// Creates a message, and sets its fields in a closure.
    ///
    /// - Parameter change: Gets the message of which no field is set yet.
    /// - Returns: The message as the closure has left it.
    @inlinable public static func with<E>(
        _ change: (inout Self) throws(E) -> Void
    ) throws(E) -> Self {
        var message = Self()
        try change(&message)
        return message
    }

    /// The fields that are set: `FriendResult(userID: "bob", code: .success, changed: true)`.
    ///
    /// Bytes are cut short, and the text of a secret is left out.
    public var description: String { MessageText.description(of: self) }
}
