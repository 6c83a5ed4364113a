import Protobuf
import RelationAPI
import RelationModel

/// Makes the writes whose changes streams are notified of.
enum StreamCalls {
    static func add(_ pair: (String, String)) throws(CodecError) -> Flood.Request {
        // This is not the first time that the pair is added, so only the status of the answer is
        // known beforehand.
        var request = try Calls.add(pair)
        request.answer = nil
        return request
    }

    /// Ends the friendship of a pair on both sides.
    static func delete(_ pair: (String, String)) throws(CodecError) -> Flood.Request {
        try Flood.Request(
            DeleteFriendsRequest.with {
                ($0.userID, $0.userIDs, $0.deleteType) = (pair.0, [pair.1], .both)
            })
    }

    static func report(_ user: String, online: Bool) throws(CodecError) -> Flood.Request {
        let item = PresenceReport.with {
            ($0.userID, $0.deviceID, $0.online) = (user, "phone", online)
            $0.leaseSeconds = online ? 300 : 0
        }
        return try Flood.Request(ReportPresenceRequest.with { $0.items = [item] })
    }

    static func subscribe(
        _ user: String, to other: String, _ type: SubscribeType
    ) throws(CodecError) -> Flood.Request {
        try Flood.Request(
            SubscribeRequest.with {
                ($0.userID, $0.userIDs, $0.subscribeType) = (user, [other], type)
                $0.expirySeconds = 86_400
            })
    }
}
