import RelationModel
import Storage

/// The relation of a viewer to the owner of one profile, with the relations that the rules of its
/// fields ask for.
package struct ProfileRelation: Sendable {
    package var viewer: ProfileViewer
    package var relations = ViewerRelations()
}

extension Profiles {
    /// A row that says something about a viewer and the owner of a profile.
    fileprivate enum Fact {
        case friend, follower
        case member(UInt32)
    }

    /// The relation of `viewer` to each of `users`.
    ///
    /// Friend lists, follows and groups are read only where they change what the viewer sees.
    ///
    /// - Parameters:
    ///   - choices: The visibility that each user chose; nil for a user that does not matter.
    ///   - rules: The rules of the fields of each user; nil if no user has any.
    ///   - areClosed: For each user, whether it has the viewer on its blacklist, if that is known.
    ///   - mayBlock: For each user, whether it may have anyone on its blacklist, if that is known.
    static func viewers(
        of users: [UserID], choosing choices: [Visibility?], ruled rules: [FieldRules?]? = nil,
        closed areClosed: [Bool]? = nil, blocking mayBlock: [Bool]? = nil, by viewer: UserID,
        isAdmin: Bool, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [ProfileRelation] {
        guard !isAdmin else { return users.map { _ in ProfileRelation(viewer: .admin) } }
        var viewers = [ProfileRelation](
            repeating: ProfileRelation(viewer: .other), count: users.count)
        var others: [Int] = []
        var asked: [(index: Int, fact: Fact)] = []
        var blacklists = KeyList()
        var relations = KeyList()
        for (index, user) in users.enumerated() {
            guard let choice = choices[index] else { continue }
            guard user != viewer else {
                viewers[index].viewer = .oneself
                continue
            }
            if areClosed == nil, mayBlock?[index] ?? true {
                others.append(index)
                Tables.blacklist.add(app.id, user.text.utf8, viewer, to: &blacklists)
            }
            let visibility = app.settings.visibility(chosen: choice)
            for fact in facts(visibility, rules?[index]) {
                asked.append((index, fact))
                add(fact, user, viewer, app, to: &relations)
            }
        }
        if relations.count > 0 {
            try transaction.read(relations) { number, bytes in
                guard bytes != nil else { return }
                let (index, fact) = asked[number]
                viewers[index].note(fact)
            }
            for index in users.indices {
                guard let choice = choices[index] else { continue }
                viewers[index].settle(app.settings.visibility(chosen: choice))
            }
        }
        if blacklists.count > 0 {
            try transaction.read(blacklists) { number, bytes in
                if bytes != nil { viewers[others[number]].viewer = .shutOut }
            }
        }
        for (index, isClosed) in (areClosed ?? []).enumerated() where isClosed {
            viewers[index].viewer = .shutOut
        }
        return viewers
    }

    /// The facts that decide what a viewer sees of a profile.
    private static func facts(_ visibility: Visibility, _ rules: FieldRules?) -> [Fact] {
        guard let rules else {
            return switch visibility {
            case .friends: [.friend]
            case .followers: [.follower]
            default: []
            }
        }
        var facts: [Fact] = []
        if visibility == .friends || rules.asksFriends { facts.append(.friend) }
        if visibility == .followers || rules.asksFollowers { facts.append(.follower) }
        return facts + rules.groups.map { .member($0) }
    }

    private static func add(
        _ fact: Fact, _ user: UserID, _ viewer: UserID, _ app: App, to keys: inout KeyList
    ) {
        let name = user.text.utf8
        switch fact {
        case .friend: Tables.friends.add(app.id, name, viewer, to: &keys)
        case .follower: Tables.follows.add(app.id, viewer.text.utf8, user, to: &keys)
        case .member(let group):
            Tables.groupMembers.add(
                app.id, name, GroupMember(group: group, user: viewer), to: &keys)
        }
    }
}

extension ProfileRelation {
    fileprivate mutating func note(_ fact: Profiles.Fact) {
        switch fact {
        case .friend: relations.isFriend = true
        case .follower: relations.isFollower = true
        case .member(let group): relations.groups.append(group)
        }
    }

    /// Takes the viewer for a friend or a follower, if the profile as a whole is for these.
    fileprivate mutating func settle(_ visibility: Visibility) {
        guard viewer == .other else { return }
        if visibility == .friends && relations.isFriend { viewer = .friend }
        if visibility == .followers && relations.isFollower { viewer = .follower }
    }
}
