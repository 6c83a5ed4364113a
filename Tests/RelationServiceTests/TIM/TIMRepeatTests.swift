import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationCalls
import RelationModel
import Testing

@testable import TIMGateway

/// Calls that end without telling whether they are done: the gateway asks once more.
@Suite struct TIMRepeatTests {
    typealias Failure = InsideCalls.Failure
    typealias Command = TIMPiecesTests.Command

    private static let late = Failure(code: "deadline_exceeded", message: "too late")
    private static let users = (0..<250).map { "u\($0)" }

    /// The failures that leave a write open.
    static let open = [
        late, Failure(message: "the connection has ended"),
        Failure(code: "unknown", reason: "OUTCOME_UNKNOWN", message: "the store failed"),
    ]

    /// An item of an answer.
    private struct Item: Equatable {
        let code: Int
        let info: String
        var mayBeDone: Bool { info.hasSuffix("may be done all the same") }
    }

    private func items(of answer: TIMAnswer) throws -> [Item] {
        let body = try TIMBody(answer.text(in: .sns), in: .sns)
        return try body.objects("ResultItem", atMost: TIMLimits.items).map { item in
            Item(code: try item.number("ResultCode"), info: try item.text("ResultInfo"))
        }
    }

    private func error(_ body: () async throws -> TIMAnswer) async -> TIMError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? TIMError
        }
    }

    private func requestIDs(_ calls: FakeTIMCalls) -> [String] {
        calls.made.flatMap { call in
            call.path == FriendMethods.addFriends.path
                ? call.requests(FriendMethods.addFriends.requestCoder).map(\.options)
                : call.requests(FriendMethods.updateFriends.requestCoder).map(\.options)
        }.map { $0?.requestID ?? "" }
    }

    // MARK: Writes

    @Test(arguments: TIMPiecesTests.commands)
    func eachPieceHasARequestIDOfItsOwn(command: Command) async throws {
        let calls = FakeTIMCalls { (_, call) throws(Failure) in .init([command.answer(call)]) }
        _ = try await command.run(try calls.request(command.body, to: .sns))
        #expect(requestIDs(calls) == (1...3).map { "tim-\(FakeTIMCalls.id)-\($0)" })
    }

    @Test func aRequestIDOfTheLongestTextHasRoom() {
        // A request has no more writes than items.
        let longest = "tim-\(FakeTIMCalls.id)-\(TIMLimits.items)"
        #expect(FakeTIMCalls.id.utf8.count == TIMLimits.requestIDBytes)
        #expect(longest.utf8.count <= Limits.requestIDBytes)
    }

    @Test(arguments: TIMPiecesTests.commands, open)
    func aCallThatIsLeftOpenIsMadeOnceMoreUnderItsID(
        command: Command, failure: Failure
    ) async throws {
        let calls = FakeTIMCalls { (number, call) throws(Failure) in
            guard number != 2 else { throw failure }
            return .init([command.answer(call)])
        }
        let answer = try await command.run(try calls.request(command.body, to: .sns))
        #expect(try items(of: answer).map(\.code) == Self.users.map { _ in 0 })
        #expect(calls.made.count == 4)
        #expect(calls.made[1].messages == calls.made[2].messages)
        #expect(
            calls.made.map(\.milliseconds) == [
                TIMLimits.writeMilliseconds, TIMLimits.writeMilliseconds,
                TIMLimits.repeatMilliseconds, TIMLimits.writeMilliseconds,
            ])
    }

    @Test(arguments: TIMPiecesTests.commands, [late, FakeTIMCalls.overloaded])
    func onlyTheItemsOfACallThatStaysOpenSayThatTheyMayBeDone(
        command: Command, second: Failure
    ) async throws {
        let calls = FakeTIMCalls { (number, call) throws(Failure) in
            guard number > 1 else { return .init([command.answer(call)]) }
            throw number == 2 ? Self.late : second
        }
        let answer = try await command.run(try calls.request(command.body, to: .sns))
        let items = try items(of: answer)
        // The code is that of the first failure; no call comes after the second one.
        #expect(items.map(\.code) == Self.users.indices.map { $0 < 100 ? 0 : 30007 })
        #expect(items.map(\.mayBeDone) == Self.users.indices.map { (100..<200).contains($0) })
        #expect(calls.made.count == 3)
    }

    @Test(arguments: TIMPiecesTests.commands)
    func aFirstCallThatStaysOpenSaysSoOfTheRequest(command: Command) async throws {
        let calls = FakeTIMCalls { (_, _) throws(Failure) in throw Self.late }
        let request = try calls.request(command.body, to: .sns)
        let error = try #require(await error { try await command.run(request) })
        #expect((error.code, error.mayBeDone) == (30007, true))
        let text = String(decoding: TIMAnswer().text(in: .sns, error), as: UTF8.self)
        #expect(text.contains(#""ErrorInfo":"too late; this may be done all the same""#))
        #expect(calls.made.count == 2)
    }

    @Test(arguments: TIMPiecesTests.commands)
    func aRefusalUnderTheSameIDTellsThatNothingWasDone(command: Command) async throws {
        let calls = FakeTIMCalls { (number, _) throws(Failure) in
            throw number == 1
                ? Self.late
                : Failure(
                    code: "permission_denied", reason: "ACCOUNT_SUSPENDED", message: "suspended")
        }
        let request = try calls.request(command.body, to: .sns)
        let error = try #require(await error { try await command.run(request) })
        #expect((error.code, error.mayBeDone) == (30009, false))
    }

    @Test func aWriteOfTheAppHasNoIDAndIsNotMadeAgain() async throws {
        let calls = FakeTIMCalls { (_, _) throws(Failure) in throw Self.late }
        let request = try calls.request(#"{"DeleteItem": [{"UserID": "u"}]}"#, to: .login)
        let error = try #require(await error { try await AccountCommands.delete(request) })
        #expect(error.mayBeDone)
        let made = calls.made.flatMap { $0.requests(AccountMethods.deleteAccounts.requestCoder) }
        #expect(made.map { $0.options?.requestID ?? "" } == [""])
    }

    @Test func aReadIsNeverLeftOpen() async throws {
        let calls = FakeTIMCalls { (_, _) throws(Failure) in throw Self.late }
        let request = try calls.request(
            #"{"From_Account": "a", "To_Account": ["u"], "CheckType": "CheckResult_Type_Both"}"#,
            to: .sns)
        let error = try #require(await error { try await FriendReads.check(request) })
        #expect((error.code, error.mayBeDone, calls.made.count) == (30007, false, 1))
    }

    @Test(arguments: TIMPiecesTests.commands)
    func itemsThatAreAllRefusedAreNotDone(command: Command) async throws {
        let calls = FakeTIMCalls { (number, call) throws(Failure) in
            guard number == 1 else { throw FakeTIMCalls.overloaded }
            var result = FriendResult()
            (result.code, result.info) = (.accountNotFound, "Err")
            var answer = AddFriendsResponse()
            answer.results = Array(repeating: result, count: 100)
            return .init([FakeTIMCalls.bytes(answer, FriendMethods.addFriends.responseCoder)])
        }
        let request = try calls.request(command.body, to: .sns)
        #expect(await error { try await command.run(request) }?.code == 60007)
    }

    // MARK: Streams

    /// A `friend_import` of five rows, by streams of these answers.
    private func importFriends(
        _ streams: [(answers: [ImportFriendsResponse], failure: Failure?)]
    ) async throws -> (answer: TIMAnswer, sent: [Int], milliseconds: [Int64]) {
        let calls = FakeTIMCalls { (number, _) throws(Failure) in
            guard number > 1 else {
                var known = CheckAccountsResponse()
                var result = CheckAccountResult()
                (result.userID, result.status) = ("a", .imported)
                known.results = [result]
                return .init([
                    FakeTIMCalls.bytes(known, AccountMethods.checkAccounts.responseCoder)
                ])
            }
            let (answers, failure) = streams[number - 2]
            if answers.isEmpty, let failure { throw failure }
            let coder = MaintenanceMethods.importFriends.responseCoder
            return .init(answers.map { FakeTIMCalls.bytes($0, coder) }, failure)
        }
        let rows = (0..<5).map {
            #"{"To_Account": "u\#($0)", "AddSource": "AddSource_Type_Web"}"#
        }
        let body =
            #"{"From_Account": "a", "AddFriendItem": [\#(rows.joined(separator: ", "))]}"#
        let answer = try await FriendCommands.importRows(try calls.request(body, to: .sns))
        return (
            answer, calls.made.dropFirst().map(\.messages.count),
            calls.made.dropFirst().map(\.milliseconds)
        )
    }

    private static func progress(_ row: Int64) -> ImportFriendsResponse {
        var progress = ImportProgress()
        progress.lastDurableRow = row
        var answer = ImportFriendsResponse()
        answer.answer = .progress(progress)
        return answer
    }

    private static func refused(_ number: Int64) -> ImportFriendsResponse {
        var result = ImportRowResult()
        (result.rowNumber, result.code, result.info) = (number, .accountNotFound, "Err")
        var answer = ImportFriendsResponse()
        answer.answer = .row(result)
        return answer
    }

    @Test(arguments: open)
    func rowsThatAStreamHasLeftOpenAreSentOnceMore(failure: Failure) async throws {
        let (answer, sent, milliseconds) = try await importFriends([
            ([Self.refused(1), Self.progress(2)], failure), ([Self.refused(2)], nil),
        ])
        // The second stream has the rows from the third on, and numbers them from 1.
        #expect(try items(of: answer).map(\.code) == [30003, 0, 0, 30003, 0])
        #expect(sent == [5, 3])
        #expect(milliseconds == [TIMLimits.writeMilliseconds, TIMLimits.repeatMilliseconds])
    }

    @Test func rowsThatStayOpenSaySo() async throws {
        let (answer, _, _) = try await importFriends([
            ([Self.progress(2)], Self.late), ([Self.progress(1)], FakeTIMCalls.overloaded),
        ])
        #expect(try items(of: answer).map(\.code) == [0, 0, 0, 30007, 30007])
        #expect(try items(of: answer).map(\.mayBeDone) == [false, false, false, true, true])
    }

    @Test func aStreamThatIsRefusedIsNotSentAgain() async throws {
        let (answer, sent, _) = try await importFriends([
            ([Self.progress(2)], FakeTIMCalls.overloaded)
        ])
        #expect(try items(of: answer).map(\.mayBeDone) == Array(repeating: false, count: 5))
        #expect(sent == [5])
    }

    @Test func aStreamOfWhichTheBeginningIsOpenTooIsSentWholly() async throws {
        let (answer, sent, _) = try await importFriends([([], Self.late), ([], nil)])
        #expect(try items(of: answer).map(\.code) == [0, 0, 0, 0, 0])
        #expect(sent == [5, 5])
        let failed = await error {
            try await importFriends([([], Self.late), ([], Self.late)]).answer
        }
        #expect(failed?.mayBeDone == true)
    }

    @Test func rowsThatAreAllRefusedAreNotDone() async {
        let failed = await error {
            try await importFriends([
                ([Self.refused(1), Self.refused(2)], FakeTIMCalls.overloaded)
            ]).answer
        }
        #expect(failed?.code == 60007)
    }

    // MARK: Accounts

    /// The paths of an import of accounts that asks twice.
    private static let importPaths = [
        AccountMethods.importAccounts.path, AccountMethods.importAccounts.path,
    ]

    /// Answers of a stream of accounts that find these rows.
    private static func existing(_ numbers: [Int64]) -> [[UInt8]] {
        numbers.map { number in
            var result = ImportRowResult()
            (result.rowNumber, result.code, result.reason) = (number, .success, .existed)
            var answer = ImportAccountsResponse()
            answer.answer = .row(result)
            return FakeTIMCalls.bytes(answer, AccountMethods.importAccounts.responseCoder)
        }
    }

    /// Calls of an import of accounts by two streams, of which the second one ends well.
    ///
    /// - Parameters:
    ///   - updates: How many accounts are updated before a call is refused.
    ///   - milliseconds: How long each call takes.
    private static func accountCalls(
        _ first: InsideCalls.Stream, _ second: [[UInt8]], updates: Int = .max,
        taking milliseconds: Int64
    ) -> FakeTIMCalls {
        let calls = FakeTIMCalls { (number, _) throws(Failure) in
            switch number {
            case 1: return first
            case 2: return .init(second)
            default:
                guard number - 2 <= updates else { throw FakeTIMCalls.overloaded }
                let coder = ProfileMethods.updateProfile.responseCoder
                return .init([FakeTIMCalls.bytes(UpdateProfileResponse(), coder)])
            }
        }
        calls.callMilliseconds = milliseconds
        return calls
    }

    private static let twoAccounts =
        #"{"AccountList": [{"UserID": "a", "Nick": "N"}, {"UserID": "b", "Nick": "N"}]}"#

    private func failed(_ answer: TIMAnswer) throws -> [String] {
        let shown = try TIMBody(answer.text(in: .login), in: .login)
        return try shown.textsIfAny("FailAccounts", atMost: 2) ?? []
    }

    /// The first stream may take all of the request's time.
    @Test(arguments: [0, TIMLimits.milliseconds])
    func accountsThatAreThereAfterAnOpenStreamAreUpdated(milliseconds: Int64) async throws {
        let calls = Self.accountCalls(
            .init([], Self.late), Self.existing([1]), taking: milliseconds)
        let request = try calls.request(#"{"UserID": "u", "Nick": "N"}"#, to: .login)
        _ = try await AccountCommands.importOne(request)
        #expect(calls.made.map(\.path) == Self.importPaths + [ProfileMethods.updateProfile.path])
    }

    @Test func updatesAfterTheTimeOfTheRequestBeginWithinTheTimeOfTheRepetition() async throws {
        for (milliseconds, left) in [
            (TIMLimits.repeatMilliseconds - 1, []), (TIMLimits.repeatMilliseconds, ["b"]),
        ] {
            let calls = Self.accountCalls(
                .init([], Self.late), Self.existing([1, 2]), taking: milliseconds)
            let request = try calls.request(Self.twoAccounts, to: .login)
            #expect(try await failed(AccountCommands.importMany(request)) == left)
            #expect(calls.made.count == 4 - left.count)
        }
    }

    @Test func anAccountThatIsNotUpdatedThenMayBeDone() async throws {
        let calls = Self.accountCalls(
            .init([], Self.late), Self.existing([1]), updates: 0, taking: TIMLimits.milliseconds)
        let request = try calls.request(#"{"UserID": "u", "Nick": "N"}"#, to: .login)
        let error = try #require(await error { try await AccountCommands.importOne(request) })
        #expect((error.code, error.mayBeDone) == (60007, true))
    }

    @Test func anAccountThatTheFirstStreamHasFoundIsNotUpdatedAfterTheTime() async throws {
        let calls = Self.accountCalls(
            .init(Self.existing([1]), Self.late), [], taking: TIMLimits.milliseconds)
        let request = try calls.request(Self.twoAccounts, to: .login)
        #expect(try await failed(AccountCommands.importMany(request)) == ["a"])
        #expect(calls.made.map(\.path) == Self.importPaths)
    }

    // MARK: Answers that cannot be read

    private static let unreadable: [UInt8] = [0xFF]

    @Test(arguments: TIMPiecesTests.commands, [unreadable, []])
    func aWriteWhoseAnswerIsUnreadableOrLacksResultsMayBeDone(
        command: Command, bytes: [UInt8]
    ) async throws {
        let calls = FakeTIMCalls { (number, call) throws(Failure) in
            .init([number == 2 ? bytes : command.answer(call)])
        }
        let answer = try await command.run(try calls.request(command.body, to: .sns))
        let mayBeDone = try items(of: answer).map(\.mayBeDone)
        #expect(mayBeDone == Self.users.indices.map { (100..<200).contains($0) })
        #expect(calls.made.count == 2)
        let first = FakeTIMCalls { (_, _) throws(Failure) in .init([bytes]) }
        let request = try first.request(command.body, to: .sns)
        let error = try #require(await error { try await command.run(request) })
        #expect(error.mayBeDone && error.error.code == .internalError)
    }

    @Test func aReadWhoseAnswerIsUnreadableIsNotLeftOpen() async throws {
        let calls = FakeTIMCalls { (_, _) throws(Failure) in .init([Self.unreadable]) }
        let request = try calls.request(
            #"{"From_Account": "a", "To_Account": ["u"], "CheckType": "CheckResult_Type_Both"}"#,
            to: .sns)
        let error = try #require(await error { try await FriendReads.check(request) })
        #expect(!error.mayBeDone)
    }

    @Test func rowsFromAnUnreadableAnswerOnAreSentOnceMore() async throws {
        let calls = Self.accountCalls(
            .init(Self.existing([1]) + [Self.unreadable]), [], taking: 0)
        let request = try calls.request(Self.twoAccounts, to: .login)
        #expect(try await failed(AccountCommands.importMany(request)) == [])
        #expect(calls.made.prefix(2).map(\.messages.count) == [2, 1])
    }

    // MARK: Request ids

    @Test func theTextOfARequestComesFromTheSourceOfChance() {
        let id = TIMDispatcher.requestID(Randomness { Array(repeating: 0xA5, count: $0) })
        #expect(id == String(repeating: "a5", count: TIMLimits.requestIDBytes / 2))
    }

    @Test(arguments: [0, 1, 7, 8, 9, 16, 32])
    func theMachineGivesAsManyBytesAsAreAskedFor(count: Int) {
        #expect(Randomness.system.bytes(count).count == count)
    }
}
