import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import Storage
import Testing

@testable import RelationRuntime
@testable import RelationService

/// Checks of pairs need no store once the adjacency list of their user is known, and their answers
/// are the same with adjacency lists and without.
@Suite struct AdjacencyReadTests {
    private static func check(_ users: [String]) -> CheckFriendsRequest {
        CheckFriendsRequest.with {
            $0.userID = "ann"
            $0.userIDs = users
        }
    }

    @Test func aCircleThatIsMissedIsLoadedByAReaderAndThenAnswersAlone() async throws {
        let service = try await ReadService()
        var answers: [CheckFriendsResponse] = []
        for _ in 0..<4 {
            answers.append(
                try await service.call(FriendMethods.checkFriends, Self.check(["ann"])))
        }
        #expect(service.store.reads == [.disk])
        #expect(answers.allSatisfy { $0 == answers[0] })
        #expect(answers[0].results.map(\.code) == [.success])
        await service.stop()
    }

    @Test func aLongCheckLoadsAtOnceAndThenStaysOnItsLoop() async throws {
        let service = try await ReadService()
        let users = Array(repeating: "ann", count: 100)
        for _ in 0..<3 {
            let answer = try await service.call(FriendMethods.checkFriends, Self.check(users))
            #expect(answer.results.count == users.count)
        }
        #expect(service.store.reads == [.disk])
        await service.stop()
    }

    @Test func aUserThatIsNoAccountIsAlwaysAskedOfTheStore() async throws {
        let service = try await ReadService()
        for _ in 0..<4 {
            let answer = try await service.call(
                FriendMethods.checkFriends, Self.check(["ann", "ghost"]))
            #expect(answer.results.map(\.code) == [.success, .accountNotFound])
        }
        #expect(service.store.reads == [.disk, .memory, .memory, .memory])
        await service.stop()
    }

    @Test func withoutMemoryEveryCheckReadsTheStore() async throws {
        let service = try await ReadService(memory: ReadCache(hasAdjacency: false))
        for _ in 0..<3 {
            _ = try await service.call(FriendMethods.checkFriends, Self.check(["ann"]))
        }
        #expect(service.store.reads == [.memory, .memory, .memory])
        await service.stop()
    }

    @Test func theOtherChecksAskCirclesToo() async throws {
        let service = try await ReadService()
        _ = try await service.call(
            FriendMethods.checkFriends, Self.check(Array(repeating: "ann", count: 100)))
        let reads = service.store.reads
        let send = try await service.call(
            BlacklistMethods.canSend,
            CanSendRequest.with {
                $0.userID = "ann"
                $0.userIDs = ["ann", " "]
            })
        #expect(send.results.map(\.code) == [.success, .invalidParameter])
        let block = try await service.call(
            BlacklistMethods.checkBlacklist,
            CheckBlacklistRequest.with {
                $0.userID = "ann"
                $0.userIDs = ["ann"]
                $0.checkType = .both
            })
        #expect(block.results.map(\.relation) == [BlacklistRelation.none])
        #expect(service.store.reads == reads)
        await service.stop()
    }

    @Test func cardsOfManyUsersNeedNoStoreOnceTheyAreKnown() async throws {
        let service = try await ReadService()
        let request = GetRelationsRequest.with {
            $0.userID = "ann"
            $0.userIDs = Array(repeating: "ann", count: 20)
        }
        var answers: [GetRelationsResponse] = []
        for _ in 0..<3 {
            answers.append(try await service.call(FriendMethods.getRelations, request))
        }
        #expect(service.store.reads == [.disk])
        #expect(answers.allSatisfy { $0 == answers[0] })
        #expect(
            answers[0].results.map(\.relation) == Array(repeating: FriendRelation.none, count: 20))
        await service.stop()
    }

    @Test func aReadThatRequiresASequenceAsksTheStore() async throws {
        let service = try await ReadService()
        var request = Self.check(Array(repeating: "ann", count: 100))
        _ = try await service.call(FriendMethods.checkFriends, request)
        request.userIDs = ["ann"]
        var options = ReadOptions()
        options.minSequence = MinSequence.with {
            $0.userID = "ann"
            $0.sequence = 1_000
        }
        request.options = options
        await #expect(throws: (any Error).self) {
            _ = try await service.call(FriendMethods.checkFriends, request)
        }
        await service.stop()
    }
}
