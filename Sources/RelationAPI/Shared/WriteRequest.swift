package import Protobuf

/// A request that changes something.
package protocol WriteRequest: CodedMessage {
    /// Whether the call acts for a user, whom the request names.
    static var actsForUser: Bool { get }
    /// The acting user.
    var userID: String { get }
    /// How the write is carried out.
    var options: WriteOptions? { get set }
}

extension WriteRequest {
    package static var actsForUser: Bool { true }
}
