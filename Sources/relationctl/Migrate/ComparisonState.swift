import Glibc
import Protobuf

/// How far a comparison has come, in a file: the same command goes on from there.
///
/// The file is replaced after each part of the users, so a command that ends in any way, Ctrl-C
/// included, loses no more than the part that is under way.
struct ComparisonState {
    private let path: String
    private let identity: String
    /// The users that are compared.
    private(set) var users = 0
    /// The differences so far.
    private(set) var differences = 0
    /// The users so far of whom something could not be compared.
    private(set) var uncompared = 0
    /// The counts of findings that were reported so far, by kind.
    private(set) var counts = KindCounts()
    /// The length of the report about them, in bytes.
    private(set) var reportBytes: Int64 = 0

    /// - Parameter identity: All that decides what is compared.
    /// - Throws: ``Failure`` if the file cannot be read, or is of another comparison.
    init(_ path: String, _ identity: [String]) throws {
        self.path = path
        self.identity = MigrationFile.hash(of: identity)
        guard let line = try LineFile.read(path) else { return }
        guard case .object(let members) = try? JSONValue(parsing: line),
            case .string(let identity)? = Self.member("identity", members),
            let users = Self.number("users", members),
            let differences = Self.number("differences", members),
            let reportBytes = Self.number("reportBytes", members),
            case .object(let counts)? = Self.member("kinds", members)
        else { throw Failure("\(path): is not a state of a comparison") }
        guard identity == self.identity else {
            throw Failure("\(path) is of other users or options: remove it, or name another file")
        }
        var kinds: [String: Int] = [:]
        for (kind, _) in counts { kinds[kind] = Self.number(kind, counts) }
        (self.users, self.reportBytes) = (users, Int64(reportBytes))
        self.differences = differences
        uncompared = Self.number("uncompared", members) ?? 0
        self.counts = KindCounts(total: kinds.values.reduce(0, +), kinds: kinds)
    }

    private static func member(
        _ name: String, _ members: [(key: String, value: JSONValue)]
    ) -> JSONValue? {
        members.first { $0.key == name }?.value
    }

    /// A count; nil if it is none.
    private static func number(
        _ name: String, _ members: [(key: String, value: JSONValue)]
    ) -> Int? {
        guard case .number(let digits)? = member(name, members), let number = Int(digits),
            number >= 0
        else { return nil }
        return number
    }

    /// Writes the state after more users.
    ///
    /// - Parameters:
    ///   - counts: All that was reported, by kind.
    ///   - uncompared: The users of whom something could not be compared.
    mutating func move(
        to users: Int, _ counts: KindCounts, uncompared: Int, differences: Int, reportBytes: Int64
    ) throws {
        (self.uncompared, self.differences) = (uncompared, differences)
        (self.users, self.counts, self.reportBytes) = (users, counts, reportBytes)
        let kinds = counts.kinds.sorted { $0.key < $1.key }
            .map { "\(JSONQuote.text($0.key)):\($0.value)" }.joined(separator: ",")
        try LineFile.write(
            "{\"identity\":\"\(identity)\",\"users\":\(users),\"differences\":\(differences),"
                + "\"uncompared\":\(uncompared),"
                + "\"reportBytes\":\(reportBytes),\"kinds\":{\(kinds)}}", to: path)
    }

    /// Removes the file: all users are compared.
    func finish() {
        unlink(path)
    }
}
