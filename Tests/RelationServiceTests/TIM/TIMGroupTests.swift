import Protobuf
import RelationAPI
import RelationModel
import Testing

@testable import TIMGateway

/// The attempts of `group_add`, whose members may change between two of them.
@Suite struct TIMGroupTests {
    private static let users = (0..<8).map { "u\($0)" }

    /// The answer to a message, of whose members some have failed.
    private static func answer(
        _ message: CreateFriendGroupsRequest, failing: Set<String>
    ) -> CreateFriendGroupsResponse {
        var group = CreateFriendGroupResult()
        (group.name, group.code) = ("work", .success)
        group.members = message.userIDs.map { user in
            var member = FriendResult()
            member.userID = user
            member.code = failing.contains(user) ? .notFriend : .success
            return member
        }
        var answer = CreateFriendGroupsResponse()
        answer.results = [group]
        return answer
    }

    /// - Parameter rounds: How many attempts refuse another member.
    private static func add(
        _ rounds: Int
    ) async -> (asked: [Int], made: Result<TIMAnswer, TIMError>) {
        var asked: [Int] = []
        do throws(TIMError) {
            let made = try await GroupCommands.add(users, .init(), in: .sns) { message in
                asked.append(message.userIDs.count)
                let failing = asked.count <= rounds ? message.userIDs.prefix(1) : []
                return answer(message, failing: Set(failing))
            }
            return (asked, .success(made))
        } catch {
            return (asked, .failure(error))
        }
    }

    @Test func aMemberThatFailsIsLeftOutOfTheNextAttempt() async throws {
        for rounds in 0..<TIMLimits.groupAttempts {
            let (asked, made) = await Self.add(rounds)
            #expect(asked == (0...rounds).map { Self.users.count - $0 })
            _ = try made.get()
        }
    }

    @Test func membersThatChangeInEachAttemptAreAConflict() async {
        let (asked, made) = await Self.add(TIMLimits.groupAttempts)
        #expect(asked.count == TIMLimits.groupAttempts)
        guard case .failure(let error) = made else {
            Issue.record("an attempt more was made")
            return
        }
        #expect(error.code == TIMService.sns.conflict)
    }
}
