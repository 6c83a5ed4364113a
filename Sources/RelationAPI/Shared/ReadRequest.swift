package import Protobuf

/// A request that only reads.
package protocol ReadRequest: CodedMessage {
    /// Whether the call acts for a user, whom the request names.
    static var actsForUser: Bool { get }
    var actingUser: String { get }
    /// How the read is carried out.
    var options: ReadOptions? { get }
}

/// A request that only reads, and acts for the user of its field `user_id`.
package protocol UserReadRequest: ReadRequest {
    /// The acting user.
    var userID: String { get }
}

extension UserReadRequest {
    package var actingUser: String { userID }
}

extension ReadRequest {
    package static var actsForUser: Bool { true }
}

/// A request that only reads, and acts for the app: it names no user.
package protocol AppReadRequest: ReadRequest {}

extension AppReadRequest {
    package static var actsForUser: Bool { false }
    package var actingUser: String { "" }
}
