package import RelationCore
package import RelationModel
import Storage

/// The mail addresses of users, as an example of fields with a level of their own.
extension Oracle {
    mutating func showMail(of user: UserID, _ level: Visibility, _ groups: [String]) -> Answer {
        guard Set(groups).isSubset(of: view.groups[user] ?? []) else {
            return Answer(
                ProfileStatus.invalidParameter.rawValue, "Err_VisibilitySet_Group_Not_Exist")
        }
        view.mailLevels[user] = level
        mailGroups[user] = Set(groups)
        return Answer(0)
    }

    /// The reason for which `viewer` does not see the mail address of `owner`; nil if it does.
    ///
    /// - Precondition: The owner has chosen who sees it.
    package func mailAccess(of owner: UserID, for viewer: UserID) -> FieldAccessState? {
        if owner == viewer { return nil }
        if view.blacklist.contains(Pair(owner, viewer)) { return .hidden }
        let row = view.rows[Pair(owner, viewer)]
        switch view.mailLevels[owner] ?? .notSet {
        case .everyone: return nil
        case .friends: return row == nil ? .onlyFriends : nil
        case .followers:
            return view.follows.contains(Pair(viewer, owner)) ? nil : .onlyFollowers
        case .groups:
            let groups = mailGroups[owner] ?? []
            return groups.isDisjoint(with: row?.groups ?? []) ? .onlyGroups : nil
        default: return .onlyOneself
        }
    }
}

extension World {
    /// The reason for which `viewer` does not see the mail address of `owner`; nil if it does.
    package func mailAccess(
        of owner: UserID, for viewer: UserID
    ) throws(StorageError) -> FieldAccessState? {
        let seen = try read { (transaction) throws(StorageError) in
            try Profiles.visible(
                [owner], by: viewer, isAdmin: false, app: app, in: transaction)[0]
        }
        guard let view = seen?.view, !view.isVisible(.email) else { return nil }
        return view.hiddenState(.email)
    }
}

extension StepOutcome {
    /// The outcome of a choice of who sees a profile.
    init(_ chosen: Profiles.Choosing) {
        switch chosen {
        case .done(_, let isChanged): (answer, changed) = (Oracle.Answer(0), isChanged)
        case .stale: (answer, changed) = (Oracle.Answer(0, "stale"), false)
        case .refused(let code, let reason, _):
            (answer, changed) = (
                Oracle.Answer(code.rawValue, reason.info.description), false
            )
        }
    }
}
