import Protobuf
import RelationAPI
import RelationCore
import RelationModel

extension CountedCall {
    /// The calls that write, each in batches of one size: so many are one transaction.
    static var writes: [CountedCall] {
        let adds = [(1, 40), (16, 8), (64, 4)].map { batch, turns in
            write(
                "AddFriends.batch\(batch)", FriendMethods.addFriends, batch: batch, turns: turns,
                warmUp: 64 / batch, { $0.results.map(\.code) == [.success] }
            ) {
                let (adder, added) = CountData.unrelatedUsers($1)
                $0 = .adding(added, to: adder)
            }
        }
        return adds + [
            write(
                "DeleteFriends.batch16", FriendMethods.deleteFriends,
                { $0.results.map(\.code) == [.success] }
            ) {
                let (one, other) = CountData.pair($1)
                ($0.userID, $0.userIDs, $0.deleteType) = (one, [other], .both)
            },
            write(
                "UpdateFriends.batch16", FriendMethods.updateFriends,
                { $0.results.map(\.code) == [.success] }
            ) { request, number in
                let (one, other) = CountData.pair(number)
                let item = FriendUpdate.with {
                    ($0.userID, $0.updateMask) = (other, FieldMask(["remark"]))
                    $0.remark = "another remark \(number)"
                }
                (request.userID, request.items) = (one, [item])
            },
            write("UpdateProfile.batch16", ProfileMethods.updateProfile, { $0.code == .success }) {
                $0 = .naming(CountData.user($1), "a new nick \($1)")
            },
            write(
                "RespondToApplications.batch16", ApplicationMethods.respondToApplications,
                { $0.results.map(\.code) == [.success] }
            ) { request, number in
                let (asked, asker) = CountData.asked(number)
                let item = FriendResponse.with {
                    ($0.userID, $0.responseType) = (asker, .agreeAndAdd)
                }
                (request.userID, request.items) = (asked, [item])
            },
            write(
                "ReportPresence.batch16", PresenceMethods.reportPresence,
                { $0.results.map(\.code) == [.success] }
            ) { report(&$0, $1) },
        ] + writesBesideTheGraph
    }

    /// Writes of relations that are not friendships.
    private static var writesBesideTheGraph: [CountedCall] {
        [
            write(
                "Follow.batch16", FollowMethods.follow, { $0.results.map(\.code) == [.success] }
            ) {
                let (follower, followed) = CountData.unrelatedUsers($1)
                ($0.userID, $0.userIDs) = (follower, [followed])
            },
            write(
                "CreateInvitation.batch16", InvitationMethods.createInvitation,
                { $0.code == .success }
            ) {
                $0.userID = CountData.unrelatedUsers($1).0
                ($0.maxUses, $0.expirySeconds) = (1, 3_600)
            },
            write(
                "DismissSuggestions.batch16", FriendMethods.dismissSuggestions,
                { $0.results.map(\.code) == [.success] }
            ) {
                let (owner, dismissed) = CountData.unrelatedUsers($1)
                ($0.userID, $0.userIDs) = (owner, [dismissed])
            },
            write("SetStatus.batch16", PresenceMethods.setStatus, { $0.code == .success }) {
                ($0.userID, $0.text) = (CountData.unrelatedUsers($1).0, "a status \($1)")
            },
        ] + writesAboutFinding
    }

    /// Writes about how users are found, and of what moderators read.
    private static var writesAboutFinding: [CountedCall] {
        [
            write(
                "SetFindSettings.batch16", ProfileMethods.setFindSettings,
                { $0.settings?.byEmail == .noUser }
            ) {
                $0.userID = CountData.unrelatedUsers($1).0
                $0.settings = .with { $0.byEmail = .noUser }
            },
            write(
                "FindContacts.batch16", ProfileMethods.findContacts, { $0.code == .success }
            ) { request, number in
                (request.userID, request.kind) = (CountData.unrelatedUsers(number).0, .phone)
                // No user has one of these digests.
                let byte = UInt8(truncatingIfNeeded: number)
                request.digests = (0..<UInt8(10)).map { place in
                    [place, byte] + [UInt8](repeating: 7, count: Limits.contactDigestBytes - 2)
                }
            },
            write("ReportUser.batch16", ModerationMethods.reportUser, { $0.code == .success }) {
                ($0.userID, $0.reportedUserID) = CountData.unrelatedUsers($1)
                $0.category = .spam
            },
        ]
    }

    /// Some of these writes in an app that keeps a history.
    ///
    /// `make bench-check` holds them to 1.3 times the instructions of those without it.
    static var histories: [CountedCall] {
        let names = ["AddFriends.batch16", "UpdateFriends.batch16", "Follow.batch16"]
        return writes.filter { names.contains($0.name) }.map { write in
            var call = CountedCall(name: write.name + ".history", plan: write.plan)
            call.app.settings.historyDays = 30
            return call
        }
    }

    /// An event that goes alone to its stream, of additions of users who follow their own changes.
    ///
    /// Each user is notified of one event before, since a stream's first one costs more.
    static var events: [CountedCall] {
        let (batch, turns) = (64, 4)
        let users = batch * turns
        let pairs = (0..<users).map(CountData.unrelatedUsers)
        return [
            CountedCall(name: "Watch.event", watched: pairs.flatMap { [$0.0, $0.1] }) {
                let requests = (0..<2 * users).map { number in
                    AddFriendsRequest.adding(
                        pairs[(number + number / users) % users].1, to: pairs[number % users].0)
                }
                var plan = try CountedPlan.writes(
                    FriendMethods.addFriends, batch: batch, turns: turns, warmUp: turns, requests
                ) { $0.results.map(\.code) == [.success] }
                plan.events = 2
                return plan
            }
        ]
    }
}
