/// How much work the changes are.
struct ChangeCounts {
    private(set) var accounts = 0
    private(set) var calls = 0
    private(set) var profiles = 0
    private(set) var friends = 0
    private(set) var blacklist = 0
    private(set) var follows = 0
    /// How many things came, changed and went, by their kind.
    private(set) var kinds: [String: Int] = [:]

    mutating func add(_ change: AccountChange) {
        accounts += change.accounts.count
        calls += change.calls.count
        profiles += change.profiles.count
        friends += change.friends.count
        blacklist += change.blacklist.count
        follows += change.follows.count
        kinds.merge(change.counts, uniquingKeysWith: +)
    }
}
