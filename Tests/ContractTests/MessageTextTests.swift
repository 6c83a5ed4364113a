import Memory
import Protobuf
import RelationAPI
import RelationModel
import Testing

/// A message prints its set fields by their names.
@Suite struct MessageTextTests {
    @Test func aMessagePrintsTheFieldsThatAreSet() {
        let result = CheckFriendResult.with {
            $0.userID = "bob"
            $0.code = .success
            $0.relation = .bothWay
        }
        #expect(
            "\(result)" == #"CheckFriendResult(userID: "bob", code: .success, relation: .bothWay)"#)
        #expect("\(CheckFriendsResponse())" == "CheckFriendsResponse()")
        let answer = CheckFriendsResponse.with { $0.results = [result, CheckFriendResult()] }
        #expect("\(answer)" == "CheckFriendsResponse(results: [\(result), CheckFriendResult()])")
    }

    @Test func aSetZeroOfAnOptionalFieldIsShown() {
        let request = UpdateAppRequest.with { $0.expectedVersion = 0 }
        #expect("\(request)" == "UpdateAppRequest(expectedVersion: 0)")
    }

    @Test func aOneofPrintsAsCodeWritesIt() {
        let value = TagValue.with {
            $0.tag = "Tag_SNS_IM_Remark"
            $0.value = .text("a \"friend\"")
        }
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
        let friend = Friend.with {
            $0.userID = "bob"
            $0.groups = ["Family"]
            $0.addTimeMs = 7
        }
        let page = ListFriendsResponse.with {
            $0.friends = [friend]
            $0.totalSize = 1
        }
        try Arena.temporary { arena in
            let view = try ListFriendsResponseView.with {
                $0.friends = [try arena.encode(friend)]
                $0.totalSize = 1
            }
            #expect("\(view)" == "\(page)")
            let broken = Encoded<Friend>(borrowing: UnsafeRawBufferPointer(start: nil, count: 0))
            #expect("\(broken)" == "Friend()")
        }
        let view = CheckFriendResultView.with {
            $0.userID = "bob"
            $0.code = .success
        }
        let result = CheckFriendResult.with {
            $0.userID = "bob"
            $0.code = .success
        }
        #expect("\(view)" == "\(result)")
    }

    @Test func secretsAreNotShown() {
        let credential = CreateCredentialResponse.with {
            $0.applied = true
            $0.key = "the whole key"
        }
        #expect("\(credential)" == "CreateCredentialResponse(applied: true, key: <hidden>)")
        let secret = RotateAppSecretResponse.with { $0.secret = "the secret" }
        #expect("\(secret)" == "RotateAppSecretResponse(secret: <hidden>)")
        #expect("\(RotateAppSecretResponse())" == "RotateAppSecretResponse()")
        let brought = ImportAppSecretRequest.with { $0.secret = "the secret" }
        #expect("\(brought)" == "ImportAppSecretRequest(secret: <hidden>)")
        let hook = CreateHookRequest.with { $0.secret = "the secret" }
        #expect("\(hook)" == "CreateHookRequest(secret: <hidden>)")
        let rotated = RotateHookSecretRequest.with { $0.secret = "the secret" }
        #expect("\(rotated)" == "RotateHookSecretRequest(secret: <hidden>)")
    }

    @Test func messagesAreEqualByTheirFields() {
        let friend = Friend.with {
            $0.userID = "bob"
            $0.custom = [CustomValue(key: "a", value: .number(1))]
        }
        var other = friend
        #expect(friend == other)
        other.custom[0].value = .number(2)
        #expect(friend != other)
    }
}
