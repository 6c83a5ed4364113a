import RelationAPI
import RelationCore

/// The endings of the results of CanSend.
enum SendAnswer {
    static let endings: ResultTemplates = {
        let plain = SendRules.Answer.allCases.enumerated().map { index, answer in
            precondition(number(answer) == index, "answers are numbered from 0 on")
            var result = CanSendResultView()
            result.set(answer.code, answer.reason)
            result.muted = answer == .muted || answer == .mutedAndIgnored
            result.ignored = answer == .ignored || answer == .mutedAndIgnored
            return result
        }
        return ResultTemplates(CanSendResponseView.schema, plain)
    }()

    /// The position among all answers; the raw value would be a call to another room.
    @inline(__always)
    static func number(_ answer: SendRules.Answer) -> Int {
        switch answer {
        case .malformed: ResultTemplates.malformed
        case .allowed: 1
        case .noAccount: 2
        case .blacklisted: 3
        case .noFriends: 4
        case .isNoFriendOfPeer: 5
        case .peerIsNoFriend: 6
        case .muted: 7
        case .ignored: 8
        case .mutedAndIgnored: 9
        case .isSuspended: 10
        }
    }
}

extension CanSendResultView: ResultMessage, OutcomeMessage {}
