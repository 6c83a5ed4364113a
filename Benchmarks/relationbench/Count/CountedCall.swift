import Protobuf
import RelationAPI
import RelationModel
import RelationRuntime
import Storage
import Traces

/// A call whose instructions are counted, by the name that the table of ceilings has.
struct CountedCall {
    let name: String
    /// Whether every read gets the same row, so that the count is that of the stack alone.
    var isFixed = false
    /// Which calls have lines in the log; nil for a server without a log of calls.
    var log: CallLogOptions?
    /// Which calls are traced; nil for a server that exports no spans.
    var sampling: TraceSampling?
    /// The flags of the `traceparent` with which the calls come; nil if they have none.
    var traceFlags: UInt8?
    /// Calls that are made before, and not counted.
    var before: () throws -> [CountedPlan] = { [] }
    /// The users that streams follow, one each.
    ///
    /// If there are any, the telling of the streams is counted, and the calls are not.
    var watched: [String] = []
    let plan: () throws -> CountedPlan

    /// All calls: the twenty that a back end makes most, some of them in several sizes.
    static var all: [CountedCall] {
        let reads = fixed + checks + profiles + lists + others
        return reads + connect(reads) + writes + events
    }

    /// Some reads in Connect, in protobuf and in JSON.
    private static func connect(_ reads: [CountedCall]) -> [CountedCall] {
        let names = ["CheckFriends.1", "CheckFriends.20", "GetRelations.10", "ListFriends.50"]
        return names.flatMap { name in
            reads.filter { $0.name == name }.flatMap { read in
                [false, true].map { isJSON in
                    CountedCall(name: "\(name).connect" + (isJSON ? ".json" : "")) {
                        try read.plan().inConnect(json: isJSON)
                    }
                }
            }
        }
    }

    /// The call with that name.
    static func named(_ name: String) -> CountedCall? {
        all.first { $0.name == name }
    }

    // MARK: Reads

    private static var fixed: [CountedCall] {
        [
            CountedCall(name: "CheckFriends.1.fixed", isFixed: true) {
                try checks(of: 1, streams: 50, turns: 8)
            },
            CountedCall(name: "CheckFriends.1.fixed.alone", isFixed: true) {
                try checks(of: 1, streams: 1, turns: 100)
            },
            // As a server does unless told otherwise: a call that is not slow has no line.
            CountedCall(name: "CheckFriends.1.fixed.noted", isFixed: true, log: .slow) {
                try checks(of: 1, streams: 50, turns: 8)
            },
            // The access log in full; the text of the lines is the work of another thread.
            CountedCall(name: "CheckFriends.1.fixed.logged", isFixed: true, log: .all) {
                try checks(of: 1, streams: 50, turns: 8)
            },
            // Spans are exported, and the caller keeps no trace.
            CountedCall(
                name: "CheckFriends.1.fixed.untraced", isFixed: true, log: .slow, sampling: .parent
            ) {
                try checks(of: 1, streams: 50, turns: 8)
            },
            // A trace of the server's own; the text of the spans is the work of another thread.
            CountedCall(
                name: "CheckFriends.1.fixed.traced", isFixed: true, log: .slow, sampling: .all
            ) {
                try checks(of: 1, streams: 50, turns: 8)
            },
            // A number in each head, which is then known to no session. Here it is not read.
            CountedCall(name: "CheckFriends.1.fixed.parent", isFixed: true, traceFlags: 0) {
                try checks(of: 1, streams: 50, turns: 8)
            },
            CountedCall(
                name: "CheckFriends.1.fixed.parent.untraced", isFixed: true, log: .slow,
                sampling: .parent, traceFlags: 0
            ) {
                try checks(of: 1, streams: 50, turns: 8)
            },
            CountedCall(
                name: "CheckFriends.1.fixed.parent.traced", isFixed: true, log: .slow,
                sampling: .parent, traceFlags: 1
            ) {
                try checks(of: 1, streams: 50, turns: 8)
            },
            CountedCall(name: "CheckFriends.100.fixed", isFixed: true) {
                try checks(of: 100, streams: 4, turns: 10)
            },
            // More than a loop answers: a reader's thread does.
            CountedCall(name: "CheckFriends.200.fixed", isFixed: true) {
                try checks(of: 200, streams: 4, turns: 10)
            },
        ]
    }

    private static var checks: [CountedCall] {
        [
            CountedCall(name: "CheckFriends.1") { try checks(of: 1, streams: 16, turns: 16) },
            CountedCall(name: "CheckFriends.20") { try checks(of: 20, streams: 8, turns: 4) },
            CountedCall(name: "CheckBlacklist.1") {
                let requests = (0..<64).map { number in
                    CheckBlacklistRequest.with {
                        $0.userID = CountData.hub
                        $0.userIDs = [CountData.user(580 + number)]
                        $0.checkType = .both
                    }
                }
                return try .reads(
                    BlacklistMethods.checkBlacklist, streams: 16, turns: 8, requests
                ) { $0.results.map(\.code) == [.success] }
            },
            CountedCall(name: "CanSend.1") {
                let requests = (0..<64).map { number in
                    CanSendRequest.with {
                        $0.userID = CountData.user(number)
                        $0.userIDs = [CountData.hub]
                    }
                }
                return try .reads(
                    BlacklistMethods.canSend, streams: 16, turns: 8, requests
                ) { $0.results.map(\.code) == [.success] }
            },
        ]
    }

    private static func checks(of ids: Int, streams: Int, turns: Int) throws -> CountedPlan {
        let requests = (0..<256).map { number in
            let others = (0..<ids).map { CountData.user((number * 37 + $0 * 11) % 800) }
            return CheckFriendsRequest.with {
                $0.userID = CountData.owner(number % CountLimits.owners)
                $0.userIDs = others
                $0.checkType = .bidirection
            }
        }
        return try .reads(FriendMethods.checkFriends, streams: streams, turns: turns, requests) {
            $0.results.count == ids && $0.results.allSatisfy { $0.code == .success }
        }
    }

    private static var profiles: [CountedCall] {
        [
            CountedCall(name: "GetProfiles.1") { try profiles(of: 1, streams: 16, turns: 8) },
            CountedCall(name: "GetProfiles.100") { try profiles(of: 100, streams: 1, turns: 8) },
            CountedCall(name: "GetSelfProfile") {
                let requests = (0..<128).map { number in
                    GetSelfProfileRequest.with { $0.userID = CountData.user(number) }
                }
                return try .reads(
                    ProfileMethods.getSelfProfile, streams: 16, turns: 8, requests
                ) { $0.profile?.nick.hasPrefix("The nick") ?? false }
            },
        ]
    }

    private static func profiles(of ids: Int, streams: Int, turns: Int) throws -> CountedPlan {
        let requests = (0..<128).map { number in
            GetProfilesRequest.with {
                $0.userID = CountData.owner(number % CountLimits.owners)
                $0.userIDs = (0..<ids).map { CountData.user((number * 31 + $0) % 500) }
            }
        }
        return try .reads(ProfileMethods.getProfiles, streams: streams, turns: turns, requests) {
            $0.results.count == ids && $0.results.allSatisfy { $0.profile?.nick.isEmpty == false }
        }
    }

    private static var lists: [CountedCall] {
        let owners = (0..<CountLimits.owners).map(CountData.owner)
        let few = CountLimits.ownerFriends
        return [
            CountedCall(name: "ListFriends.50") {
                try .reads(
                    FriendMethods.listFriends, streams: 4, turns: 8,
                    owners.map { owner in
                        ListFriendsRequest.with {
                            $0.userID = owner
                            $0.pageSize = Int32(few)
                        }
                    }
                ) { $0.friends.count == few }
            },
            CountedCall(name: "ListFriends.500.profiles") {
                let many = CountLimits.hubFriends
                let request = ListFriendsRequest.with {
                    $0.userID = CountData.hub
                    $0.pageSize = Int32(many)
                    $0.withProfiles = true
                }
                return try .reads(FriendMethods.listFriends, streams: 1, turns: 4, [request]) {
                    $0.friends.count == many && $0.friends.allSatisfy { $0.profile != nil }
                }
            },
            CountedCall(name: "SyncFriends.50") {
                try .reads(
                    FriendMethods.syncFriends, streams: 4, turns: 8,
                    owners.map { owner in
                        SyncFriendsRequest.with {
                            $0.userID = owner
                            $0.pageSize = Int32(few)
                        }
                    }
                ) { $0.friends.count == few }
            },
            CountedCall(name: "ListBlacklist.50") {
                let request = ListBlacklistRequest.with {
                    $0.userID = CountData.hub
                    $0.pageSize = 50
                }
                return try .reads(
                    BlacklistMethods.listBlacklist, streams: 4, turns: 8, [request]
                ) { $0.entries.count == CountLimits.blacklisted }
            },
            CountedCall(name: "ListApplications.50") {
                let request = ListApplicationsRequest.with {
                    $0.userID = CountData.hub
                    $0.pageSize = 50
                    $0.pendencyType = .comeIn
                }
                return try .reads(
                    ApplicationMethods.listApplications, streams: 4, turns: 8, [request]
                ) { $0.applications.count == CountLimits.applied }
            },
        ]
    }

    private static var others: [CountedCall] {
        let owners = (0..<CountLimits.owners).map { number in
            let friends = (0..<10).map { CountData.friend($0, of: number) }
            return (id: CountData.owner(number), friends: friends)
        }
        return [
            CountedCall(name: "GetFriends.10") {
                let requests = owners.map { owner in
                    GetFriendsRequest.with {
                        $0.userID = owner.id
                        $0.userIDs = owner.friends
                    }
                }
                return try .reads(FriendMethods.getFriends, streams: 8, turns: 8, requests) {
                    $0.results.count == 10 && $0.results.allSatisfy { $0.friendEntry != nil }
                }
            },
            CountedCall(name: "GetRelations.10") {
                let requests = owners.map { owner in
                    GetRelationsRequest.with {
                        $0.userID = owner.id
                        $0.userIDs = owner.friends
                    }
                }
                return try .reads(FriendMethods.getRelations, streams: 4, turns: 8, requests) {
                    $0.results.count == 10
                }
            },
            CountedCall(name: "GetFriendGroups") {
                let request = GetFriendGroupsRequest.with {
                    $0.userID = CountData.hub
                    $0.withMembers = true
                }
                return try .reads(GroupMethods.getFriendGroups, streams: 8, turns: 8, [request]) {
                    $0.results.count == 2
                        && $0.results.allSatisfy { $0.userIDs.count == CountLimits.groupMembers }
                }
            },
            CountedCall(name: "GetSequence") {
                try .reads(
                    ChangeMethods.getSequence, streams: 16, turns: 16,
                    owners.map { owner in GetSequenceRequest.with { $0.userID = owner.id } }
                ) { $0.friendsSequence > 0 }
            },
            CountedCall(
                name: "GetPresence.10",
                before: {
                    let reports = (0..<CountLimits.users).map { report($0, online: true) }
                    return [try reporting(reports, batch: 50, turns: 0)]
                }
            ) {
                let requests = owners.map { owner in
                    GetPresenceRequest.with {
                        $0.userID = owner.id
                        $0.userIDs = owner.friends
                    }
                }
                return try .reads(PresenceMethods.getPresence, streams: 8, turns: 8, requests) {
                    $0.results.count == 10 && $0.results.allSatisfy { $0.presence?.online ?? false }
                }
            },
        ]
    }
}

extension CallLogOptions {
    fileprivate static var slow: CallLogOptions {
        var options = CallLogOptions()
        options.slowMilliseconds = 1_000
        return options
    }

    fileprivate static var all: CallLogOptions {
        var options = slow
        options.every = 1
        return options
    }
}

extension TraceSampling {
    fileprivate static var parent: TraceSampling { TraceSampling(followsParent: true, share: 0) }
    fileprivate static var all: TraceSampling { TraceSampling(followsParent: true, share: 1) }
}
