import RelationModel

/// The answers of AddFriends, as the table of its description gives them: one line a case, in
/// order.
///
/// It was written from the description alone and is slow on purpose. It shares no line with the
/// rule with which it is compared, and reads no row: its facts come from the oracle.
package enum AddTable {
    package struct Line: Sendable {
        package let number: Int
        let applies: @Sendable (Facts) -> Bool
        package let answer: Oracle.Answer
    }

    /// The facts about one item of one request that the table asks for.
    package struct Facts {
        var isOneself = false
        var isKnown = false
        var mayNotSend = false
        var isOnMyBlacklist = false
        var isMeOnTheirs = false
        var isMine = false
        var amITheirs = false
        var isBoth = false
        var hasForbiddenWord = false
        var hasSentTooMany = false
        var haveTheyReceivedTooMany = false
        var haveTheyRefusedMe = false
        var isMyAccountTooNew = false
        var allows = AllowType.allowAny
        var isForced = false
        var theyApplied = false
        var iApplied = false
        var isMyListFull = false
        var isTheirListFull = false
        var wouldPassGroupLimit = false
        var isAPendencyListFull = false

        /// An application from B waits, and the addition wants both rows: B asked for them.
        var isMeeting: Bool { isBoth && theyApplied }
        var writesNow: Bool { allows == .allowAny || isForced || isMeeting }
        var writesMine: Bool { writesNow && !isMine }
        var writesTheirs: Bool { writesNow && isBoth && !amITheirs }
        var mustConfirm: Bool { allows == .needConfirm && !isForced && !isMeeting }
        var isNewApplication: Bool { mustConfirm && !iApplied }
    }

    package static let lines: [Line] = [
        Line(number: 2, applies: \.isOneself, answer: .init(30001, "Err_SNS_FriendAdd_Self")),
        Line(number: 3, applies: { !$0.isKnown }, answer: .init(30003)),
        Line(number: 4, applies: \.mayNotSend, answer: .init(30009)),
        Line(number: 5, applies: \.isOnMyBlacklist, answer: .init(30515)),
        Line(number: 6, applies: \.isMeOnTheirs, answer: .init(30525)),
        Line(
            number: 7, applies: { $0.isMine && (!$0.isBoth || $0.amITheirs) },
            answer: .init(30001, "Err_SNS_FriendAdd_Friend_Exist")),
        Line(number: 8, applies: \.hasForbiddenWord, answer: .init(30005)),
        Line(
            number: 10, applies: { $0.allows == .denyAny && !$0.isForced && !$0.isMeeting },
            answer: .init(30516)),
        Line(
            number: 17, applies: { $0.isMyAccountTooNew && !$0.isForced && !$0.isMeeting },
            answer: .init(30540, "Err_SNS_FriendAdd_New_Account")),
        Line(
            number: 9, applies: { $0.isNewApplication && $0.hasSentTooMany },
            answer: .init(30540, "Err_SNS_FriendAdd_Too_Frequent")),
        Line(
            number: 9, applies: { $0.isNewApplication && $0.haveTheyRefusedMe },
            answer: .init(30540, "Err_SNS_FriendAdd_Cooling_Down")),
        Line(
            number: 9, applies: { $0.isNewApplication && $0.haveTheyReceivedTooMany },
            answer: .init(30540, "Err_SNS_FriendAdd_Peer_Too_Frequent")),
        Line(number: 11, applies: { $0.writesMine && $0.isMyListFull }, answer: .init(30010)),
        Line(
            number: 11, applies: { $0.writesTheirs && $0.isTheirListFull }, answer: .init(30014)),
        Line(
            number: 12, applies: { $0.writesMine && $0.wouldPassGroupLimit },
            answer: .init(30011)),
        Line(number: 13, applies: \.isMeeting, answer: .init(0)),
        Line(
            number: 14, applies: { $0.isNewApplication && $0.isAPendencyListFull },
            answer: .init(30012)),
        Line(number: 15, applies: \.mustConfirm, answer: .init(30539)),
        Line(number: 16, applies: { _ in true }, answer: .init(0)),
    ]

    package static func line(for facts: Facts) -> Line {
        // The last line takes every case that the others leave.
        lines.first { $0.applies(facts) }!
    }
}
