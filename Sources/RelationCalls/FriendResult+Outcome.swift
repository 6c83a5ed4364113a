import GRPC
import Protobuf
package import RelationAPI
package import RelationCore
import RelationModel
import Storage

extension FriendResult {
    package init(_ userID: String, _ outcome: Outcome) {
        self.init()
        self.userID = userID.echoed()
        code = outcome.code
        info = outcome.reason.description
    }
}
