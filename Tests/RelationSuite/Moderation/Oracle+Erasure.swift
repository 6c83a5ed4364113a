package import RelationCore
package import RelationModel
import Storage
import StorageSuite

extension Oracle {
    /// Forgets a user that is erased for good: no list of another has it any more.
    package mutating func erase(_ user: UserID) {
        func isOther(_ pair: Pair) -> Bool { pair.from != user && pair.to != user }
        accounts.remove(user)
        view.rows = view.rows.filter { isOther($0.key) }
        view.applications = view.applications.filter { isOther($0.key) }
        view.blacklist = view.blacklist.filter(isOther)
        view.subscriptions = view.subscriptions.filter { isOther($0.key) }
        view.follows = view.follows.filter(isOther)
        view.dismissals = view.dismissals.filter(isOther)
        view.remarkReviews = view.remarkReviews.filter { isOther($0.key) }
        // A report that the user made stays, without a name.
        let erased = UserID(stored: "".utf8)
        func reports(of pair: Pair) -> Pair? {
            pair.to == user ? nil : Pair(pair.from == user ? erased : pair.from, pair.to)
        }
        view.reports = Dictionary(
            uniqueKeysWithValues: view.reports.compactMap { pair, count in
                reports(of: pair).map { ($0, count) }
            })
        view.closedReports = Set(view.closedReports.compactMap(reports(of:)))
        view.groups[user] = nil
        view.statuses[user] = nil
        view.invitations[user] = nil
        view.suspensions[user] = nil
        view.mailLevels[user] = nil
        view.profileLevels[user] = nil
        view.nicks[user] = nil
        view.findChoices[user] = nil
        view.contacts[user] = nil
        view.texts[user] = nil
        view.reviews[user] = nil
        view.lastSeen[user] = nil
        view.seenDevices[user] = nil
        // The end of its sessions stays, under a name that does not lead back to it.
        let end = view.sessionEnds.removeValue(forKey: user)
        if let end { view.sessionEnds[SessionRules.erasedName(of: user)] = end }
    }
}

extension World {
    /// Deletes a user with all that others have of it, and does the work that follows.
    package func erase(_ user: UserID) throws(StorageError) {
        let start = try call(by: nil) { (ledger) throws(StorageError) in
            try AccountDeletion.start(
                user, erasing: AccountDeletion.Erasing(digest: "a digest"), in: ledger)
        }
        guard case .started = start else { throw StorageError(.failed, "\(user): \(start)") }
        try runJobs()
    }

    /// How many rows of the app and of the registry have the id of a user in their keys or values.
    package func rowsNaming(_ user: UserID) throws(StorageError) -> Int {
        let name = Array(user.text.utf8)
        return try everything().joined().count { row in
            row.suffix.firstRange(of: name) != nil || row.value.firstRange(of: name) != nil
        }
    }
}
