import Memory
import Meters
import NIOCore
import NIOEmbedded
import Protobuf
import RelationAPI
import RelationAdmission
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import GRPC
@testable import GRPCWire
@testable import RelationCalls
@testable import RelationChanges
@testable import RelationRuntime
@testable import RelationService

/// Streams of changes, moved by hand: waits, bounds, and no memory that is left behind.
@Suite struct WatchTests {
    // MARK: Joining

    @Test func aStreamTellsTheStateAndThenEveryEventOnce() throws {
        let harness = try WatchHarness("ann")
        let client = try harness.connect()
        try harness.change("ann")
        let stream = try client.watch("ann")
        try harness.settle()
        #expect(client[stream].responses.last?.event?.kind == .syncCompleted)
        #expect(client.sequences(stream) == [])
        for _ in 0..<3 { try harness.change("ann") }
        try harness.settle()
        #expect(client.sequences(stream) == [2, 3, 4])
    }

    @Test func whatTheStateHeldIsNotSentAgain() throws {
        let harness = try WatchHarness("ann")
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.exchange()
        // The hub knows the stream and gets this event, and the state has it too.
        try harness.change("ann")
        try harness.settle()
        #expect(client[stream].responses.contains { $0.event?.sequence == 1 })
        try harness.change("ann")
        try harness.settle()
        #expect(client.sequences(stream) == [2])
    }

    @Test func whatComesWhileTheStateIsReadIsKeptForAfterIt() throws {
        let harness = try WatchHarness("ann")
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.settleHub()
        // The first turn takes the moment of the store; later events are not in it.
        #expect(harness.work.runRead())
        try harness.settleHub()
        try harness.change("ann")
        try harness.change("ann")
        try harness.settleHub()
        #expect(client.sequences(stream) == [])
        try harness.settle()
        #expect(client.sequences(stream) == [1, 2])
    }

    @Test func aStreamThatCannotKeepAllReadsTheRestFromTheLog() throws {
        let harness = try WatchHarness("ann")
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.settleHub()
        #expect(harness.work.runRead())
        try harness.settleHub()
        let count = WatchLimits.keptEvents + 10
        for _ in 0..<count { try harness.change("ann") }
        try harness.settle()
        #expect(client.sequences(stream) == Array(1...Int64(count)))
    }

    @Test func aHubThatMustForgetSendsItsStreamsToTheLog() throws {
        let harness = try WatchHarness("ann", "bob", events: 10)
        let client = try harness.connect()
        let anns = try client.watch("ann")
        let bobs = try client.watch("bob")
        try harness.settle()
        for _ in 0..<25 { try harness.change("ann") }
        try harness.change("bob")
        try harness.settle()
        #expect(client.sequences(anns) == Array(1...25))
        #expect(client.sequences(bobs) == [1])
        try harness.change("ann")
        try harness.settle()
        #expect(client.sequences(anns) == Array(1...26))
        let counts = harness.hub.counts()
        #expect(counts.events == 27)
        #expect(counts.overflows == 2)
        #expect(counts.behind == 2)
        #expect(counts.resyncs == 0)
        #expect((counts.streams, counts.waitingEvents) == (2, 0))
        #expect(counts.lags.count >= 1)
    }

    @Test func aTokenIsTheSamePositionHoweverTheStreamCameThere() throws {
        let harness = try WatchHarness("ann", "bob")
        let client = try harness.connect()
        let live = try client.watch("ann")
        try harness.settle()
        for _ in 0..<5 { try harness.change("ann") }
        try harness.settle()
        let tokens = client[live].responses.suffix(5).map(\.token)
        for (index, token) in tokens.enumerated() {
            let again = try client.watch("ann", token: token)
            try harness.settle()
            #expect(client.sequences(again) == Array(Int64(index + 2)..<6))
        }
    }

    // MARK: Slow clients

    @Test func aStalledReaderLosesItsStreamAndNoOtherWaits() throws {
        let harness = try WatchHarness("ann", "bob")
        let stalled = try harness.connect(window: 65_535)
        let quick = try harness.connect()
        let slow = try stalled.watch("ann")
        let fast = try quick.watch("ann")
        try harness.settle()
        stalled.takes = false
        var count = 0
        while stalled[slow].status == nil, harness.hub.streamCount == 2 {
            try harness.change("ann", bytes: 400)
            count += 1
            try harness.settle()
            // No stream waits for the one whose client takes nothing.
            #expect(quick.sequences(fast).count == count)
            for call in harness.openCalls {
                #expect(call.queuedBytes <= WatchLimits.queuedBytes)
            }
            try #require(count < 2_000)
        }
        // The waiting messages come first, and then the token to continue from.
        stalled.takes = true
        stalled.payAll()
        try harness.settle()
        #expect(stalled[slow].status == "10")
        #expect(stalled[slow].reason == "SLOW_READER")
        let got = stalled.sequences(slow)
        #expect(got == Array(1...Int64(got.count)))
        let again = try stalled.watch("ann", token: stalled[slow].token)
        try harness.settle()
        #expect(stalled.sequences(again) == Array(Int64(got.count + 1)...Int64(count)))
    }

    @Test func aReaderOfOneByteAtATimeIsBoundedAndEnds() throws {
        let harness = try WatchHarness("ann")
        let client = try harness.connect(window: 65_535)
        let stream = try client.watch("ann")
        try harness.settle()
        client.takes = false
        var count = 0
        while harness.hub.streamCount == 1 {
            try harness.change("ann", bytes: 400)
            try client.allow(1, on: stream)
            try harness.settle()
            for call in harness.openCalls {
                #expect(call.queuedBytes <= WatchLimits.queuedBytes)
            }
            count += 1
            try #require(count < 2_000)
        }
        #expect(harness.hub.isIdle)
    }

    @Test(arguments: [false, true])
    func aStateThatIsNotTakenEndsInTimeAndBeginsAnew(afterResync: Bool) throws {
        let harness = try WatchHarness("ann")
        try harness.befriend("ann", count: 1_500)
        let client = try harness.connect(window: 65_535)
        client.takes = false
        // The token is of a store that was further; this store reaches that position later.
        let position = try harness.world.feedState().position + 3
        let token =
            afterResync ? ResumeToken.text(of: position, sign: harness.world.app.tokenSign) : ""
        let stream = try client.watch("ann", token: token)
        try harness.settle()
        for call in harness.openCalls { #expect(call.queuedBytes < 2 * CallLimits.highWaterBytes) }
        try harness.tick(after: WatchLimits.openingMs - 1)
        #expect(harness.hub.streamCount == 1)
        try harness.tick(after: 1)
        #expect(harness.hub.streamCount == 0)
        client.takes = true
        client.payAll()
        try harness.settle()
        #expect(client[stream].reason == "SLOW_READER")
        #expect((client[stream].responses.first?.event?.kind == .resync) == afterResync)

        // A stream cannot continue from a message that was not taken whole, however far the store
        // is.
        for _ in 0..<5 { try harness.change("ann") }
        try harness.settle()
        let again = try client.watch("ann", token: client[stream].token)
        try harness.settle()
        let notified = client[again].responses.compactMap(\.event)
        #expect(
            notified.filter { $0.kind == .resync }.count == 1 && notified.first?.kind == .resync)
        #expect(
            Set(notified.flatMap(\.items).compactMap(\.friendEntry).map(\.userID)).count == 1_500)
        #expect(notified.last?.kind == .syncCompleted)
        #expect(client.sequences(again) == [], "the state has them")
        try harness.change("ann")
        try harness.settle()
        #expect(
            client.sequences(again) == [
                try #require(try harness.world.userRecord(of: "ann")).sequence
            ])
    }

    @Test func aStreamThatFallsBehindAgainAndAgainEndsAndCanGoOn() throws {
        // Every change is more than may wait: each sends the stream to the log once more.
        let harness = try WatchHarness("ann", events: 0)
        let client = try harness.connect()
        let stream = try client.watch("ann")
        var count: Int64 = 0
        repeat {
            try harness.settleHub()
            guard harness.work.runRead() else { break }
            // The moment is taken: this event is not in it.
            try harness.change("ann")
            count += 1
            try #require(count < 1_000)
        } while client[stream].status == nil
        try harness.settle()
        #expect(client[stream].status == "10" && client[stream].reason == "SLOW_READER")
        // Each round of reading has ended with a message without an event.
        let ends = client[stream].responses.filter { $0.event == nil }
        #expect(ends.count == WatchLimits.rounds)
        let again = try client.watch("ann", token: client[stream].token)
        try harness.settle()
        #expect(client.sequences(stream) + client.sequences(again) == Array(1...count))
    }

    @Test func aStreamNamesNoMoreKindsThanTheirLimit() throws {
        let harness = try WatchHarness("ann")
        let client = try harness.connect()
        var request = WatchRequest()
        request.scope = .userID("ann")
        request.kinds = Array(repeating: .addFriend, count: Limits.watchKinds)
        let most = try client.watch(request)
        request.kinds.append(.addFriend)
        let more = try client.watch(request)
        try harness.settle()
        #expect(client[most].status == nil && !client[most].token.isEmpty)
        #expect(client[more].status == "3")
    }

    // MARK: Bounds

    @Test func aThousandStreamsOpenedAndResetLeaveNothing() throws {
        let harness = try WatchHarness("ann")
        let client = try harness.connect()
        for round in 0..<10 {
            let ids = try (0..<100).map { _ in try client.watch("ann") }
            // Some streams are reset before anything ran, some while they read, some when they are
            // live.
            if round % 3 == 1 { try harness.settleHub() }
            if round % 3 == 2 { try harness.settle() }
            for id in ids { client.reset(id) }
            try harness.settle()
        }
        #expect(harness.hub.streamCount == 0)
        #expect(harness.hub.isIdle)
        #expect(harness.openCalls.isEmpty)
        let stream = try client.watch("ann")
        try harness.settle()
        try harness.change("ann")
        try harness.settle()
        #expect(client.sequences(stream) == [1])
    }

    @Test func noMoreStreamsReadAtOnceThanTheirLimit() throws {
        let harness = try WatchHarness("ann")
        let client = try harness.connect()
        let ids = try (0..<WatchLimits.openingStreams + 8).map { _ in try client.watch("ann") }
        try harness.settleHub()
        #expect(harness.work.waitingReads == WatchLimits.openingStreams, "one turn each at a time")
        try harness.settle()
        for id in ids { #expect(!client[id].token.isEmpty) }
    }

    @Test func noMoreStreamsAreOpenThanTheirLimit() throws {
        let harness = try WatchHarness("ann", streams: 2)
        let client = try harness.connect()
        let ids = try (0..<3).map { _ in try client.watch("ann") }
        try harness.settle()
        #expect(ids.map { client[$0].reason } == ["", "", "OVERLOADED"])
        client.reset(ids[0])
        try harness.settle()
        let stream = try client.watch("ann")
        try harness.settle()
        #expect(!client[stream].token.isEmpty)
    }

    @Test func aStreamWaitsForNoneOfAnotherAppToHaveRead() throws {
        let others: [UInt32] = [8, 9, 10]
        let harness = try WatchHarness("ann", otherApps: others)
        let client = try harness.connect()
        let limit = WatchLimits.openingStreams
        for app in [7] + others.dropLast() {
            for _ in 0..<limit * 3 { _ = try client.watch("ann", app: app) }
            try harness.settleHub()
        }
        #expect(
            harness.work.waitingReads(of: 7) == limit, "an app that is alone uses all its places")
        #expect(harness.work.waitingReads(of: 8) > 0 && harness.work.waitingReads(of: 9) > 0)
        #expect(harness.work.waitingReads < 2 * limit)
        _ = try client.watch("ann", app: 10)
        try harness.settleHub()
        #expect(
            harness.work.waitingReads(of: 10) == 1, "and there is always a place for another app")
    }

    @Test func appsTakeTurnsToHaveTheirStreamsRead() throws {
        let harness = try WatchHarness("ann", otherApps: [8, 9])
        let client = try harness.connect()
        let limit = WatchLimits.openingStreams
        let ids = try (0..<limit * 3).map { _ in try client.watch("ann", app: 7) }
        for _ in 0..<limit * 3 { _ = try client.watch("ann", app: 8) }
        try harness.settleHub()
        // Of the places that become free, the app with fewer streams gets more.
        let before = harness.work.waitingReads(of: 8)
        #expect(harness.work.waitingReads(of: 7) == limit && before < limit)
        for id in ids.prefix(limit) { client.reset(id) }
        try harness.settleHub()
        let (seven, eight) = (harness.work.waitingReads(of: 7), harness.work.waitingReads(of: 8))
        #expect(before < eight && abs(seven - eight) <= 1, "\(seven), \(eight)")
    }

    @Test func anAppLeavesRoomForTheStreamsOfOthers() throws {
        let harness = try WatchHarness("ann", streams: 16, otherApps: [8])
        let client = try harness.connect()
        let ids = try (0..<16).map { _ in try client.watch("ann") }
        try harness.settle()
        let refused = ids.count { client[$0].reason == "OVERLOADED" }
        #expect(refused == 4, "an app that is alone has three quarters")
        // The stream was admitted: its error is that there is no such user.
        let other = try client.watch("ann", app: 8)
        try harness.settle()
        #expect(client[other].reason == "USER_NOT_FOUND")
    }

    // MARK: Time and the end

    @Test func aHeartbeatComesAfterSilenceAndNoSooner() throws {
        let harness = try WatchHarness("ann")
        let client = try harness.connect()
        var request = WatchRequest()
        request.scope = .userID("ann")
        request.heartbeatMs = 5_000
        let stream = try client.watch(request)
        try harness.settle()
        let count = client[stream].responses.count
        try harness.tick(after: 4_000)
        try harness.change("ann")
        try harness.settle()
        try harness.tick(after: 4_000)
        #expect(client[stream].responses.count == count + 1)
        try harness.tick(after: 1_000)
        #expect(client[stream].responses.count == count + 2)
        #expect(client[stream].responses.last?.event == nil)
        #expect(client[stream].responses.last?.token.isEmpty == false)
    }

    @Test(arguments: [false, true])
    func streamsEndWithTheirTokensWhenTheServerStopsOrTheirConnectionIsOld(isOld: Bool) throws {
        let harness = try WatchHarness("ann", connectionAge: isOld ? 100 : nil)
        let client = try harness.connect()
        let live = try client.watch("ann")
        try harness.settle()
        let opening = try client.watch("ann")
        try harness.settleHub()
        try harness.change("ann")
        try harness.settleHub()
        let token = client[live].token
        if isOld {
            harness.eventLoop.advanceTime(by: .seconds(100))
        } else {
            _ = harness.loop.shutDown()
        }
        try harness.settle()
        for id in [live, opening] {
            #expect(client[id].status == "14")
            #expect(client[id].reason == "STOPPING")
        }
        #expect(client[live].token == token)
        #expect(
            client[opening].token
                == ResumeToken.text(of: ResumeToken.nowhere, sign: harness.world.app.tokenSign))
        #expect(harness.hub.isIdle)
    }

    @Test func theEndsOfAppsAreTheEndsOfTheirStreams() throws {
        let harness = try WatchHarness("ann")
        let client = try harness.connect()
        let stream = try client.watch("ann")
        try harness.settle()
        harness.apps.stage(AppChange(removed: harness.world.app.id))
        harness.apps.publish()
        try harness.tick(after: 1_000)
        #expect(client[stream].reason == "APP_NOT_FOUND")
        #expect(harness.hub.isIdle)
    }

    // MARK: Tokens

    /// An app of that number, in that history.
    private func app(_ id: UInt32, in history: UInt64) -> App {
        var settings = AppSettings.tim
        settings.history.id = history
        return App(id: id, settings: settings)
    }

    @Test(arguments: [0, 1, 127, 128, 300, .max] as [Int64])
    func tokensAreReadAsTheyWereWritten(_ position: Int64) {
        let own = app(7, in: 9)
        let text = ResumeToken.text(of: position, sign: own.tokenSign)
        #expect(text.utf8.count <= min(ResumeToken.mostTextBytes, WatchLimits.tokenBytes))
        #expect(ResumeToken.position(text, of: own) == position)
        #expect(ResumeToken.position(text, of: app(8, in: 9)) == nil)
        // The app was restored, filled anew or filled from elsewhere.
        #expect(ResumeToken.position(text, of: app(7, in: 10)) == ResumeToken.nowhere)
        for length in 0..<text.utf8.count {
            #expect(ResumeToken.position(String(text.prefix(length)), of: own) == nil)
        }
    }

    /// The text of a token with these bytes, as a server without histories digested them.
    private func olderToken(_ bytes: [UInt8], digestedWith sign: UInt32) -> String {
        var bytes = bytes
        let mark = bytes.withUnsafeBytes { ResumeToken.check($0, sign) }
        withUnsafeBytes(of: mark.bigEndian) { bytes.append(contentsOf: $0) }
        return bytes.withUnsafeBytes { Base64.text($0) }
    }

    /// A token of 64 positions belongs to a store that this server does not open.
    @Test func aTokenOfTheFirstVersionIsRefused() {
        let text = olderToken([1, 0, 0, 0, 0, 0, 0, 0, 1, 5], digestedWith: 7)
        #expect(ResumeToken.position(text, of: app(7, in: 0)) == nil)
    }

    /// An upgrade in place leaves streams where they stood; every other way to a new history does
    /// not.
    @Test func aTokenOfAServerWithoutHistoriesCountsAfterAnUpgradeAlone() {
        var settings = AppSettings.tim
        settings.history.id = 9
        settings.history.eras = [3, 4]
        let tokens = [7, 7 ^ 3, 7 ^ 4].map { olderToken([2, 5], digestedWith: $0) }
        let renewed = App(id: 7, settings: settings)
        let nowhere = ResumeToken.nowhere
        for token in tokens { #expect(ResumeToken.position(token, of: renewed) == nowhere) }
        settings.history.keepsOlderTokens = true
        let upgraded = App(id: 7, settings: settings)
        #expect(tokens.map { ResumeToken.position($0, of: upgraded) } == [nowhere, nowhere, 5])
        #expect(ResumeToken.position(olderToken([2, 5], digestedWith: 8), of: upgraded) == nil)
    }
}
