import Memory
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import Storage
import Testing

@testable import RelationCalls
@testable import RelationService

/// The answers of CheckBlacklist and CanSend that are put together from ids and endings are those
/// that the codec makes of the plain messages, byte by byte.
@Suite struct SplicedAnswerTests {
    private static let names = ["", "n", "user-1", String(repeating: "名", count: 200)]

    private func expectTheBytesOfTheCodec<Response: CodedMessage>(
        of endings: ResultTemplates, _ number: Int, _ plain: ([Text]) -> Response
    ) throws {
        try Arena.temporary { arena in
            let isMalformed = number == ResultTemplates.malformed
            let texts = Self.names.filter { isMalformed || $0.utf8.count <= Limits.userIDBytes }
            let names = try texts.map { try #require(arena.text($0)) }
            let expected = try Coder(Response.self).bytes(
                plain(names.map { isMalformed ? $0.echoed() : $0 }), arena)
            let answer: Encoded<Response> = try names.withUnsafeBufferPointer {
                (names) throws(StorageError) in
                var indexes = try TemplateIndexes(room: names.count, arena)
                for _ in names { indexes.add(number) }
                return try indexes.answer(names, endings, arena)
            }
            #expect(answer.withBytes { Array($0) } == expected)
        }
    }

    @Test(arguments: SendRules.Answer.allCases)
    func eachAnswerOfCanSendIsEncodedAsByTheCodec(_ answer: SendRules.Answer) throws {
        try expectTheBytesOfTheCodec(of: SendAnswer.endings, SendAnswer.number(answer)) { names in
            CanSendResponseView.with {
                $0.results = names.map { name in
                    CanSendResultView.with {
                        $0.userID = name
                        $0.code = answer.code
                        $0.reason = answer.reason
                        $0.info = Text(answer.reason)
                        $0.muted = answer == .muted || answer == .mutedAndIgnored
                        $0.ignored = answer == .ignored || answer == .mutedAndIgnored
                    }
                }
            }
        }
    }

    @Test(arguments: [
        (KnownPairs.UserState.malformed, FriendStatus.invalidParameter),
        (.noAccount, .accountNotFound), (.open, .accountNotFound), (.found, .success),
    ])
    func eachAnswerOfCheckBlacklistIsEncodedAsByTheCodec(
        _ state: KnownPairs.UserState, _ code: FriendStatus
    ) throws {
        let reason: Reason =
            switch state {
            case .malformed: Reason.BlacklistCheck.userIDIllegal
            case .noAccount, .open: Reason.BlacklistCheck.accountNotExist
            case .found: .none
            }
        for relation in [BlacklistRelation.none, .aWithB, .bWithA, .bothWay] {
            let number = BlacklistAnswer.number(state, relation)
            try expectTheBytesOfTheCodec(of: BlacklistAnswer.endings, number) { names in
                CheckBlacklistResponseView.with {
                    $0.results = names.map { name in
                        CheckBlacklistResultView.with {
                            $0.userID = name
                            $0.code = code
                            $0.reason = reason
                            $0.info = Text(reason)
                            $0.relation = state == .found ? relation : nil
                        }
                    }
                }
            }
        }
    }

    @Test func anAnswerThatTheMemoryOfItsCallCannotHoldIsRefused() {
        let names = [Text](repeating: "name", count: 1_000)
        _ = Arena.temporary(capacity: 4_096) { arena in
            #expect(throws: StorageError.answerIsFull) {
                try names.withUnsafeBufferPointer { names in
                    var indexes = try TemplateIndexes(room: names.count, arena)
                    for _ in names { indexes.add(1) }
                    let answer: Encoded<CanSendResponseView> = try indexes.answer(
                        names, SendAnswer.endings, arena)
                    _ = answer
                }
            }
        }
    }
}
