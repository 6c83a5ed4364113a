import Collation
package import RelationModel
import Storage
import Synchronization

/// A user's friends, as far as sorting and searching need them: ids, remarks, and the names that
/// the user may know.
///
/// It holds the state of one read version. Each of its orders is made when it is first needed, and
/// kept with it.
package final class NamedFriendList: CachedValue {
    package struct Member: Sendable {
        package let user: UserID
        package let remark: String
        /// The names of the friend; those that the owner may not know are empty.
        package var names: Names

        package init(user: UserID, remark: String, names: Names) {
            self.user = user
            self.remark = remark
            self.names = names
        }

        /// The name that the owner sees: the remark, else the name, else the nick, else the id.
        package func displayName(_ order: DisplayOrder) -> String {
            for text in [remark, names.full(order), names.nick] where !text.isEmpty { return text }
            return user.text
        }
    }

    /// In order of their ids.
    package let members: [Member]
    package let owner: UserID
    /// The visibility that applied to users that chose none.
    let defaultVisibility: Visibility
    /// The visibility of single fields that applied to users that chose none for them.
    let fieldDefaults: FieldDefaults
    /// The memory that it takes in bytes, with all the orders that it may come to hold.
    let cost: Int

    /// No name in it was touched by a commit up to this one, after it was read.
    private let checked: Atomic<UInt64>
    private let orders = Mutex<[NameOrder: SortedNames]>([:])
    private let searched = Mutex<FoldedNames?>(nil)

    /// Makes a list of given members; tests call it directly.
    ///
    /// - Parameter readVersion: That of the reader which found the members.
    package init(
        of owner: UserID, _ members: [Member], defaultVisibility: Visibility,
        fieldDefaults: FieldDefaults = FieldDefaults(), at readVersion: ReadVersion = .first
    ) {
        self.owner = owner
        checked = Atomic(readVersion.commit)
        self.members = members
        self.defaultVisibility = defaultVisibility
        self.fieldDefaults = fieldDefaults
        // Each text is kept here, in one or two sort keys, and in the form for searches.
        cost = members.reduce(1_000) {
            $0 + 500 + 5 * ($1.remark.utf8.count + $1.names.cost - Names().cost)
        }
    }

    /// The version after which commits may have touched a name in it.
    var checkedVersion: UInt64 { checked.load(ordering: .relaxed) }

    /// Notes that no commit up to `readVersion` has touched a name in it.
    ///
    /// Later commits are not counted in: one that is under way may come to touch more.
    func noteChecked(at readVersion: ReadVersion) {
        checked.max(readVersion.commit, ordering: .relaxed)
    }

    package func contains(_ user: UserID) -> Bool {
        var low = 0
        var high = members.count
        while low < high {
            let middle = (low + high) / 2
            if members[middle].user < user { low = middle + 1 } else { high = middle }
        }
        return low < members.count && members[low].user == user
    }

    package func sorted(by order: NameOrder) -> SortedNames {
        if let sorted = orders.withLock({ $0[order] }) { return sorted }
        let sorted = Collators.shared.use { SortedNames(members, by: order, $0) }
        orders.withLock { $0[order] = sorted }
        return sorted
    }

    /// The texts in which a search looks.
    func folded() -> FoldedNames {
        if let folded = searched.withLock({ $0 }) { return folded }
        let folded = Collators.shared.use { FoldedNames(members, $0) }
        searched.withLock { $0 = folded }
        return folded
    }
}

// MARK: Reading it

extension NamedFriendList {
    /// Reads the list of `owner` in one scan of its rows, and the names from `cache`.
    convenience init(
        of owner: UserID, app: App, by cache: NameCache, at readVersion: ReadVersion,
        in transaction: any ReadTransaction
    ) throws(StorageError) {
        var users: [UserID] = []
        var remarks: [String] = []
        let table = Tables.friendNames
        var isBroken = false
        try table.scan(
            table.all(of: app.partition(of: owner)), limit: .max, in: transaction
        ) { user, bytes in
            guard let row = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            users.append(user)
            remarks.append(row.remark)
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "a friend's row does not decode") }
        let names = try cache.names(
            of: users, for: owner, app: app, at: readVersion, in: transaction)
        let members = users.indices.map {
            Member(user: users[$0], remark: remarks[$0], names: names[$0])
        }
        self.init(
            of: owner, members, defaultVisibility: app.settings.defaultVisibility,
            fieldDefaults: app.settings.fieldDefaults, at: readVersion)
    }

    /// This list with the present names of `users`.
    func renewing(
        _ users: Set<UserID>, by cache: NameCache, app: App, at readVersion: ReadVersion,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> NamedFriendList {
        var members = members
        let indices = members.indices.filter { users.contains(members[$0].user) }
        let renewed = indices.map { members[$0].user }
        let names = try cache.names(
            of: renewed, for: owner, app: app, at: readVersion, in: transaction)
        for (index, name) in zip(indices, names) { members[index].names = name }
        return NamedFriendList(
            of: owner, members, defaultVisibility: defaultVisibility,
            fieldDefaults: fieldDefaults, at: readVersion)
    }
}

extension [Names] {
    /// Empties the names that `viewer` does not see, and reads only the rows that decide it.
    mutating func mask(
        of users: [UserID], for viewer: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) {
        let choices = map { $0.hasSecrets ? $0.visibility : nil }
        guard choices.contains(where: { $0 != nil }) else { return }
        let defaults = app.settings.fieldDefaults.ofNames
        let rules =
            defaults.choices.isEmpty && allSatisfy(\.fieldChoices.isEmpty)
            ? nil : map { FieldRules($0.fieldChoices, whole: $0.visibility, defaults) }
        // A list shows what its owner sees, even if an administrator reads it for the owner.
        let viewers = try Profiles.viewers(
            of: users, choosing: choices, ruled: rules, by: viewer, isAdmin: false, app: app,
            in: transaction)
        for (index, choice) in choices.enumerated() {
            guard let choice else { continue }
            let view = ProfileView(
                of: app.settings.visibility(chosen: choice), by: viewers[index].viewer,
                rules?[index], viewers[index].relations)
            self[index] = self[index].visible(in: view)
        }
    }
}
