import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationService

/// A write that names the sequence up to which its caller knows the list.
@Suite struct ExpectedSequenceTests {
    private let users = WriteScenario.users + ["G", "H", "ghost"]

    private static func list(of scenario: WriteScenario) -> WrittenList {
        switch scenario.testDescription {
        case "RespondToApplications": .pendencies
        case "AddToBlacklist", "RemoveFromBlacklist": .blacklist
        case "AddFriendsToGroup", "RemoveFriendsFromGroup": .groups
        default: .friends
        }
    }

    private func expectStale(
        _ result: Result<WriteScenario.Answer, RPCError>, at sequence: Int64
    ) throws {
        guard case .failure(let error) = result else {
            Issue.record("a list that changed was written")
            return
        }
        #expect(error.code == .aborted)
        let details = try error.unpacked()
        #expect(details.reason == "SEQUENCE_STALE")
        #expect(details.metadata == ["sequence": "\(sequence)"])
    }

    /// The list's own sequence holds, and so does every later one that the log has reached.
    @Test(arguments: WriteScenario.all, WriteOptionsTests.combinations)
    func aListThatTheCallerKnowsIsWritten(
        _ scenario: WriteScenario, _ options: WriteOptions
    ) throws {
        let plain = try WriteScenario.harness()
        let indices = Array(0..<scenario.count)
        let wanted = try scenario.send(plain, options, indices).get()
        let userRecord = try #require(try WriteScenario.harness().world.userRecord(of: "A"))
        let last = userRecord.lastChange(of: Self.list(of: scenario))
        var tried: Set<Int64> = [last, userRecord.sequence]
        tried.insert((last + userRecord.sequence) / 2)
        for known in tried {
            var expecting = options
            expecting.expectedSequence = known
            let harness = try WriteScenario.harness()
            #expect(try scenario.send(harness, expecting, indices).get() == wanted)
        }
    }

    @Test(arguments: WriteScenario.all, WriteOptionsTests.combinations)
    func aListThatChangedSinceIsLeftAlone(
        _ scenario: WriteScenario, _ options: WriteOptions
    ) throws {
        let harness = try WriteScenario.harness()
        let userRecord = try #require(try harness.world.userRecord(of: "A"))
        let last = userRecord.lastChange(of: Self.list(of: scenario))
        let before = try harness.world.snapshot(of: users)
        for known in Set([last - 1, 0, userRecord.sequence + 1, .max])
        where known != last && known >= 0 {
            var expecting = options
            expecting.expectedSequence = known
            // A malformed item makes no difference: no rule of the call is asked.
            for indices in [[0], [scenario.count - 1]] {
                try expectStale(scenario.send(harness, expecting, indices), at: last)
            }
        }
        #expect(try harness.world.snapshot(of: users) == before)
    }

    @Test(arguments: WriteScenario.all)
    func aRepeatedRequestGetsItsAnswerThoughTheListHasChanged(_ scenario: WriteScenario) throws {
        let harness = try WriteScenario.harness()
        var options = WriteOptions()
        options.requestID = "r1"
        options.expectedSequence = try harness.world.userRecord(of: "A")?.sequence
        var wanted = try scenario.send(harness, options, [0]).get()
        #expect(wanted.applied && !wanted.replayed)
        wanted.replayed = true
        #expect(try scenario.send(harness, options, [0]).get() == wanted)
        options.requestID = "r2"
        let last = try #require(try harness.world.userRecord(of: "A"))
        try expectStale(
            scenario.send(harness, options, [0]), at: last.lastChange(of: Self.list(of: scenario)))
    }

    /// The answer of a write holds for the next one, until another change comes between.
    @Test func writesFollowOneAnother() throws {
        let harness = try WriteScenario.harness()
        var options = WriteOptions()
        options.expectedSequence = try harness.world.userRecord(of: "A")?.friendsSequence
        for index in 0..<2 {
            options.expectedSequence =
                try WriteScenario.delete.send(harness, options, [index]).get().sequence
        }
        #expect(try harness.world.update("D", of: "A") { $0.remark = "x" } != .success)
        #expect(try WriteScenario.add.send(harness, options, [0]).get().applied)
        let last = try #require(try harness.world.userRecord(of: "A")).friendsSequence
        try expectStale(WriteScenario.add.send(harness, options, [1]), at: last)
    }

    // MARK: Histories

    /// Of the numbers of an earlier history only the list's own one holds, known or lost.
    @Test func aSequenceOfAnotherHistoryHoldsOnlyForTheListAsItWas() throws {
        let harness = try WriteScenario.harness()
        let world = harness.world
        let old = try #require(try world.userRecord(of: "A"))
        world.settings.history = world.settings.history.renewed(at: world.now)
        // Another list goes on in the new history, so the log passes all numbers of the old one.
        #expect(try world.unblock("F", by: "A") == .success)
        let now = try #require(try world.userRecord(of: "A"))
        #expect(now.sequence > world.settings.history.floor)
        #expect(now.friendsSequence == old.friendsSequence)
        var options = WriteOptions()
        options.dryRun = true
        for lost in [old.friendsSequence + 1, old.sequence, old.sequence + 1]
        where lost != old.friendsSequence {
            options.expectedSequence = lost
            try expectStale(
                WriteScenario.delete.send(harness, options, [0]), at: old.friendsSequence)
        }
        for held in [old.friendsSequence, now.sequence] {
            options.expectedSequence = held
            _ = try WriteScenario.delete.send(harness, options, [0]).get()
        }
    }

    @Test func aUserWithoutAnAccountHasChangedNothing() throws {
        var settings = AppSettings.tim
        settings.makesAccountsImplicitly = true
        let harness = ServiceHarness(try World(settings: settings))
        var options = WriteOptions()
        options.expectedSequence = 1
        try expectStale(WriteScenario.add.send(harness, options, [0]), at: 0)
        options.expectedSequence = 0
        #expect(try WriteScenario.add.send(harness, options, [0]).get().applied)
    }
}
