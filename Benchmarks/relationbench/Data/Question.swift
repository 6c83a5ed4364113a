import RelationModel

/// A user of the sample graph, and those that a call of it names.
struct Question {
    let graph: SampleGraph
    let owner: Int
    let others: [Int]

    var user: String { graph.users[owner].text }
    var names: [String] { others.map { graph.users[$0].text } }
    var areFriends: [Bool] { others.map { graph.areFriends(owner, $0) } }
    var relations: [FriendRelation] { areFriends.map { $0 ? .bothWay : .none } }
}

extension SampleGraph {
    /// Random users, each with as many others: half of these are friends if there are any.
    ///
    /// - Parameter friends: Whether friends are preferred; else all others are any users.
    func questions(
        _ count: Int, ids: Int, friends preferred: Bool = true, _ numbers: inout SeededNumbers
    ) -> [Question] {
        (0..<count).map { _ in
            let owner = Int.random(in: users.indices, using: &numbers)
            let others = (0..<ids).map { _ in
                other(than: owner, friends: preferred, using: &numbers)
            }
            return Question(graph: self, owner: owner, others: others)
        }
    }

    /// A random user that is not `owner`: no user is a friend of itself.
    func other(than owner: Int, friends preferred: Bool, using numbers: inout SeededNumbers) -> Int
    {
        let step = Int.random(in: 1..<users.count, using: &numbers)
        let anyUser = (owner + step) % users.count
        guard preferred, Bool.random(using: &numbers) else { return anyUser }
        return friends[owner].randomElement(using: &numbers) ?? anyUser
    }
}
