import RelationCore
import RelationModel
import Storage

/// The users whose profiles and presence a user is told of, by pages.
enum Circle {
    /// Behind which of whose friends a page begins.
    struct Place {
        /// The user's place among those whose circles are gone through.
        var number = 0
        var after: UserID?
    }

    struct Page {
        let user: UserID
        let subjects: [UserID]
        /// Nil after the last page of the last user.
        let next: Place?
    }

    /// The page at `place`, or nil if there is no such user.
    static func page(
        of users: [UserID], at place: Place, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Page? {
        guard place.number < users.count else { return nil }
        let user = users[place.number]
        let partition = app.partition(of: user)
        let friends = Tables.friends
        let range =
            place.after.map { friends.rows(of: partition, after: $0) }
            ?? friends.all(of: partition)
        var subjects: [UserID] = []
        try friends.scanBytes(range, limit: WatchLimits.stateItems, in: transaction) { id, _ in
            subjects.append(UserID(stored: id))
            return .more
        }
        var next = place
        next.after = subjects.last
        if subjects.count < WatchLimits.stateItems {
            next = Place(number: place.number + 1)
        }
        return Page(user: user, subjects: subjects, next: next.number < users.count ? next : nil)
    }
}
