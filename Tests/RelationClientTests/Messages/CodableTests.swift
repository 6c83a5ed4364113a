import Foundation
import Memory
import Protobuf
import ProtobufWitness
import RelationAPI
import RelationClient
import RelationModel
import Testing

/// Messages in sets, and as parts of Swift's `Codable` types.
struct CodableTests {
    private struct Saved: Codable, Hashable {
        var owner: String
        var friends: [Friend]
        var relation: FriendRelation
    }

    @Test func everyMessageComesBackFromItsContainersAndHashesAlike() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        for method in ServiceTable.all { try check(method.typed, seed) }
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
        let copy = try M(serializedBytes: message.serializedBytes())
        #expect(copy == message && copy.hashValue == message.hashValue, words)
        // A mask of any texts has no JSON.
        guard (try? message.json()) != nil else { return }
        let json = try JSONEncoder().encode(message)
        #expect(try JSONDecoder().decode(M.self, from: json) == message, words)
        #expect(try M(json: String(decoding: json, as: UTF8.self)) == message, words)
        let list = try PropertyListEncoder().encode([message])
        #expect(try PropertyListDecoder().decode([M].self, from: list) == [message], words)
    }

    @Test func aMessageInATypeHasTheNamesOfTheContract() throws {
        let saved = Saved(
            owner: "ann", friends: [.with { ($0.userID, $0.addTimeMs) = ("ben", 5) }],
            relation: .bothWay)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = try encoder.encode(saved)
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"friends":[{"addTimeMs":"5","userId":"ben"}],"owner":"ann","#
                + #""relation":"\#(FriendRelation.bothWay.name ?? "")"}"#)
        #expect(try JSONDecoder().decode(Saved.self, from: json) == saved)
        #expect(Set([saved, saved]).count == 1)
    }

    @Test func equalMessagesHashAlikeThoughTheirBytesDiffer() {
        let composed = Friend.with { $0.remark = "\u{E9}" }
        let decomposed = Friend.with { $0.remark = "e\u{301}" }
        #expect(composed == decomposed)
        #expect(composed.hashValue == decomposed.hashValue)
        #expect(Set([composed, decomposed]).count == 1)
        #expect(Friend().hashValue != composed.hashValue)
        #expect(RawMessage([1]).hashValue != RawMessage([2]).hashValue)
    }

    @Test func aMapHashesAlikeInWhateverOrder() {
        let keys = (1...50).map { "user \($0)" }
        let one = GetProfilesRequest.with {
            for key in keys { $0.knownVersions[key] = 1 }
        }
        let other = GetProfilesRequest.with {
            for key in keys.reversed() { $0.knownVersions[key] = 1 }
        }
        #expect(one == other && one.hashValue == other.hashValue)
    }

    @Test func anEnumIsReadByItsNameAndByItsNumber() throws {
        func read(_ json: String) throws -> [ChangeKind] {
            try JSONDecoder().decode([ChangeKind].self, from: Data(json.utf8))
        }
        let name = try #require(ChangeKind.addFriend.name)
        let newer = ChangeKind(rawValue: 4_711)
        #expect(try read("[\"\(name)\", 1, 4711]") == [.addFriend, .addFriend, newer])
        let json = try JSONEncoder().encode([ChangeKind.addFriend, newer])
        #expect(String(decoding: json, as: UTF8.self) == "[\"\(name)\",4711]")
        #expect(throws: DecodingError.self) { try read("[\"NO_SUCH_KIND\"]") }
        #expect(throws: DecodingError.self) { try read("[1.5]") }
    }

    @Test func containersThatAreNoMessageAreRefused() {
        for json in [#"{"userId": 5}"#, #"{"name": "ben"}"#, "[]", "1"] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(Friend.self, from: Data(json.utf8))
            }
        }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode([RawMessage([1])]) }
    }

    @Test func aRowHasTheIDThatItsListHas() {
        #expect(Friend.with { $0.userID = "ben" }.id == "ben")
        #expect(Hook.with { $0.hookID = "a" }.id == "a")
        #expect(HookFailure.with { $0.number = 5 }.id == 5)
    }
}
