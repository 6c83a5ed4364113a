import GRPC
import Protobuf
import RelationAPI
import RelationCalls
import RelationModel
import RelationService
import Testing

@testable import RelationClient

/// The calls that are made again, and the errors after which they are.
@Suite struct RepetitionTests {
    private let unknown = CallError(.fault(.unknown, .outcomeUnknown, "the store failed"))

    @Test(arguments: [("", false, false), ("once", false, true), ("", true, true)])
    func aWriteOfUnknownOutcomeIsMadeAgainOnlyWhereThatMakesNoDifference(
        _ requestID: String, _ dryRun: Bool, _ isMadeAgain: Bool
    ) throws {
        var request = AddFriendsRequest()
        request.userID = "ann"
        var options = WriteOptions()
        options.requestID = requestID
        options.dryRun = dryRun
        request.options = options
        let bytes = try Arena.temporary { (arena) throws(CodecError) in
            try Coder(AddFriendsRequest.self).bytes(request, arena)
        }
        var repetition = Repetition(FriendMethods.addFriends, bytes)
        #expect((repetition.next(after: unknown) != nil) == isMadeAgain)
        // The error comes from another server, or from a proxy before ours, so its meaning is not
        // known.
        #expect(repetition.next(after: CallError(RPCError(.unknown, "?"))) == nil)
    }
}
