package import RelationCore
package import RelationModel
import Storage
package import StorageSuite

extension World {
    /// The digest of that number.
    static func digest(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(number), count: Limits.contactDigestBytes)
    }

    /// The outcome of a step about how users are found.
    static func findingOutcome(
        of step: RelationStep, in ledger: Ledger
    ) throws(StorageError) -> StepOutcome {
        let actor = step.actor
        switch step.action {
        case .rename(let nick):
            var values = ProfileRecord()
            values.nick = nick
            let result = try Profiles.update(
                actor, values, fields: [.nick], expectedVersion: nil, in: ledger)
            guard case .done(_, let changed) = result else {
                throw StorageError(.failed, "\(actor): \(result)")
            }
            return StepOutcome(FriendOutcome.done(changing: changed))
        case .letFind(let way, let choice):
            var chosen = FindSettingsRecord()
            chosen[way] = choice
            let changed = try FindSettingsRules.set(chosen, of: actor, in: ledger)
            return StepOutcome(FriendOutcome.done(changing: changed))
        case .setContacts(let numbers, let kind):
            return StepOutcome(
                try Contacts.set(numbers.map(digest), of: kind, for: actor, in: ledger))
        case .findContacts(let numbers, let kind):
            let found = try Contacts.find(
                numbers.map(digest), of: kind, for: actor, isAdmin: false, in: ledger)
            guard found.outcome == .success else { return StepOutcome(found.outcome) }
            return StepOutcome(
                found: found.contacts.map { (Int($0.digest[0]), $0.user) },
                left: found.leftNow)
        default: preconditionFailure("the step is not about finding users")
        }
    }

    /// The users that `viewer` finds by the keyword, read in pages.
    package func finds(
        _ keyword: FoundKeyword, for viewer: UserID, isAdmin: Bool, pagesOf limit: Int
    ) throws(StorageError) -> [UserID] {
        guard let search = UserSearch(keyword.text) else { return [] }
        var users: [UserID] = []
        var position: UserSearch.Position?
        repeat {
            let last = position
            let page = try read { (transaction) throws(StorageError) in
                try search.page(
                    for: UserSearch.Viewer(viewer, isAdmin: isAdmin, at: now), app: app,
                    after: last, limit: limit, in: transaction)
            }
            users += page.hits.map(\.user)
            position = page.next
        } while position != nil
        return users
    }

    /// The rows of the app's indexes of names and of contacts, as bytes.
    package func findingRows() throws(StorageError) -> [[Row]] {
        [
            try store.rows(KeyRange(all: app.foundNames)),
            try store.rows(KeyRange(all: app.contacts)),
        ]
    }

    /// Adds to `view` how `user` may be found.
    func addFinding(of user: UserID, to view: inout Oracle.View) throws(StorageError) {
        if let nick = try profile(of: user).nick, !nick.isEmpty { view.nicks[user] = nick }
        view.findChoices[user] = try userRecord(of: user)?.findSettings
        for (_, record) in try rows(of: Tables.contactDigests, of: user) {
            for digest in record.all {
                view.contacts[user, default: [:]][digest.kind, default: []]
                    .insert(Int(digest.bytes[0]))
            }
        }
    }
}

extension StepOutcome {
    /// The outcome of a search that found these users by these digests.
    ///
    /// It counts the digests, so it always changes a row.
    init(found: [(digest: Int, user: UserID)], left: Int) {
        answer = Oracle.found(found, left: left)
        changed = true
    }
}
