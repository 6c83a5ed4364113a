package import RelationModel
import Storage

/// The friends of a list that a request lists, in an order that stored rows tell without names.
///
/// No index has the marks of friends, or their positions among the pinned ones: it would cost every
/// change further rows. One walk over the list finds them, and a list is no longer than the app's
/// limit.
package struct FriendSelection {
    /// The relation of the friends that are listed: ``FriendRelation/myUni`` or
    /// ``FriendRelation/bothWay``; ``FriendRelation/none`` lists all.
    package var relation = FriendRelation.none
    package var mark = FriendMark.unspecified
    /// The number of the group whose members are listed; nil lists all.
    package var group: UInt32?
    /// ``FriendOrder/addTime`` or ``FriendOrder/pin``; any other means the order of the ids.
    package var order = FriendOrder.userID
    /// The time at which a mute is over or not.
    package let now: Timestamp

    package init(at now: Timestamp) {
        self.now = now
    }

    /// Calls `body` with the stored rows of the friends that are listed, in their order, beginning
    /// after `position`, until `body` returns ``ScanStep/stop``.
    ///
    /// - Parameter body: Takes the position in the order, with the friend, and the row's bytes.
    /// - Returns: How many friends are listed on all pages.
    package func scan(
        of owner: UserID, after position: TimedUser?, _ order: ScanOrder, limit: Int, app: App,
        in transaction: any ReadTransaction,
        _ body: (TimedUser, UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) -> Int {
        var listed = try listed(of: owner, app: app, in: transaction)
        let count = listed.count
        if let position {
            listed.removeAll { order == .ascending ? $0 <= position : $0 >= position }
        }
        listed.sort(by: order == .ascending ? { $0 < $1 } : { $0 > $1 })
        try FriendList.read(
            Tables.friends, listed.prefix(limit), of: app.partition(of: owner), in: transaction,
            body)
        return count
    }

    /// The friends that are listed.
    package func users(
        of owner: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Set<UserID> {
        Set(try listed(of: owner, app: app, in: transaction).map(\.user))
    }

    /// The friends that are listed, each with its position in the order.
    private func listed(
        of owner: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [TimedUser] {
        let partition = app.partition(of: owner)
        let unreturned =
            relation == .none
            ? [] : Set(try BackReferences.owners(on: .unreturned, of: partition, in: transaction))
        let members = try group.map { (group) throws(StorageError) in
            Set(try Groups.members(of: group, of: owner, app: app, in: transaction))
        }
        let listed = try FriendList.sortKeys(of: partition, in: transaction) {
            (sortKey, user) -> TimedUser? in
            guard sortKey.has(mark, at: now), members?.contains(user) ?? true,
                relation == .none || unreturned.contains(user) == (relation == .myUni)
            else { return nil }
            return TimedUser(timeMs: position(sortKey), user: user)
        }
        return listed.compactMap(\.self)
    }

    private func position(_ sortKey: FriendSortKey) -> Int64 {
        switch order {
        case .addTime: sortKey.addTimeMs
        case .pin: sortKey.pinOrder > 0 ? sortKey.pinOrder : .max
        default: 0
        }
    }
}
