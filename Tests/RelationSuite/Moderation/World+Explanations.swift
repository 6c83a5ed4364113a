package import RelationCore
package import RelationModel
import Storage

extension World {
    /// Where the explanation of CanSend from `sender` to `receiver` says something else than the
    /// rule, or does not end at one rung that gives this answer.
    package func explanationFindings(
        from sender: UserID, to receiver: UserID
    ) throws(StorageError) -> [String] {
        try read { (transaction) throws(StorageError) in
            guard try Accounts.exists(sender, of: app, in: transaction) else { return [] }
            let explained = try SendRules.explain(
                from: sender, to: receiver, at: now, app: app, in: transaction)
            let deciding = explained.rungs.filter(\.decided).map(\.kind)
            let record = try Accounts.record(of: sender, app: app, in: transaction)
            var answer = SendRules.Answer.isSuspended
            if record?.isSuspended(at: now) != true {
                let answers = try SendRules.check(
                    from: sender, to: [receiver], at: now, app: app, in: transaction)
                answer = answers[0]
            }
            guard explained.answer == answer, deciding.count == 1,
                Self.rungs(of: answer).contains(deciding[0])
            else {
                return [
                    "\(sender) to \(receiver): \(answer), explained as \(explained.answer) "
                        + "by \(deciding)"
                ]
            }
            return []
        }
    }

    /// The rungs at which a ladder with that answer may end.
    private static func rungs(of answer: SendRules.Answer) -> [RungKind] {
        switch answer {
        case .malformed: [.peerID]
        case .isSuspended: [.ownSuspension]
        case .noAccount: [.peerAccount]
        case .blacklisted: [.peerBlacklist]
        case .noFriends, .isNoFriendOfPeer, .peerIsNoFriend: [.friendship]
        case .allowed, .muted, .ignored, .mutedAndIgnored: [.friendshipRequired, .friendship]
        }
    }
}
