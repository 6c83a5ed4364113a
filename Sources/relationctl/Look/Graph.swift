import ArgumentParser
import Protobuf
import RelationAPI
import RelationClient
import RelationModel

struct Graph: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show how the friends of a user know each other, as a table and as a picture.",
        discussion: """
            relationctl graph alice
            relationctl graph alice --friends 100 --svg alice.svg
            """)

    @OptionGroup var connection: Connection

    @OptionGroup var form: DataOutput

    @Argument(help: "The user in the middle.")
    var user: String

    @Option(help: "The most friends to show: each of them costs a call.")
    var friends = 50

    @Option(
        help: ArgumentHelp("Draw the graph into this file.", valueName: "file"), completion: .file()
    )
    var svg: String?

    func validate() throws {
        guard (1...Limits.graphFriends).contains(friends) else {
            throw ValidationError("--friends takes a number from 1 to \(Limits.graphFriends)")
        }
        if let svg { try NamedFiles.mustBeFile("--svg", svg) }
    }

    func run() async throws {
        let circle = try await connection.calling { client in
            try await FriendGraph(of: user, friends: friends, client)
        }
        if let svg {
            let file = try LineWriter(svg)
            try file.write(GraphPicture(circle).svg)
            try file.close()
        }
        try form.show(circle.text) { _ in circle.data }
        if circle.shown.count < circle.all {
            let most = Limits.graphFriends
            let more = friends < most ? "; --friends takes up to \(most)" : ""
            StandardError.print(
                "\(user) has \(circle.all) friends, and the first \(circle.shown.count) by their "
                    + "ids are here\(more)")
        }
    }
}

/// A user, its friends, and who of them has whom as a friend.
struct FriendGraph {
    struct Node {
        let id: String
        /// The name that the user sees.
        let name: String
        /// Whether the friend has the user as a friend too.
        var isMutual = false
        /// The indices of the shown friends that this one has in its own list.
        var known: [Int] = []
    }

    let user: String
    /// How many friends the user has.
    let all: Int
    private(set) var shown: [Node] = []

    init(of user: String, friends count: Int, _ client: Client) async throws {
        self.user = user
        let list = try await client.call(
            FriendMethods.listFriends,
            ListFriendsRequest.with {
                $0.userID = user
                $0.pageSize = Int32(count)
                $0.order = .userID
                $0.displayOrder = .firstName
            })
        all = Int(list.totalSize)
        shown = list.friends.map { Node(id: $0.userID, name: $0.displayName) }
        guard !shown.isEmpty else { return }
        let ids = shown.map(\.id)
        for index in shown.indices {
            let answer = try await client.call(
                FriendMethods.checkFriends,
                CheckFriendsRequest.with {
                    $0.userID = ids[index]
                    $0.userIDs = ids + [user]
                    $0.checkType = .unidirection
                })
            let has = answer.results.map { $0.relation == .myUni || $0.relation == .bothWay }
            shown[index].isMutual = has.last ?? false
            shown[index].known = has.dropLast().indices.filter { has[$0] && $0 != index }
        }
    }

    /// Whether the two at these indices have each other.
    func areMutual(_ one: Int, _ other: Int) -> Bool {
        shown[one].known.contains(other) && shown[other].known.contains(one)
    }

    /// The friends with their edges, for programs.
    var data: JSONValue {
        let friends = shown.map { node -> JSONValue in
            .object([
                ("userId", .string(node.id)), ("displayName", .string(node.name)),
                ("isMutual", .bool(node.isMutual)),
                ("knows", .array(node.known.map { .string(shown[$0].id) })),
            ])
        }
        return .object([
            ("userId", .string(user)), ("totalSize", .whole(all)), ("friends", .array(friends)),
        ])
    }

    /// The friends with their edges; a `>` stands before one who does not have the friend too.
    var text: PlainText {
        var rows: [[PlainText]] = [["FRIEND", "NAME", "HAS \(user)", "EDGES", "KNOWS"]]
        for (index, node) in shown.enumerated() {
            let names = node.known.map { (areMutual(index, $0) ? "" : ">") + shown[$0].id }
            rows.append([
                "\(node.id)", "\(node.name)", node.isMutual ? "yes" : "no", "\(names.count)",
                "\(names.joined(separator: " "))",
            ])
        }
        return PlainTable(rows: rows).text
    }
}
