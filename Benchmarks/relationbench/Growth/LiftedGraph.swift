/// A graph of any size whose users have the degrees of a small one.
///
/// It consists of copies of the small graph. Each friendship of that graph stands once in every
/// copy. Most stay within their copy, so friends share friends. The others lead from each copy to
/// another one, at a distance of their own, so all copies hang together.
///
/// Nothing of it is stored but the small graph and these distances. So a graph of any size needs no
/// more memory than the small one, and the right answer to any call is known.
///
/// A user is a number from 0 on, and has another number as its id. So users with neighbouring ids
/// have nothing to do with each other.
struct LiftedGraph {
    let copies: Int
    let userCount: Int
    let friendshipCount: Int

    private let base: SampleGraph
    /// By the friendships of the small graph: how many copies further the second user is.
    private let distances: [Int]
    /// The friendships of the small graph by their users.
    private let numbers: [UInt64: Int32]
    private let friendships: [[Int32]]
    private let factor: Int

    /// - Parameter friendships: About how many friendships it has: as near as copies come to that.
    init(_ base: SampleGraph, friendships wanted: Int, seed: UInt64) {
        let each = base.friendships.count
        let copies = max(1, (wanted + each / 2) / each)
        var random = SeededNumbers(seed: seed)
        (self.base, self.copies) = (base, copies)
        userCount = copies * base.users.count
        friendshipCount = copies * each
        distances = (0..<each).map { _ in
            let crosses = Int.random(in: 0..<GrowthLimits.crossing, using: &random) == 0
            let distance = Int.random(in: 0..<copies, using: &random)
            return crosses ? distance : 0
        }
        var numbers: [UInt64: Int32] = [:]
        var byUser = [[Int32]](repeating: [], count: base.users.count)
        for (index, (one, other)) in base.friendships.enumerated() {
            numbers[UInt64(one) << 32 | UInt64(other)] = Int32(index)
            byUser[one].append(Int32(index))
            byUser[other].append(Int32(index))
        }
        self.numbers = numbers
        self.friendships = byUser
        factor = Self.factor(for: userCount)
    }

    /// A factor that gives each number below `count` another one, far from those of its neighbours.
    private static func factor(for count: Int) -> Int {
        var factor = max(1, Int(Double(count) * 0.618_033_988_75))
        while greatestDivisor(factor, count) != 1 { factor += 1 }
        return factor
    }

    private static func greatestDivisor(_ one: Int, _ other: Int) -> Int {
        var (one, other) = (one, other)
        while other != 0 { (one, other) = (other, one % other) }
        return one
    }

    func id(of user: Int) -> String { "\(user * factor % userCount)" }

    /// The users of a friendship; those of one copy follow each other.
    func friendship(_ index: Int) -> (Int, Int) {
        let (copy, number) = index.quotientAndRemainder(dividingBy: distances.count)
        let (one, other) = base.friendships[number]
        return (user(one, in: copy), user(other, in: copy + distances[number]))
    }

    func friends(of user: Int) -> [Int] {
        let (copy, own) = user.quotientAndRemainder(dividingBy: base.users.count)
        return friendships[own].map { index in
            let (one, other) = base.friendships[Int(index)]
            let distance = distances[Int(index)]
            return one == own
                ? self.user(other, in: copy + distance)
                : self.user(one, in: copy + copies - distance)
        }
    }

    func areFriends(_ one: Int, _ other: Int) -> Bool {
        leads(from: one, to: other) || leads(from: other, to: one)
    }

    /// Whether the first user of a friendship of the small graph stands at `one`, and the second at
    /// `other`.
    private func leads(from one: Int, to other: Int) -> Bool {
        let (copy, own) = one.quotientAndRemainder(dividingBy: base.users.count)
        let (otherCopy, its) = other.quotientAndRemainder(dividingBy: base.users.count)
        guard let index = numbers[UInt64(own) << 32 | UInt64(its)] else { return false }
        return (copy + distances[Int(index)]) % copies == otherCopy
    }

    private func user(_ own: Int, in copy: Int) -> Int { copy % copies * base.users.count + own }
}

extension LiftedGraph {
    /// Writes all friendships into a file, a line each.
    ///
    /// - Parameters:
    ///   - isMixed: Whether neighbouring lines have nothing to do with each other. Otherwise they
    ///     have the order of the small graph's file, one copy after another.
    ///   - note: Gets how many have been written, now and then.
    func write(to path: String, isMixed: Bool, _ note: (Int) -> Void) throws(FloodError) {
        let file = try OutputFile(path)
        let step = isMixed ? Self.factor(for: friendshipCount) : 1
        let part = max(1, friendshipCount / GrowthLimits.progressParts)
        for line in 0..<friendshipCount {
            let (one, other) = friendship(line * step % friendshipCount)
            try file.append(Array("\(id(of: one)) \(id(of: other))\n".utf8))
            if (line + 1).isMultiple(of: part) { note(line + 1) }
        }
        try file.close()
    }
}
