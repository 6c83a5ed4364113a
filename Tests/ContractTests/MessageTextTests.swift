import Protobuf
import RelationAPI
import RelationModel
import Testing

/// A message prints its set fields by their names.
@Suite struct MessageTextTests {
    @Test func aMessagePrintsTheFieldsThatAreSet() {
        let result = CheckFriendResult(userID: "bob", code: .success, relation: .bothWay)
        #expect(
            "\(result)" == #"CheckFriendResult(userID: "bob", code: .success, relation: .bothWay)"#)
        #expect("\(CheckFriendsResponse())" == "CheckFriendsResponse()")
        #expect(
            "\(CheckFriendsResponse(results: [result, CheckFriendResult()]))"
                == "CheckFriendsResponse(results: [\(result), CheckFriendResult()])")
    }

    @Test func aSetZeroOfAnOptionalFieldIsShown() {
        #expect("\(UpdateAppRequest(expectedVersion: 0))" == "UpdateAppRequest(expectedVersion: 0)")
    }

    @Test func aOneofPrintsAsCodeWritesIt() {
        let value = TagValue(tag: "Tag_SNS_IM_Remark", value: .text("a \"friend\""))
        #expect("\(value)" == #"TagValue(tag: "Tag_SNS_IM_Remark", value: .text("a \"friend\""))"#)
    }

    @Test func bytesAreCutShort() {
        let short = CustomValue(key: "a", value: .data([1, 0xAB]))
        #expect("\(short)" == #"CustomValue(key: "a", value: .data(<2 bytes: 01ab>))"#)
        let long = CustomValue(key: "a", value: .data(Array(0...99)))
        #expect(
            "\(long)" == #"CustomValue(key: "a", value: .data(<100 bytes: 0001020304050607…>))"#)
    }

    @Test func theFormsOfAMessagePrintAlike() throws {
        let friend = Friend(userID: "bob", groups: ["Family"], addTimeMs: 7)
        let page = ListFriendsResponse(friends: [friend], totalSize: 1)
        try Arena.temporary { arena in
            let view = ListFriendsResponseView(friends: [try arena.encode(friend)], totalSize: 1)
            #expect("\(view)" == "\(page)")
            let broken = Encoded<Friend>(borrowing: UnsafeRawBufferPointer(start: nil, count: 0))
            #expect("\(broken)" == "Friend()")
        }
        let result = CheckFriendResultView(userID: "bob", code: .success)
        #expect("\(result)" == "\(CheckFriendResult(userID: "bob", code: .success))")
    }

    @Test func secretsAreNotShown() {
        let credential = CreateCredentialResponse(applied: true, key: "the whole key")
        #expect("\(credential)" == "CreateCredentialResponse(applied: true, key: <hidden>)")
        let secret = RotateAppSecretResponse(secret: "the secret")
        #expect("\(secret)" == "RotateAppSecretResponse(secret: <hidden>)")
        #expect("\(RotateAppSecretResponse())" == "RotateAppSecretResponse()")
    }

    @Test func messagesAreEqualByTheirFields() {
        let friend = Friend(userID: "bob", custom: [CustomValue(key: "a", value: .number(1))])
        var other = friend
        #expect(friend == other)
        other.custom[0].value = .number(2)
        #expect(friend != other)
    }
}
