import RelationAPI
import RelationCalls
import RelationCore

extension FriendResult: ChangeMessage {
    init(_ userID: String, _ outcome: FriendOutcome) {
        self.init()
        self.userID = userID.echoed()
        set(outcome)
    }
}
