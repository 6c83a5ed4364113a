import Protobuf
import RelationAPI
import RelationModel

/// Makes the writes whose changes streams are told of.
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
        var request = DeleteFriendsRequest()
        request.userID = pair.0
        request.userIDs = [pair.1]
        request.deleteType = .both
        return try Flood.Request(request)
    }

    static func rename(_ user: String, _ nick: String) throws(CodecError) -> Flood.Request {
        var request = UpdateProfileRequest()
        request.userID = user
        var profile = RelationAPI.Profile()
        profile.nick = nick
        request.profile = profile
        request.updateMask = FieldMask(["nick"])
        return try Flood.Request(request)
    }

    static func report(_ user: String, online: Bool) throws(CodecError) -> Flood.Request {
        var request = ReportPresenceRequest()
        var item = PresenceReport()
        item.userID = user
        item.deviceID = "phone"
        item.online = online
        item.leaseSeconds = online ? 300 : 0
        request.items = [item]
        return try Flood.Request(request)
    }

    static func subscribe(
        _ user: String, to other: String, _ type: SubscribeType
    ) throws(CodecError) -> Flood.Request {
        var request = SubscribeRequest()
        request.userID = user
        request.subscribeType = type
        request.userIDs = [other]
        request.expirySeconds = 86_400
        return try Flood.Request(request)
    }
}
