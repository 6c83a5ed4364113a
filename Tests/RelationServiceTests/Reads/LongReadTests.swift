import Dispatch
import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import Storage
import Synchronization
import Testing

@testable import RelationRuntime
@testable import RelationService

/// The place where a call runs depends on how much it asks for: its loop if that is little, and
/// otherwise a thread for long reads, so that no other caller waits for it.
@Suite struct LongReadTests {
    /// The calls whose requests cannot ask for much.
    private static let short: Set<String> = [
        ProfileMethods.getSelfProfile.path, ProfileMethods.findProfileByUniqueID.path,
        ConsentMethods.readUser.path,
        ChangeMethods.getSequence.path, AppMethods.getApp.path, AppMethods.getLimits.path,
        AccountMethods.getDeletion.path, InvitationMethods.getInvitation.path,
        ProfileMethods.getFindSettings.path, ProfileMethods.getContactDigests.path,
        ModerationMethods.explainSend.path, ModerationMethods.explainCheckFriend.path,
        ModerationMethods.explainUpdateProfile.path,
    ]

    @Test func everyCallThatReadsSaysHowMuch() throws {
        let calls = try SizedCall.all.get()
        let reads = ServiceTable.all.filter {
            $0.shape == .unary && ($0.access == .read || $0.access == .scan)
        }
        #expect(Set(calls.map(\.path)) == Set(reads.map(\.path)))
        #expect(calls.count == reads.count)
        for call in calls {
            let isShort =
                switch call.size {
                case .rows(let count): count <= RuntimeLimits.rowsOnLoop
                case .scan: false
                }
            #expect(isShort == Self.short.contains(call.path), "\(call.path)")
        }
    }

    @Test(arguments: try SizedCall.all.get().filter { !LongReadTests.short.contains($0.path) })
    func aLoopAnswersOthersWhileALongCallIsRead(_ call: SizedCall) async throws {
        let service = try await ReadService()
        service.store.holdsDisk.store(true, ordering: .relaxed)
        async let answer = service.answer(call.path, call.bytes)
        await service.store.begun.wait()
        // The server has one loop, and the call stands still in the store.
        #expect(try await service.nick() == "Ann")
        service.store.gate.signal()
        _ = await answer
        #expect(service.store.reads.prefix(2) == [.disk, .memory])
        await service.stop()
    }

    @Test(arguments: try SizedCall.all.get().filter { LongReadTests.short.contains($0.path) })
    func aCallThatCannotAskForMuchStaysOnItsLoop(_ call: SizedCall) async throws {
        let service = try await ReadService()
        _ = await service.answer(call.path, call.bytes)
        #expect(service.store.reads == [.memory])
        await service.stop()
    }

    /// The calls whose bytes show how many users they name.
    private static let naming: Set<String> = [
        AccountMethods.checkAccounts.path, FriendMethods.checkFriends.path,
        FriendMethods.getFriends.path, FriendMethods.getRelations.path,
        BlacklistMethods.checkBlacklist.path, BlacklistMethods.canSend.path,
        ProfileMethods.getProfiles.path, SubscriptionMethods.querySubscriptions.path,
        PresenceMethods.getPresence.path, FollowMethods.checkFollows.path,
        FollowMethods.getFollowCounts.path,
    ]

    @Test func theBytesOfARequestTellHowMuchItAsksForBeforeTheyAreDecoded() throws {
        for call in try SizedCall.all.get() {
            let least = (0...20_000).first { !call.asksForMore($0) }
            guard Self.naming.contains(call.path) else {
                #expect(least == 0, "\(call.path)")
                continue
            }
            #expect(call.size == .rows(least ?? -1), "\(call.path)")
        }
    }

    /// A check that is only known to be long by its bytes, because it cannot be decoded.
    @Test func aRequestThatIsTooLongForItsLoopIsNotDecodedThere() async throws {
        let service = try await ReadService(threads: 1)
        let gate = hold(service)
        let users = RuntimeLimits.cachedRowsOnLoop / 3 + 1
        let request = CheckFriendsRequest.with {
            $0.userID = "ann"
            $0.userIDs = (0..<users).map { "u\($0)" }
        }
        #expect(
            try ReadService.bytes(FriendMethods.checkFriends, request).count + 3
                <= RuntimeLimits.requestBytesOnLoop)
        let method = FriendMethods.checkFriends
        let bytes = try ReadService.bytes(method, request) + [0x1A, 0x01, 0xFF]
        async let answer = service.answer(method.path, bytes)
        while service.readers.long.waitingCount == 0 {
            #expect(try await service.nick() == "Ann")
        }
        gate.signal()
        guard case .failure(let error) = await answer else {
            Issue.record("an id that is not a text was taken")
            return await service.stop()
        }
        #expect(error.code == .internalError)
        await service.stop()
    }

    @Test(arguments: [(false, RuntimeLimits.rowsOnLoop), (true, RuntimeLimits.heldRowsOnLoop)])
    func aCheckLeavesItsLoopFromTheFirstUserBeyondTheLimitOfItsStore(
        _ holdsRows: Bool, _ rows: Int
    ) async throws {
        let service = try await ReadService(
            holdsRows: holdsRows, memory: ReadCache(hasAdjacency: false))
        let method = FriendMethods.checkFriends
        for (users, reach) in [(rows / 3, Reach.memory), (rows / 3 + 1, .disk)] {
            let request = CheckFriendsRequest.with {
                $0.userID = "ann"
                $0.userIDs = (0..<users).map { "u\($0)" }
            }
            let length = try ReadService.bytes(method, request).count
            #expect(length <= RuntimeLimits.requestBytesOnLoop)
            let answer = try await service.call(method, request)
            #expect(answer.results.map(\.userID) == request.userIDs)
            #expect(service.store.reads.last == reach)
        }
        await service.stop()
    }

    @Test func aCheckThatCirclesAnswerLeavesItsLoopFromTheFirstUserBeyondTheirLimit()
        async throws
    {
        let service = try await ReadService()
        let method = FriendMethods.checkFriends
        let users = RuntimeLimits.cachedRowsOnLoop / 3
        // A malformed id needs no account.
        var request = CheckFriendsRequest.with { $0.userID = "ann" }
        request.userIDs = (0..<users).map { _ in " " }
        // The first call notes that the adjacency list is missed, or loads it; the second one loads
        // it.
        for _ in 0..<2 { _ = try await service.call(method, request) }
        let reads = service.store.reads.count
        #expect(try await service.call(method, request).results.count == users)
        #expect(service.store.reads.count == reads)
        request.userIDs.append(" ")
        #expect(try await service.call(method, request).results.count == users + 1)
        #expect(service.store.reads.last == .disk)
        await service.stop()
    }

    /// A store that holds its rows makes the look-ups cheap, and not all that other reads do.
    @Test(arguments: [false, true])
    func aReadLeavesItsLoopFromTheFirstRowBeyondTheLimit(_ holdsRows: Bool) async throws {
        let service = try await ReadService(holdsRows: holdsRows)
        var request = CheckAccountsRequest()
        for (count, reach) in [(RuntimeLimits.rowsOnLoop, Reach.memory), (1, .disk)] {
            request.userIDs += (0..<count).map { "user\(request.userIDs.count + $0)" }
            let answer = try await service.call(AccountMethods.checkAccounts, request)
            #expect(answer.results.count == request.userIDs.count)
            #expect(service.store.reads.last == reach)
        }
        await service.stop()
    }

    @Test func aRequestLeavesItsLoopFromTheFirstByteBeyondTheLimit() async throws {
        let service = try await ReadService()
        var request = GetSelfProfileRequest()
        request.userID = "ann"
        let method = ProfileMethods.getSelfProfile
        let own = try ReadService.bytes(method, request).count
        for (bytes, reach) in [(0, Reach.memory), (1, .disk)] {
            let padding = RuntimeLimits.requestBytesOnLoop + bytes - own
            let answer = try await service.call(
                method, request, padding: Self.unknownField(bytes: padding))
            #expect(answer.profile?.nick == "Ann")
            #expect(service.store.reads.last == reach)
        }
        await service.stop()
    }

    /// A field of number 1,000 that takes `bytes` in all, more than 131.
    private static func unknownField(bytes: Int) -> [UInt8] {
        let length = bytes - 4
        let userRecord: [UInt8] = [0xC2, 0x3E, UInt8(length & 0x7F | 0x80), UInt8(length >> 7)]
        return userRecord + [UInt8](repeating: 0, count: length)
    }

    @Test func noMoreLongReadsWaitThanTheirLimit() {
        let readers = ReaderPools(threads: 1).long
        let gate = DispatchSemaphore(value: 0)
        let begun = DispatchSemaphore(value: 0)
        let held = readers.submit(of: 1) { _ in
            begun.signal()
            gate.wait()
        }
        #expect(held != nil)
        begun.wait()
        // One app gets half of the room.
        for _ in 0..<RuntimeLimits.waitingLongReads / 2 {
            guard readers.submit(of: 1, { _ in }) != nil else {
                Issue.record("a read within the limit is refused")
                break
            }
        }
        #expect(readers.submit(of: 1) { _ in } == nil)
        #expect(readers.submit(of: 2) { _ in } != nil)
        gate.signal()
        readers.close()
    }

    // MARK: Long writes

    private static func blocking(_ count: Int) -> AddToBlacklistRequest {
        var request = AddToBlacklistRequest()
        request.userID = "ann"
        request.userIDs = (0..<count).map { "\($0)" }
        return request
    }

    /// Holds the only thread for long reads of `service` until the semaphore is signalled.
    private func hold(_ service: ReadService) -> DispatchSemaphore {
        let gate = DispatchSemaphore(value: 0)
        let begun = DispatchSemaphore(value: 0)
        let ticket = service.readers.long.submit(of: 1) { _ in
            begun.signal()
            gate.wait()
        }
        #expect(ticket != nil)
        begun.wait()
        return gate
    }

    @Test(arguments: [
        // Long to understand, and long to encode.
        1_000,
        // Only long to encode: its ids are short.
        200,
    ])
    func aLoopAnswersOthersWhileALongWriteWaitsForAThread(_ count: Int) async throws {
        let service = try await ReadService(threads: 1)
        let request = Self.blocking(count)
        let method = BlacklistMethods.addToBlacklist
        let isLong =
            try ReadService.bytes(method, request).count > RuntimeLimits.requestBytesOnLoop
        #expect(isLong == (count == 1_000))
        let gate = hold(service)
        async let answer = service.call(method, request)
        while service.readers.long.waitingCount == 0 {
            #expect(try await service.nick() == "Ann")
        }
        gate.signal()
        #expect(try await answer.results.count == count)
        await service.stop()
    }

    @Test func aCommittedWriteIsAnsweredThoughNoThreadEncodesTheAnswer() async throws {
        let service = try await ReadService(threads: 1)
        service.readers.long.close()
        let request = Self.blocking(200)
        let answer = try await service.call(BlacklistMethods.addToBlacklist, request)
        #expect(answer.results.count == 200)
        await service.stop()
    }

    @Test func aLongWriteIsRefusedIfNoThreadTakesIt() async throws {
        let service = try await ReadService(threads: 1)
        service.readers.long.close()
        let method = BlacklistMethods.addToBlacklist
        let answer = await service.answer(
            method.path, try ReadService.bytes(method, Self.blocking(1_000)))
        guard case .failure(let error) = answer else {
            Issue.record("a write was taken without a thread")
            return await service.stop()
        }
        #expect(error.code == .resourceExhausted)
        await service.stop()
    }

    @Test func aLongRequestIsRefusedAsAShortOneIs() async throws {
        let service = try await ReadService()
        let method = BlacklistMethods.addToBlacklist
        let answer = await service.answer(
            method.path, try ReadService.bytes(method, Self.blocking(1_001)))
        guard case .failure(let error) = answer else {
            Issue.record("a list that is too long was taken")
            return await service.stop()
        }
        #expect(error.code == .invalidArgument)
        await service.stop()
    }
}
