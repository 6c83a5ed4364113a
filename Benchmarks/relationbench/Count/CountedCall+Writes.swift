import Protobuf
import RelationAPI
import RelationModel

extension CountedCall {
    /// The calls that write, each in batches of one size: so many are one transaction.
    static var writes: [CountedCall] {
        let adds = [(1, 40), (16, 8), (64, 4)].map { batch, turns in
            CountedCall(name: "AddFriends.batch\(batch)") {
                try additions(batch: batch, turns: turns)
            }
        }
        return adds + [
            CountedCall(name: "DeleteFriends.batch16") {
                let requests = (0..<CountLimits.writes).map { number in
                    let (one, other) = CountData.pair(number)
                    return DeleteFriendsRequest.with {
                        $0.userID = one
                        $0.userIDs = [other]
                        $0.deleteType = .both
                    }
                }
                return try .writes(
                    FriendMethods.deleteFriends, batch: 16, turns: 8, warmUp: 2, requests
                ) { $0.results.map(\.code) == [.success] }
            },
            CountedCall(name: "UpdateFriends.batch16") {
                let requests = (0..<CountLimits.writes).map { number in
                    let (one, other) = CountData.pair(number)
                    let item = FriendUpdate.with {
                        $0.userID = other
                        $0.updateMask = FieldMask(["remark"])
                        $0.remark = "another remark \(number)"
                    }
                    return UpdateFriendsRequest.with {
                        $0.userID = one
                        $0.items = [item]
                    }
                }
                return try .writes(
                    FriendMethods.updateFriends, batch: 16, turns: 8, warmUp: 2, requests
                ) { $0.results.map(\.code) == [.success] }
            },
            CountedCall(name: "UpdateProfile.batch16") {
                let requests = (0..<CountLimits.writes).map { number in
                    var profile = RelationAPI.Profile()
                    profile.nick = "a new nick \(number)"
                    return UpdateProfileRequest.with {
                        $0.userID = CountData.user(number)
                        $0.profile = profile
                        $0.updateMask = FieldMask(["nick"])
                    }
                }
                return try .writes(
                    ProfileMethods.updateProfile, batch: 16, turns: 8, warmUp: 2, requests
                ) { $0.code == .success }
            },
            CountedCall(name: "RespondToApplications.batch16") {
                let requests = (0..<CountLimits.writes).map { number in
                    let (asked, asker) = CountData.asked(number)
                    let item = FriendResponse.with {
                        $0.userID = asker
                        $0.responseType = .agreeAndAdd
                    }
                    return RespondToApplicationsRequest.with {
                        $0.userID = asked
                        $0.items = [item]
                    }
                }
                return try .writes(
                    ApplicationMethods.respondToApplications, batch: 16, turns: 8, warmUp: 2,
                    requests
                ) { $0.results.map(\.code) == [.success] }
            },
            CountedCall(name: "ReportPresence.batch16") {
                let reports = (0..<CountLimits.writes).map { report($0, online: true) }
                return try reporting(reports, batch: 16, turns: 8, warmUp: 2)
            },
        ]
    }

    /// An event that goes alone to its stream, of additions of users who follow their own changes.
    ///
    /// Each user is told of one event before, since a stream's first one costs more.
    static var events: [CountedCall] {
        let batch = 64
        let turns = 4
        let users = batch * turns
        let pairs = (0..<users).map(CountData.strangers)
        return [
            CountedCall(name: "Watch.event", watched: pairs.flatMap { [$0.0, $0.1] }) {
                let requests = (0..<2 * users).map { number in
                    addition(pairs[number % users].0, pairs[(number + number / users) % users].1)
                }
                var plan = try additions(requests, batch: batch, turns: turns, warmUp: turns)
                plan.events = 2
                return plan
            }
        ]
    }

    private static func additions(batch: Int, turns: Int) throws -> CountedPlan {
        let requests = (0..<CountLimits.writes).map { number in
            let (adder, added) = CountData.strangers(number)
            return addition(adder, added)
        }
        return try additions(requests, batch: batch, turns: turns, warmUp: 64 / batch)
    }

    private static func addition(_ adder: String, _ added: String) -> AddFriendsRequest {
        let item = AddFriend.with {
            $0.userID = added
            $0.source = "AddSource_Type_Bench"
        }
        return AddFriendsRequest.with {
            $0.userID = adder
            $0.items = [item]
            $0.addType = .both
        }
    }

    private static func additions(
        _ requests: [AddFriendsRequest], batch: Int, turns: Int, warmUp: Int
    ) throws -> CountedPlan {
        try .writes(
            FriendMethods.addFriends, batch: batch, turns: turns, warmUp: warmUp, requests
        ) { $0.results.map(\.code) == [.success] }
    }

    static func report(_ user: Int, online: Bool) -> ReportPresenceRequest {
        let item = PresenceReport.with {
            $0.userID = CountData.user(user)
            $0.deviceID = "phone"
            $0.platform = "iOS"
            $0.online = online
            $0.leaseSeconds = 300
        }
        return ReportPresenceRequest.with { $0.items = [item] }
    }

    static func reporting(
        _ reports: [ReportPresenceRequest], batch: Int, turns: Int, warmUp: Int? = nil
    ) throws -> CountedPlan {
        try .writes(
            PresenceMethods.reportPresence, batch: batch, turns: turns,
            warmUp: warmUp ?? reports.count / batch, reports
        ) { $0.results.map(\.code) == [.success] }
    }
}
