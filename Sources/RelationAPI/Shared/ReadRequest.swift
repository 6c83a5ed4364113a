package import Protobuf

/// A request that only reads.
package protocol ReadRequest: CodedMessage {
    /// Whether the call acts for a user, whom the request names.
    static var actsForUser: Bool { get }
    var actingUser: String { get }
    /// Whether this request acts for the app, though its call acts for users.
    var actsForApp: Bool { get }
    /// How the read is carried out.
    var options: ReadOptions? { get }
}

extension ReadRequest {
    package static var actsForUser: Bool { true }
    package var actsForApp: Bool { false }
}
