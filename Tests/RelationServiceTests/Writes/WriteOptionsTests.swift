import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCalls
@testable import RelationService

/// Every combination of the options of a write, for every call on several users.
@Suite struct WriteOptionsTests {
    private let users = WriteScenario.users + ["G", "H", "ghost"]

    static let combinations: [WriteOptions] = [false, true].flatMap { dryRun in
        [false, true].flatMap { allOrNothing in
            ["", "r1"].map { id in
                var options = WriteOptions()
                options.dryRun = dryRun
                options.allOrNothing = allOrNothing
                options.requestID = id
                options.deviceID = id.isEmpty ? "" : "phone"
                return options
            }
        }
    }

    @Test(arguments: WriteScenario.all, combinations)
    func theAnswerFollowsFromTheOptions(
        _ scenario: WriteScenario, _ options: WriteOptions
    ) throws {
        let good = Array(0..<scenario.refused)
        for indices in [good, Array(0..<scenario.count)] {
            let harness = try WriteScenario.harness()
            let plain = try harness.copy()
            let real = try scenario.send(plain, WriteOptions(), indices).get()
            let isMixed = indices.count > good.count
            #expect(isMixed != real.results.allSatisfy { [.success, .pending].contains($0.code) })
            let alone = try indices.map { index in
                try scenario.send(try harness.copy(), WriteOptions(), [index]).get().results[0]
            }
            let userRecord = try #require(try harness.world.userRecord(of: "A"))
            let before = try harness.world.snapshot(of: users)

            let answer = try scenario.send(harness, options, indices).get()
            let isRefused = options.allOrNothing && isMixed
            let isWritten = !options.dryRun && !isRefused
            let answered = isRefused ? alone : real.results
            #expect(answer.results == (isWritten ? answered : answered.map(\.withoutChange)))
            for result in real.results {
                #expect(result.changed == [.success, .pending].contains(result.code))
            }
            #expect(answer.applied == isWritten)
            #expect(answer.applied == answer.results.contains(where: \.changed))
            #expect(!answer.replayed)
            #expect(answer.sequence == (isWritten ? real.sequence : userRecord.sequence))
            let changed = try harness.world.userRecord(of: "A")
            #expect(changed?.sequence == answer.sequence)
            let isKept = !options.requestID.isEmpty && !options.dryRun
            #expect(changed?.answerCount == (isKept ? 1 : 0))
            if !isWritten && !isKept {
                #expect(try harness.world.snapshot(of: users) == before)
            }
            if isWritten && !isKept {
                #expect(try harness.world.snapshot(of: users) == plain.world.snapshot(of: users))
            }
            for event in try harness.world.events(of: "A", after: userRecord.sequence) {
                #expect(event.deviceID == options.deviceID)
                #expect(event.requestID == options.requestID && event.actorUserID == "A")
            }
            #expect(try Audit(harness.world, users).findings == [])
            try sendAgain(scenario, options, indices, answer, isKept: isKept, harness)
        }
    }

    /// Sends the same bytes again: a kept answer comes back and nothing changes, even a day less a
    /// millisecond later.
    private func sendAgain(
        _ scenario: WriteScenario, _ options: WriteOptions, _ indices: [Int],
        _ first: WriteScenario.Answer, isKept: Bool, _ harness: ServiceHarness
    ) throws {
        guard isKept else { return }
        let before = try harness.world.snapshot(of: users)
        harness.world.advance(milliseconds: 24 * 3_600 * 1_000 - 1)
        var wanted = first
        wanted.replayed = true
        #expect(try scenario.send(harness, options, indices).get() == wanted)
        #expect(try harness.world.snapshot(of: users) == before)
        let other = try scenario.send(harness, options, [indices[0], indices[0]])
        guard case .failure(let error) = other else {
            Issue.record("another body under the same id was answered")
            return
        }
        #expect(error.code == .invalidArgument)
        #expect(try error.unpacked().reason == "REQUEST_ID_REUSED")
        #expect(try harness.world.snapshot(of: users) == before)
        harness.world.advance(milliseconds: 1)
        #expect(try !scenario.send(harness, options, indices).get().replayed)
        #expect(try Audit(harness.world, users).findings == [])
    }

    @Test(arguments: WriteScenario.all)
    func theSameItemTwiceIsDoneOnceAndAnsweredTwice(_ scenario: WriteScenario) throws {
        let once = try WriteScenario.harness()
        let twice = try once.copy()
        let indices = Array(0..<scenario.count)
        let wanted = try scenario.send(once, WriteOptions(), indices).get()
        let found = try scenario.send(twice, WriteOptions(), indices + indices.reversed()).get()
        #expect(found.results == wanted.results + wanted.results.reversed())
        #expect(found.sequence == wanted.sequence)
        #expect(try twice.world.snapshot(of: users) == once.world.snapshot(of: users))
    }

    @Test(arguments: WriteScenario.all, combinations)
    func anUnknownActingUserIsNotFoundAndNotMade(
        _ scenario: WriteScenario, _ options: WriteOptions
    ) throws {
        let harness = ServiceHarness(try World("B"))
        guard case .failure(let error) = try scenario.send(harness, options, [0]) else {
            Issue.record("A has no account")
            return
        }
        #expect(error.code == .notFound)
        #expect(try error.unpacked().reason == "USER_NOT_FOUND")
        #expect(try harness.world.userRecord(of: "A") == nil)
        #expect(try harness.world.rows(of: Tables.answers, of: "A").isEmpty)
    }

    @Test func anIDIsItsUsersAlone() throws {
        let harness = try WriteScenario.harness()
        let options = WriteOptions.with { $0.requestID = "r1" }
        #expect(try !WriteScenario.delete.send(harness, options, [0]).get().replayed)
        var request = DeleteFriendsRequest()
        request.userID = "B"
        request.options = options
        request.userIDs = ["A"]
        let answer = try harness.write(
            FriendMethods.deleteFriends, request, FriendHandlers.deleteFriends
        ).get()
        #expect(!answer.replayed && answer.applied)
    }
}

extension FriendResult {
    /// The result as a write tells it that does not stand.
    fileprivate var withoutChange: FriendResult {
        var result = self
        result.changed = false
        return result
    }
}
