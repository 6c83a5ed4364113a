import Memory
import Protobuf
import RelationAPI

/// The calls of operators whose requests name the app: a fleet sends them to the database of that
/// app, and no metadata names it.
package enum PlacedAppCalls {
    /// The call that makes an app, for which the directory finds a database.
    static let creation = AppMethods.createApp
    static let deletion = AppMethods.deleteApp
    static let importOfSecret = AppMethods.importAppSecret

    /// Whether an answer that a registry keeps under a request id shows the app of that number.
    package static func isAnswer(_ bytes: [UInt8], about app: UInt32) -> Bool {
        let arena = Arena()
        defer { arena.free() }
        let answer = try? creation.responseCoder.message(bytes, arena)
        return answer?.app?.appID == app
    }
}
