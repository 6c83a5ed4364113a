/// A request that only reads, and acts for the app: it names no user.
package protocol AppReadRequest: ReadRequest {}

extension AppReadRequest {
    package static var actsForUser: Bool { false }
    package var actingUser: String { "" }
}
