import Protobuf
import RelationAPI
import RelationModel

extension CountedCall {
    /// The calls that read, from rows on disk.
    static var reads: [CountedCall] {
        let few = CountLimits.ownerFriends
        let many = CountLimits.hubFriends
        return [
            checks(1, 16, 16), checks(20, 8, 4),
            read(
                "CheckBlacklist.1", BlacklistMethods.checkBlacklist, 16, 8, different: 64,
                { $0.results.map(\.code) == [.success] }
            ) {
                ($0.userID, $0.userIDs) = (CountData.hub, [CountData.user(580 + $1)])
                $0.checkType = .both
            },
            read(
                "CanSend.1", BlacklistMethods.canSend, 16, 8, different: 64,
                { $0.results.map(\.code) == [.success] }
            ) { ($0.userID, $0.userIDs) = (CountData.user($1), [CountData.hub]) },
            profiles(of: 1, streams: 16), profiles(of: 100, streams: 1),
            read(
                "GetSelfProfile", ProfileMethods.getSelfProfile, 16, 8, different: 128,
                { $0.profile?.nick.hasPrefix("The nick") ?? false }
            ) { $0.userID = CountData.user($1) },
            read("ListFriends.50", FriendMethods.listFriends, 4, 8, { $0.friends.count == few }) {
                ($0.userID, $0.pageSize) = (CountData.owner($1), Int32(few))
            },
            read(
                "ListFriends.500.profiles", FriendMethods.listFriends, 1, 4, different: 1,
                { $0.friends.count == many && $0.friends.allSatisfy { $0.profile != nil } }
            ) { request, _ in
                (request.userID, request.pageSize) = (CountData.hub, Int32(many))
                request.withProfiles = true
            },
            read("SyncFriends.50", FriendMethods.syncFriends, 4, 8, { $0.friends.count == few }) {
                ($0.userID, $0.pageSize) = (CountData.owner($1), Int32(few))
            },
            read(
                "ListBlacklist.50", BlacklistMethods.listBlacklist, 4, 8, different: 1,
                { $0.entries.count == CountLimits.blacklisted }
            ) { request, _ in
                (request.userID, request.pageSize) = (CountData.hub, 50)
            },
            read(
                "ListApplications.50", ApplicationMethods.listApplications, 4, 8, different: 1,
                { $0.applications.count == CountLimits.applied }
            ) { request, _ in
                (request.userID, request.pageSize) = (CountData.hub, 50)
                request.pendencyType = .comeIn
            },
            read(
                "GetFriends.10", FriendMethods.getFriends, 8, 8,
                { $0.results.count == 10 && $0.results.allSatisfy { $0.friendEntry != nil } }
            ) { ($0.userID, $0.userIDs) = (CountData.owner($1), friends(of: $1)) },
            read("GetRelations.10", FriendMethods.getRelations, 4, 8, { $0.results.count == 10 }) {
                ($0.userID, $0.userIDs) = (CountData.owner($1), friends(of: $1))
            },
            read(
                "GetFriendGroups", GroupMethods.getFriendGroups, 8, 8, different: 1,
                {
                    $0.results.count == 2
                        && $0.results.allSatisfy { $0.userIDs.count == CountLimits.groupMembers }
                }
            ) { request, _ in
                (request.userID, request.withMembers) = (CountData.hub, true)
            },
            read("GetSequence", ChangeMethods.getSequence, 16, 16, { $0.friendsSequence > 0 }) {
                $0.userID = CountData.owner($1)
            },
            presence,
        ]
    }

    static func checks(_ ids: Int, _ streams: Int, _ turns: Int) -> CountedCall {
        read(
            "CheckFriends.\(ids)", FriendMethods.checkFriends, streams, turns, different: 256,
            { $0.results.count == ids && $0.results.allSatisfy { $0.code == .success } }
        ) { request, number in
            request.userID = CountData.owner(number % CountLimits.owners)
            request.userIDs = (0..<ids).map { CountData.user((number * 37 + $0 * 11) % 800) }
            request.checkType = .bidirection
        }
    }

    private static func profiles(of ids: Int, streams: Int) -> CountedCall {
        read(
            "GetProfiles.\(ids)", ProfileMethods.getProfiles, streams, 8, different: 128,
            {
                $0.results.count == ids
                    && $0.results.allSatisfy { $0.profile?.nick.isEmpty == false }
            }
        ) { request, number in
            request.userID = CountData.owner(number % CountLimits.owners)
            request.userIDs = (0..<ids).map { CountData.user((number * 31 + $0) % 500) }
        }
    }

    private static var presence: CountedCall {
        var call = read(
            "GetPresence.10", PresenceMethods.getPresence, 8, 8,
            { $0.results.count == 10 && $0.results.allSatisfy { $0.presence?.online ?? false } }
        ) { ($0.userID, $0.userIDs) = (CountData.owner($1), friends(of: $1)) }
        call.before = {
            let reports = (0..<CountLimits.users).map { number in
                ReportPresenceRequest.with { report(&$0, number) }
            }
            let (batch, count) = (CountLimits.preparedTogether, reports.count)
            return [
                try .writes(
                    PresenceMethods.reportPresence, batch: batch, turns: 0, warmUp: count / batch,
                    reports
                ) { $0.results.map(\.code) == [.success] }
            ]
        }
        return call
    }

    /// Reports that a user is online.
    static func report(_ request: inout ReportPresenceRequest, _ user: Int) {
        let item = PresenceReport.with {
            ($0.userID, $0.deviceID, $0.platform) = (CountData.user(user), "phone", "iOS")
            ($0.online, $0.leaseSeconds) = (true, 300)
        }
        request.items = [item]
    }

    private static func friends(of owner: Int) -> [String] {
        (0..<10).map { CountData.friend($0, of: owner) }
    }
}
