import Foundation
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Testing

@testable import RelationCalls
@testable import RelationService

/// The rows that a history adds to writes stand in docs/performance.md.
@Suite struct HistoryCostTests {
    @Test func thePageHasTheRowsOfEachWriteWithAndWithoutAHistory() throws {
        let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
        let page = try String(contentsOfFile: "\(root)/docs/performance.md", encoding: .utf8)
        let lines = page.split(separator: "\n").map(String.init)
        let without = try HistoryCosts(days: 0).costs()
        let with = try HistoryCosts(days: 30).costs()
        for ((name, off), (_, on)) in zip(without, with) {
            let row = "| `\(name)` | \(off.cells) | \(on.cells) |"
            #expect(lines.contains(row), "docs/performance.md should have \(row)")
            #expect(on.written > off.written && on.bytes > off.bytes)
            #expect(on.bytes <= 2 * off.bytes, "\(name) writes more than twice the bytes")
        }
    }
}

/// The rows that writes between two users read and write in an app that keeps a history for so many
/// days.
private struct HistoryCosts {
    struct Cost {
        let read: Int
        let written: Int
        let bytes: Int

        var cells: String { "\(read) | \(written) | \(bytes)" }
    }

    private let tally = WriteTally()
    private let harness: ServiceHarness

    init(days: Int) throws {
        harness = ServiceHarness(try World("A", "B", on: tally))
        try harness.register()
        harness.world.settings.historyDays = days
        guard days > 0 else { return }
        harness.source = CallSource(credential: "key:6f1c09d2a4b8e355", address: "private")
    }

    func costs() throws -> [(name: String, cost: Cost)] {
        var add = AddFriendsRequest()
        (add.userID, add.addType) = ("A", .both)
        add.items = [AddFriend.with { $0.userID = "B" }]
        var update = UpdateFriendsRequest()
        update.userID = "A"
        var item = FriendUpdate()
        (item.userID, item.starred) = ("B", true)
        item.updateMask = FieldMask(["starred"])
        update.items = [item]
        var group = CreateFriendGroupsRequest()
        (group.userID, group.names) = ("A", ["work"])
        var follow = FollowRequest()
        (follow.userID, follow.userIDs) = ("A", ["B"])
        var profile = UpdateProfileRequest()
        profile.userID = "B"
        profile.profile = Profile.with { $0.nick = "Bob" }
        profile.updateMask = FieldMask(["nick"])
        var block = AddToBlacklistRequest()
        (block.userID, block.userIDs) = ("A", ["B"])
        return [
            ("AddFriends", try cost(FriendMethods.addFriends, add, FriendHandlers.addFriends)),
            (
                "UpdateFriends",
                try cost(FriendMethods.updateFriends, update, FriendHandlers.updateFriends)
            ),
            (
                "CreateFriendGroups",
                try cost(GroupMethods.createFriendGroups, group, GroupHandlers.create)
            ),
            ("Follow", try cost(FollowMethods.follow, follow, FollowHandlers.follow)),
            (
                "UpdateProfile",
                try cost(ProfileMethods.updateProfile, profile, ProfileHandlers.update)
            ),
            (
                "AddToBlacklist",
                try cost(BlacklistMethods.addToBlacklist, block, BlacklistHandlers.add)
            ),
        ]
    }

    /// The clock goes on by a second before each call, which has a request id of 16 bytes.
    private func cost<Request: WriteRequest, Response: WriteResponse>(
        _ method: Protobuf.Method<Request, Response>, _ request: Request,
        _ handler: @escaping (Request, Call, inout Violations) -> Work<Response>
    ) throws -> Cost {
        harness.world.advance(milliseconds: 1_000)
        _ = tally.take()
        var options = WriteOptions()
        // Another for each call: one that was used belongs to its call.
        options.requestID = String(method.path.suffix(16))
        let step = ServiceStep(method, request, handler)
        guard case .response(_, applied: true, _) = try step.send(to: harness, options) else {
            throw CallFailed(step: "\(step)")
        }
        let (counts, bytes) = tally.takeWithBytes()
        return Cost(read: counts.read + counts.scanned, written: counts.written, bytes: bytes)
    }

    private struct CallFailed: Error {
        let step: String
    }
}
