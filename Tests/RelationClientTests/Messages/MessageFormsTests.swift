import Memory
import Protobuf
import ProtobufWitness
import RelationAPI
import RelationClient
import Testing

/// The JSON and the bytes of messages, as a program that depends on the library has them.
struct MessageFormsTests {
    @Test func everyMessageComesBackFromItsJSONAndFromItsBytes() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        for method in ServiceTable.all { try check(method.typed, seed) }
        #expect(ContractMethods.all.map(\.path) == ServiceTable.all.map(\.path))
    }

    private func check<M: TypedMethod>(_ method: M, _ seed: UInt64) throws {
        try check(M.Request.self, seed)
        try check(M.Response.self, seed)
    }

    private func check<M: CodedMessage>(_ type: M.Type, _ seed: UInt64) throws {
        let message = Arena.temporary { arena in
            // So rare that every field is set.
            var random = RandomMessages(seed: seed, arena, rarity: .max)
            return random.next(type)
        }
        let words: Comment = "seed \(seed): \(type)"
        do throws(MessageError) {
            let json = try message.json()
            #expect(try M(json: json) == message, words)
        } catch {
            // A mask of any texts has no JSON.
            #expect(error.description.hasPrefix("google.protobuf.FieldMask"), words)
        }
        #expect(try M(serializedBytes: message.serializedBytes()) == message, words)
    }

    @Test func aMessageIsReadFromTheJSONOfOthers() throws {
        let text = #"{"userId": "ann", "items": [{"user_id": "bob"}], "addType": "ADD_TYPE_BOTH"}"#
        let request = try AddFriendsRequest(json: text)
        let items = [AddFriend.with { $0.userID = "bob" }]
        #expect(
            request
                == AddFriendsRequest.with {
                    $0.userID = "ann"
                    $0.items = items
                    $0.addType = .both
                })
        #expect(
            try request.json()
                == #"{"userId":"ann","items":[{"userId":"bob"}],"addType":"ADD_TYPE_BOTH"}"#)
    }

    @Test func aTextThatIsNoMessageIsRefusedWithThePositionOfTheError() throws {
        let error = #expect(throws: MessageError.self) {
            try AddFriendsRequest(json: #"{"items": [{"userId": "bob"}, {"name": "joe"}]}"#)
        }
        #expect(error?.description == "items[1].name: relation.v1.AddFriend has no such field")
        #expect(throws: MessageError.self) { try AddFriendsRequest(json: "{") }
    }

    @Test func bytesThatAreNoMessageAreRefused() throws {
        #expect(throws: MessageError.self) { try AddFriendsRequest(serializedBytes: [0x1A, 5]) }
        // A field that this version does not know.
        #expect(
            try FriendSection(serializedBytes: [0x10, 3, 0x50, 1])
                == FriendSection.with { $0.count = 3 })
    }

    @Test func aMaskWithANameThatIsNoFieldsHasNoJSON() throws {
        let request = ListFriendsRequest.with { $0.readMask = FieldMask(["user__id"]) }
        #expect(throws: MessageError.self) { try request.json() }
        #expect(try ListFriendsRequest(serializedBytes: request.serializedBytes()) == request)
    }

    @Test func aTypeThatIsNotOfTheContractHasNoForms() throws {
        #expect(throws: MessageError.self) { try RawMessage([1]).json() }
        let error = #expect(throws: MessageError.self) { try RawMessage(json: "{}") }
        #expect(error?.description == "RawMessage is not a message of the contract")
    }
}
