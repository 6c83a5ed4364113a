import RelationModel

/// The users whose rows a call has taken back so far.
///
/// A call makes one event for each kind and receiver, so an event does not say in which order two
/// kinds of rows changed. Entries about other users may share events; a second change of the same
/// rows needs later ones.
struct UndoneUsers {
    private var pairs: Set<[UserID]> = []
    /// The users of the pairs.
    private var members: Set<UserID> = []
    /// The users whose groups or profiles were taken back.
    private var owners: Set<UserID> = []

    /// Adds the users of an entry.
    ///
    /// - Returns: Whether the entry may change rows that an earlier one has changed. The set then
    ///   has these users alone.
    mutating func insert(_ users: [UserID]) -> Bool {
        let pair = users.sorted()
        let isRepeated =
            users.count > 1
            ? pairs.contains(pair) || users.contains(where: owners.contains)
            : users.contains { owners.contains($0) || members.contains($0) }
        if isRepeated { self = UndoneUsers() }
        if users.count > 1 {
            pairs.insert(pair)
            members.formUnion(users)
        } else {
            owners.formUnion(users)
        }
        return isRepeated
    }
}
