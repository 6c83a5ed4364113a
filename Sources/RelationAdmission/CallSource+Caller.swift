package import GRPC
package import RelationCore

extension CallSource {
    /// The facts about a call of `caller`; none if its app keeps no history.
    package init(of caller: Caller, from call: ServerCall) {
        self.init()
        guard caller.app.keepsHistory else { return }
        credential = caller.label(namingUsers: false)
        address = PeerNetwork.name(of: call.peer)
    }
}
