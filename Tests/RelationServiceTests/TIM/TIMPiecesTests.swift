import GRPC
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import Testing

@testable import TIMGateway

/// Requests of several calls of which a later one fails: each answer says which items are done.
@Suite struct TIMPiecesTests {
    typealias Failure = InsideCalls.Failure

    private static let users = (0..<250).map { "u\($0)" }

    /// A command whose items are written by calls of a hundred.
    struct Command: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let body: String
        let run: TIMCommands.Command
        /// The answer to a call, with a code of 0 for each of its items.
        let answer: @Sendable (FakeTIMCalls.Call) -> [UInt8]
    }

    static let commands = [
        Command(
            testDescription: "friend_add",
            body: body("AddFriendItem") {
                #"{"To_Account": "\#($0)", "AddSource": "AddSource_Type_Web"}"#
            },
            run: FriendCommands.add,
            answer: { call in
                var answer = AddFriendsResponse()
                answer.results = call.requests(FriendMethods.addFriends.requestCoder)
                    .flatMap(\.items).map { result($0.userID) }
                return FakeTIMCalls.bytes(answer, FriendMethods.addFriends.responseCoder)
            }),
        Command(
            testDescription: "friend_update",
            body: body("UpdateItem") {
                #"{"To_Account": "\#($0)", "SnsItem": [{"Tag": "Tag_SNS_IM_Remark", "Value": ""}]}"#
            },
            run: FriendCommands.update,
            answer: { call in
                var answer = UpdateFriendsResponse()
                answer.results = call.requests(FriendMethods.updateFriends.requestCoder)
                    .flatMap(\.items).map { result($0.userID) }
                return FakeTIMCalls.bytes(answer, FriendMethods.updateFriends.responseCoder)
            }),
    ]

    private static func body(_ list: String, _ item: (String) -> String) -> String {
        #"{"From_Account": "a", "\#(list)": [\#(users.map(item).joined(separator: ", "))]}"#
    }

    private static func result(_ user: String) -> FriendResult {
        var result = FriendResult()
        (result.userID, result.code) = (user, .success)
        return result
    }

    /// The codes of an answer's items, and the users that it names as failed.
    private func items(
        of answer: TIMAnswer, _ list: String = "ResultItem"
    ) throws -> (users: [String], codes: [Int], failed: [String]) {
        let body = try TIMBody(answer.text(in: .sns), in: .sns)
        let items = try body.objects(list, atMost: TIMLimits.items)
        return (
            try items.map { try $0.text("To_Account") },
            try items.map { try $0.number("ResultCode") },
            try body.textsIfAny("Fail_Account", atMost: TIMLimits.items) ?? []
        )
    }

    private func code(_ body: () async throws -> TIMAnswer) async -> Int? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? TIMError)?.code
        }
    }

    // MARK: Calls of a hundred items

    @Test(arguments: commands, 2...3)
    func itemsAfterACallThatFailsHaveItsCode(command: Command, failing: Int) async throws {
        let calls = FakeTIMCalls { (number, call) throws(Failure) in
            guard number < failing else { throw FakeTIMCalls.overloaded }
            return .init([command.answer(call)])
        }
        let answer = try await command.run(try calls.request(command.body, to: .sns))
        let (users, codes, failed) = try items(of: answer)
        let done = 100 * (failing - 1)
        #expect(users == Self.users)
        #expect(codes == Self.users.indices.map { $0 < done ? 0 : 60007 })
        #expect(failed == Array(Self.users[done...]))
        // No call comes after the one that failed.
        #expect(calls.made.count == failing)
    }

    @Test(arguments: commands)
    func aFirstCallThatFailsRefusesTheRequest(command: Command) async throws {
        let calls = FakeTIMCalls { (_, _) throws(Failure) in throw FakeTIMCalls.overloaded }
        let request = try calls.request(command.body, to: .sns)
        #expect(await code { try await command.run(request) } == 60007)
        #expect(calls.made.count == 1)
    }

    @Test(arguments: commands)
    func noCallBeginsAfterTheTimeOfTheRequest(command: Command) async throws {
        let calls = FakeTIMCalls { (_, call) throws(Failure) in .init([command.answer(call)]) }
        calls.callMilliseconds = TIMLimits.milliseconds / 2
        let answer = try await command.run(try calls.request(command.body, to: .sns))
        let codes = try items(of: answer).codes
        #expect(codes == Self.users.indices.map { $0 < 200 ? 0 : 30007 })
        #expect(calls.made.count == 2)
        // The second one had its own time, beyond that of the request.
        #expect(calls.made.map(\.milliseconds) == [10_000, 10_000])
    }

    // MARK: Streams

    private static func progress<Row>(
        _ row: Int64, of type: ImportResponse<Row, ImportRowResult>.Type
    ) -> ImportResponse<Row, ImportRowResult> {
        var progress = ImportProgress()
        progress.lastDurableRow = row
        var answer = ImportResponse<Row, ImportRowResult>()
        answer.answer = .progress(progress)
        return answer
    }

    private static func row<Row>(
        _ number: Int64, _ code: FriendStatus, _ reason: Reason = .none,
        of type: ImportResponse<Row, ImportRowResult>.Type
    ) -> ImportResponse<Row, ImportRowResult> {
        var result = ImportRowResult()
        (result.rowNumber, result.code, result.reason) = (number, code, reason)
        result.info = code == .success ? "" : "Err"
        var answer = ImportResponse<Row, ImportRowResult>()
        answer.answer = .row(result)
        return answer
    }

    /// A `friend_import` of five rows.
    private func importFriends(
        _ answers: [ImportFriendsResponse], _ failure: Failure?
    ) async throws -> TIMAnswer {
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
            let coder = MaintenanceMethods.importFriends.responseCoder
            return .init(answers.map { FakeTIMCalls.bytes($0, coder) }, failure)
        }
        let rows = (0..<5).map {
            #"{"To_Account": "u\#($0)", "AddSource": "AddSource_Type_Web"}"#
        }
        let body =
            #"{"From_Account": "a", "AddFriendItem": [\#(rows.joined(separator: ", "))]}"#
        return try await FriendCommands.importRows(try calls.request(body, to: .sns))
    }

    @Test func rowsAfterTheLastOneThatIsDurableHaveTheErrorOfTheStream() async throws {
        let type = ImportFriendsResponse.self
        let reported = [
            Self.row(2, .accountNotFound, of: type), Self.progress(3, of: type),
        ]
        var answer = try await importFriends(reported, FakeTIMCalls.overloaded)
        #expect(try items(of: answer).codes == [0, 30003, 0, 60007, 60007])
        #expect(try items(of: answer).failed == ["u1", "u3", "u4"])
        // A row is reported when all rows of its transaction are durable.
        answer = try await importFriends([reported[0]], FakeTIMCalls.overloaded)
        #expect(try items(of: answer).codes == [0, 30003, 60007, 60007, 60007])
        answer = try await importFriends(reported, nil)
        #expect(try items(of: answer).codes == [0, 30003, 0, 0, 0])
    }

    @Test func aStreamThatFailsBeforeAnyRowRefusesTheRequest() async {
        for answers in [[], [Self.progress(0, of: ImportFriendsResponse.self)]] {
            let refused = await code { try await importFriends(answers, FakeTIMCalls.overloaded) }
            #expect(refused == 60007)
        }
    }

    // MARK: Accounts

    /// A `multiaccount_import` of five accounts with nicks.
    ///
    /// - Parameters:
    ///   - existing: The numbers of the accounts that are there.
    ///   - updates: How many of these are updated before a call fails.
    private func importAccounts(
        existing: [Int64], done: Int64, _ failure: Failure? = nil, updates: Int = 5
    ) async throws -> (failed: [String], calls: Int) {
        let calls = FakeTIMCalls { (number, _) throws(Failure) in
            guard number > 1 else {
                let type = ImportAccountsResponse.self
                let answers =
                    existing.filter { $0 <= done }.map {
                        Self.row($0, .success, .existed, of: type)
                    } + [Self.progress(done, of: type)]
                let coder = AccountMethods.importAccounts.responseCoder
                return .init(answers.map { FakeTIMCalls.bytes($0, coder) }, failure)
            }
            guard number <= updates + 1 else { throw FakeTIMCalls.overloaded }
            let coder = ProfileMethods.updateProfile.responseCoder
            return .init([FakeTIMCalls.bytes(UpdateProfileResponse(), coder)])
        }
        let rows = (1...5).map { #"{"UserID": "u\#($0)", "Nick": "N"}"# }
        let body = #"{"AccountList": [\#(rows.joined(separator: ", "))]}"#
        let answer = try await AccountCommands.importMany(try calls.request(body, to: .login))
        let shown = try TIMBody(answer.text(in: .login), in: .login)
        return (try shown.textsIfAny("FailAccounts", atMost: 5) ?? [], calls.made.count)
    }

    @Test func accountsThatAreNotDoneStandAmongThoseThatFailed() async throws {
        let (new, late, stopped) = (
            try await importAccounts(existing: [2, 4], done: 5),
            try await importAccounts(existing: [2, 4], done: 5, updates: 1),
            try await importAccounts(existing: [2, 4], done: 3, FakeTIMCalls.overloaded)
        )
        #expect(new == ([], 3))
        #expect(late == (["u4"], 3))
        // After a failure no account is updated either.
        #expect(stopped == (["u2", "u4", "u5"], 1))
    }

    @Test func accountsOfWhichNoneIsDoneRefuseTheRequest() async {
        let all: [Int64] = [1, 2, 3, 4, 5]
        #expect(await code { try await answer(existing: all, done: 5, updates: 0) } == 60007)
        #expect(await code { try await answer(existing: all, done: 0) } == 60007)
        // One account is done.
        #expect(await code { try await answer(existing: all, done: 5, updates: 1) } == nil)
        #expect(await code { try await answer(existing: [1, 2], done: 3) } == nil)
    }

    private func answer(
        existing: [Int64], done: Int64, updates: Int = 5
    ) async throws -> TIMAnswer {
        let failure = done < 5 ? FakeTIMCalls.overloaded : nil
        _ = try await importAccounts(existing: existing, done: done, failure, updates: updates)
        return TIMAnswer()
    }

    @Test func aRefusedNickHoldsNoOtherAccountBack() async throws {
        let calls = FakeTIMCalls { (number, _) throws(Failure) in
            guard number > 1 else {
                let coder = AccountMethods.importAccounts.responseCoder
                let type = ImportAccountsResponse.self
                return .init(
                    (1...2).map {
                        FakeTIMCalls.bytes(Self.row($0, .success, .existed, of: type), coder)
                    })
            }
            var answer = UpdateProfileResponse()
            if number == 2 { answer.code = .sizeLimit }
            return .init([FakeTIMCalls.bytes(answer, ProfileMethods.updateProfile.responseCoder)])
        }
        let body = #"{"AccountList": [{"UserID": "a", "Nick": "N"}, {"UserID": "b", "Nick": "N"}]}"#
        let answer = try await AccountCommands.importMany(try calls.request(body, to: .login))
        let shown = try TIMBody(answer.text(in: .login), in: .login)
        #expect(try shown.textsIfAny("FailAccounts", atMost: 2) == ["a"])
        #expect(calls.made.count == 3)
    }

    // MARK: Every command

    /// A command whose calls are several either writes by the rule above, or is a read.
    @Test func everyWriteHasItsOwnTime() async throws {
        let bodies: [(TIMService, String, String)] = [
            (.sns, "friend_delete", #""To_Account": ["u"]"#),
            (.sns, "friend_delete_all", #""DeleteType": "Delete_Type_Both""#),
            (.sns, "black_list_add", #""To_Account": ["u"]"#),
            (.sns, "black_list_delete", #""To_Account": ["u"]"#),
            (.sns, "group_add", #""GroupName": ["g"]"#),
            (.sns, "group_delete", #""GroupName": ["g"]"#),
            (.login, "account_delete", #""DeleteItem": [{"UserID": "u"}]"#),
            (.follow, "follow_add", #""FollowItem": [{"To_Account": "u"}]"#),
            (.follow, "follow_delete", #""To_Account": ["u"]"#),
        ]
        for (service, name, members) in bodies {
            let calls = FakeTIMCalls { (_, _) throws(Failure) in .init([[]]) }
            let command = try #require(TIMCommands.command(name, of: service))
            let request = try calls.request(#"{"From_Account": "a", \#(members)}"#, to: service)
            _ = try await command(request)
            #expect(calls.made.map(\.milliseconds) == [TIMLimits.writeMilliseconds], "\(name)")
        }
    }
}
