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

    /// Where the explanation of the fields of `owner` says something else than `viewer` sees, or a
    /// ladder does not end at one rung.
    package func profileExplanationFindings(
        by viewer: UserID, about owner: UserID
    ) throws(StorageError) -> [String] {
        try read { (transaction) throws(StorageError) in
            guard try Accounts.exists(viewer, of: app, in: transaction),
                try Accounts.exists(owner, of: app, in: transaction)
            else { return [] }
            let customFields = settings.customFields.filter {
                $0.owner == .profile && !$0.isRetired
            }
            let explained = try Profiles.explain(
                ProfileField.allCases, customFields: customFields, of: owner, by: viewer, at: now,
                app: app, in: transaction)
            let seen = try Profiles.visible(
                [owner], by: viewer, isAdmin: false, app: app, in: transaction)
            guard let view = seen.first??.view else { return ["\(owner) has no view"] }
            return explained.fields.compactMap { field in
                let isShown = field.state == .unspecified || field.state == .notSet
                let ends = field.rungs.filter(\.decided).map(\.kind)
                guard isShown != view.isVisible(path: field.path, settings) || ends.count != 1
                else {
                    return nil
                }
                return "\(viewer) sees \(field.path) of \(owner): \(field.state) by \(ends)"
            }
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
