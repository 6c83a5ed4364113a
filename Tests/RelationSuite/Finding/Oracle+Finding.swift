import RelationCore
package import RelationModel

extension Oracle {
    mutating func takeFinding(_ step: RelationStep, _ nowMs: Int64) -> Answer {
        let user = step.actor
        switch step.action {
        case .rename(let nick):
            view.nicks[user] = nick
            return Answer(0)
        case .letFind(let way, let choice):
            view.findChoices[user]?[way] = choice
            return Answer(0)
        case .setContacts(let numbers, let kind): return setContacts(numbers, kind, of: user)
        case .findContacts(let numbers, let kind):
            return findContacts(numbers, kind, for: user, nowMs)
        default: preconditionFailure("the step is not about finding users")
        }
    }

    /// The answer to a search for contacts.
    static func found(_ found: [(digest: Int, user: UserID)], left: Int) -> Answer {
        let users = found.map { "\($0.digest) \($0.user)" }.joined(separator: ", ")
        return Answer(0, "\(users); \(left) left")
    }

    // MARK: Contacts

    private mutating func setContacts(
        _ numbers: [Int], _ kind: ContactKind, of user: UserID
    ) -> Answer {
        let old = view.contacts[user]?[kind] ?? []
        let added = Set(numbers).subtracting(old)
        guard added.allSatisfy({ owners(of: $0, kind).count < Limits.contactOwners }) else {
            return Answer(30001, "Err_ContactSet_Digest_Full")
        }
        view.contacts[user, default: [:]][kind] = numbers.isEmpty ? nil : Set(numbers)
        if view.contacts[user]?.isEmpty ?? false { view.contacts[user] = nil }
        return Answer(0)
    }

    private mutating func findContacts(
        _ numbers: [Int], _ kind: ContactKind, for user: UserID, _ nowMs: Int64
    ) -> Answer {
        let window = nowMs / contactsWindowMs
        let used = contactsAsked[user].flatMap { $0.window == window ? $0.count : nil } ?? 0
        let left = limits.contactLookups - used - numbers.count
        guard left >= 0 else { return Answer(30001, "Err_ContactFind_Limit") }
        contactsAsked[user] = (window, used + numbers.count)
        var found: [(digest: Int, user: UserID)] = []
        for number in numbers {
            for owner in owners(of: number, kind)
            where canFind(
                owner, by: kind == .phone ? .phone : .email, user, nowMs, isAdmin: false)
            {
                found.append((number, owner))
            }
        }
        return Self.found(found, left: left)
    }

    private func owners(of digest: Int, _ kind: ContactKind) -> [UserID] {
        view.contacts.filter { $0.value[kind]?.contains(digest) ?? false }.keys.sorted()
    }

    // MARK: The search

    /// The users that `viewer` finds by the keyword at `now`, in their order.
    package func finds(
        _ keyword: FoundKeyword, for viewer: UserID, isAdmin: Bool, at now: Timestamp
    ) -> [UserID] {
        let nowMs = now.milliseconds
        let exact = accounts.filter {
            $0.text == keyword.text && canFind($0, by: .id, viewer, nowMs, isAdmin: isAdmin)
        }
        var places: [(bytes: [UInt8], user: UserID)] = []
        for user in accounts
        where !exact.contains(user) && canFind(user, by: .name, viewer, nowMs, isAdmin: isAdmin) {
            guard let rank = rank(of: user, keyword) else { continue }
            // Users that no user finds by name come last. Letters stand before their ends.
            var bytes = [rank.part + (chooses(.name, user) ? 0 : 10)]
            bytes += Array(rank.letters.utf8) + [0]
            bytes += Array(user.text.utf8)
            places.append((bytes, user))
        }
        places.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        return Array(exact) + places.map(\.user)
    }

    /// The first place at which the keyword finds the user: a part of the list, and the letters.
    private func rank(
        of user: UserID, _ keyword: FoundKeyword
    ) -> (part: UInt8, letters: String)? {
        guard let nick = FoundNick.all.first(where: { $0.nick == view.nicks[user] }) else {
            return nil
        }
        if nick.name.utf8.starts(with: keyword.name.utf8) { return (1, nick.name) }
        guard let sound = keyword.sound else { return nil }
        if let letters = nick.pinyin.first(where: { $0.hasPrefix(sound) }) { return (2, letters) }
        return nick.initials.first { $0.hasPrefix(sound) }.map { (3, $0) }
    }

    private func canFind(
        _ user: UserID, by way: FindWay, _ viewer: UserID, _ nowMs: Int64, isAdmin: Bool
    ) -> Bool {
        guard user != viewer else { return false }
        return isAdmin
            || chooses(way, user) && !isBanned(user, nowMs)
                && !view.blacklist.contains(Pair(user, viewer))
    }

    /// Whether the user lets others find it so: it does unless it has chosen otherwise.
    private func chooses(_ way: FindWay, _ user: UserID) -> Bool {
        view.findChoices[user]?[way] != .noUser
    }
}
