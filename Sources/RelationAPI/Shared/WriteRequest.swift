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

/// A request that changes something, and acts for the app: it names no user.
///
/// Its request ids are those of all administrators of the app, its answer's sequence is 0, and the
/// events that it causes have no actor.
package protocol AppWriteRequest: WriteRequest {}

extension AppWriteRequest {
    package static var actsForUser: Bool { false }
    package var userID: String { "" }
}
