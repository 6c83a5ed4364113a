/// A request that only reads, and acts for the user of its field `user_id`.
package protocol UserReadRequest: ReadRequest {
    /// The acting user.
    var userID: String { get }
}

extension UserReadRequest {
    package var actingUser: String { userID }
}
