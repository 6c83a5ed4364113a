import GRPC
import Protobuf
import RelationAPI
import RelationModel
import RelationService
import Testing

@testable import RelationClient

/// Which calls are made again, and after what.
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
        // Of another server, or of something between us and ours: nobody knows what it means.
        #expect(repetition.next(after: CallError(RPCError(.unknown, "?"))) == nil)
    }
}
