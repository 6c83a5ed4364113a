package import GRPC
package import RelationCore

extension CallSource {
    /// The facts about a call of `caller`; nil if its app keeps no history.
    package static func of(_ caller: Caller, from call: ServerCall) -> CallSource? {
        guard caller.app.keepsHistory else { return nil }
        return CallSource(
            credential: caller.label(namingUsers: false), address: PeerNetwork.name(of: call.peer))
    }
}
