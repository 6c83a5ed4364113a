/// A request that changes something, and acts for the app: it names no user.
///
/// Its request ids are those of all administrators of the app, its answer's sequence is 0, and the
/// events that it causes have no actor.
package protocol AppWriteRequest: WriteRequest {}

extension AppWriteRequest {
    package static var actsForUser: Bool { false }
    package var userID: String { "" }
}
