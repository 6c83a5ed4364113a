import Memory
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import StorageSuite
import Testing

@testable import RelationCalls
@testable import RelationService

/// The answer of CheckFriends that is put together from ids and endings is the one that the codec
/// makes of the plain messages, byte by byte.
@Suite struct CheckAnswerTests {
    /// The result as a handler would write it.
    private static func plain(
        _ name: Text, _ finding: FriendCheck.Finding
    ) -> CheckFriendResultView {
        var result = CheckFriendResultView.with {
            $0.userID = name
            $0.code = .success
        }
        switch finding {
        case .malformed:
            result.userID = name.echoed()
            result.code = .invalidParameter
            result.reason = Reason.FriendCheck.userIDIllegal
        case .noAccount:
            result.code = .accountNotFound
            result.reason = Reason.FriendCheck.accountNotExist
        case .none: result.relation = FriendRelation.none
        case .myUni: result.relation = .myUni
        case .otherUni: result.relation = .otherUni
        case .bothWay: result.relation = .bothWay
        }
        result.info = Text(result.reason)
        return result
    }

    private func expectTheBytesOfTheCodec(
        _ names: [String], _ findings: [FriendCheck.Finding], _ arena: Arena, _ seed: UInt64 = 0
    ) throws {
        let views = try names.map { try #require(arena.text($0)) }
        let plain = CheckFriendsResponseView.with {
            $0.results = zip(views, findings).map(Self.plain)
        }
        let expected = try Coder(CheckFriendsResponseView.self).bytes(plain, arena)
        let answer = try views.withUnsafeBufferPointer { (views) throws(CodecError) in
            try findings.withUnsafeBufferPointer { (findings) throws(CodecError) in
                try CheckAnswer.bytes(views, findings, arena)
            }
        }
        #expect(answer.withBytes { Array($0) } == expected, "seed \(seed)")
    }

    @Test(arguments: FriendCheck.Finding.allCases)
    func eachFindingIsEncodedAsByTheCodec(_ finding: FriendCheck.Finding) throws {
        try Arena.temporary { arena in
            for count in 0...64 {
                let name = String(repeating: "n", count: count)
                try expectTheBytesOfTheCodec([name], [finding], arena)
            }
        }
    }

    @Test func anyListOfIdsIsDecodedAsByTheCodec() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<200 {
            try Arena.temporary { arena in
                let count = Int.random(in: 0...40, using: &numbers)
                let findings = (0..<count).map { _ in
                    FriendCheck.Finding.allCases.randomElement(using: &numbers)!
                }
                let names = findings.map { finding in
                    // Only a malformed id is longer than 64 bytes, or has other characters.
                    let length = Int.random(
                        in: 0...(finding == .malformed ? 400 : 64), using: &numbers)
                    let letters = finding == .malformed ? ["a", "é", "名", "😀"] : ["a", "~"]
                    return (0..<length).map { _ in letters.randomElement(using: &numbers)! }
                        .joined()
                }
                try expectTheBytesOfTheCodec(names, findings, arena, seed)
            }
        }
    }

    @Test(arguments: FriendCheck.Finding.allCases)
    func theLongestAnswerFitsIntoItsRoom(_ finding: FriendCheck.Finding) throws {
        let length = finding == .malformed ? 2 * Limits.echoedBytes : Limits.userIDBytes
        let names = [String](
            repeating: String(repeating: "n", count: length), count: Limits.checkFriendsItems)
        let findings = names.map { _ in finding }
        try Arena.temporary { try expectTheBytesOfTheCodec(names, findings, $0) }
    }

    @Test func anAnswerThatTheMemoryOfItsCallCannotHoldIsRefused() {
        let names = [Text](repeating: "name", count: 1_000)
        let findings = names.map { _ in FriendCheck.Finding.bothWay }
        _ = Arena.temporary(capacity: 4_096) { arena in
            #expect(throws: CodecError(.outOfMemory, "")) {
                try names.withUnsafeBufferPointer { names in
                    try findings.withUnsafeBufferPointer { findings in
                        _ = try CheckAnswer.bytes(names, findings, arena)
                    }
                }
            }
        }
    }
}
