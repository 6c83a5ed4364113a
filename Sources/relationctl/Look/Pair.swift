import ArgumentParser
import Protobuf
import RelationAPI
import RelationClient
import RelationModel

struct Pair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show everything that two users are to each other.",
        discussion: """
            Friendship, remark, groups, applications that wait, blacklists, follows, subscriptions \
            and mutual friends, and whether a message may pass in each direction. With --explain, \
            also why one may write to the other, add it, follow it, block it and accept its \
            application, or not, and what a check of their friendship tells it.

            relationctl pair alice bob
            relationctl pair alice bob --explain
            relationctl pair alice bob --output json

            With --as-of, the friendship, the applications and the blacklists of a past moment, in \
            an app that keeps a history; this needs the scope admin:

            relationctl pair alice bob --as-of 2026-11-29T18:00:00Z
            """)

    @OptionGroup var connection: Connection

    @OptionGroup var form: DataOutput

    @Argument(help: "A user.")
    var user: String

    @Argument(help: "Another user.")
    var other: String

    @Flag(
        help: """
            Also show why one may write to the other, add it, follow it, block it and accept its \
            application, or not, and what a check tells it, rung by rung: this needs the scope \
            admin.
            """)
    var explain = false

    @Option(help: "A past moment, as in 2026-11-29T18:00:00Z or in milliseconds since 1970.")
    var asOf: Moment?

    func validate() throws {
        if explain, asOf != nil { throw ValidationError("--explain is of the present") }
        guard user != other else { throw ValidationError("a pair has two different users") }
    }

    func run() async throws {
        let (sides, shared) = try await connection.calling { client in
            let sides = [
                try await side(of: user, other, client), try await side(of: other, user, client),
            ]
            return (sides, asOf == nil ? try await MutualFriends(of: user, other, client) : nil)
        }
        let rows = sides.flatMap { $0.side.rows + ($0.ladders?.rows ?? []) }
        try form.show(PlainTable(rows: rows + [shared?.row].compactMap(\.self)).text) { maker in
            let directions = try sides.map { side in
                var members = try side.side.data(maker)
                if let ladders = side.ladders {
                    members.append(("explain", try ladders.data(maker)))
                }
                return JSONValue.object(members)
            }
            return .object([
                ("directions", .array(directions)),
                ("mutualFriends", try maker.message(shared?.answer)),
            ])
        }
    }

    /// One direction of the pair, and its ladders if they are wanted.
    private func side(
        of user: String, _ other: String, _ client: Client
    ) async throws -> (side: PairSide, ladders: PairLadders?) {
        if let asOf { return (try await PairSide(of: user, other, asOf: asOf, client), nil) }
        let side = try await PairSide(of: user, other, client)
        return (side, explain ? try await PairLadders(from: user, to: other, client) : nil)
    }
}

/// Everything that one user has of another.
private struct PairSide {
    /// It as a table's rows.
    let rows: [[PlainText]]
    private let users: (from: String, to: String)
    private let card: RelationCard
    /// Whether a message may pass, the follow, and the subscriptions; none of a past moment.
    private var sending: CanSendResult?
    private var follow: CheckFollowsResult?
    private var subscribed: [String]?

    /// It for programs: the messages that the server answered.
    func data(_ maker: DataMaker) throws -> [(key: String, value: JSONValue)] {
        var members: [(key: String, value: JSONValue)] = [
            ("fromUserId", .string(users.from)), ("toUserId", .string(users.to)),
            ("relations", try maker.message(card)),
        ]
        if let sending { members.append(("canSend", try maker.message(sending))) }
        if let follow { members.append(("follow", try maker.message(follow))) }
        if let subscribed { members.append(("subscriptions", maker.texts(subscribed))) }
        return members
    }

    /// The rows that one user had of another at a past moment.
    init(of user: String, _ other: String, asOf: Moment, _ client: Client) async throws {
        users = (user, other)
        card = try await Self.card(
            of: user, other, ReadOptions.with { $0.asOfMs = asOf.milliseconds }, client)
        rows = [[Paint.heading("\(user) -> \(other)"), ""]] + Self.stored(card, user, other)
    }

    private static func card(
        of user: String, _ other: String, _ options: ReadOptions?, _ client: Client
    ) async throws -> RelationCard {
        let relations = GetRelationsRequest.with {
            $0.userID = user
            $0.userIDs = [other]
            $0.options = options
        }
        guard
            let card = try await client.call(FriendMethods.getRelations, relations).results.first
        else { throw Failure("the server answers nothing about \(other)") }
        guard card.code == .success else {
            let reason = card.code?.name ?? "no code"
            throw Failure("\(other): \(reason) \(card.info): is it an account?", .refused)
        }
        return card
    }

    private static func stored(
        _ card: RelationCard, _ user: String, _ other: String
    ) -> [[PlainText]] {
        [
            ["friend", friend(card.friendEntry)],
            ["application", application(card.sent)],
            ["blacklist", card.blacklisted ? Paint.bad("\(user) has \(other) on it") : "no"],
        ]
    }

    init(of user: String, _ other: String, _ client: Client) async throws {
        users = (user, other)
        card = try await Self.card(of: user, other, nil, client)
        sending = try await client.call(
            BlacklistMethods.canSend,
            CanSendRequest.with {
                $0.userID = user
                $0.userIDs = [other]
            }
        ).results.first
        follow = try await client.call(
            FollowMethods.checkFollows,
            CheckFollowsRequest.with {
                $0.userID = user
                $0.userIDs = [other]
            }
        ).results.first
        let relation = follow?.relation
        let follows = relation == .following || relation == .mutual
        let kinds = try await Self.subscriptions(of: user, to: other, client)
        subscribed = kinds
        rows =
            [[Paint.heading("\(user) -> \(other)"), ""]] + Self.stored(card, user, other) + [
                ["follows", follows ? "yes" : "no"],
                ["subscribes", kinds.isEmpty ? "no" : "\(kinds.joined(separator: ", "))"],
                ["message", Self.message(sending?.code, from: user, to: other)],
            ]
    }

    private static func friend(_ row: Friend?) -> PlainText {
        guard let row else { return "no" }
        var words: [PlainText] = ["yes"]
        if !row.remark.isEmpty { words.append("remark \(row.remark)") }
        if !row.groups.isEmpty { words.append("groups \(row.groups.joined(separator: ", "))") }
        if row.addTimeMs > 0 { words.append("since \(DayClock.text(row.addTimeMs))") }
        return words.joined("; ")
    }

    private static func application(_ sent: FriendApplication?) -> PlainText {
        guard let sent else { return "none waits" }
        let wording = sent.wording.isEmpty ? "" : ": \(sent.wording)"
        return "waits since \(DayClock.text(sent.addTimeMs))\(wording)"
    }

    private static func subscriptions(
        of user: String, to other: String, _ client: Client
    ) async throws -> [String] {
        var kinds: [String] = []
        var seen = 0
        for try await subscription in client.subscriptions(of: user, pageSize: 1_000) {
            seen += 1
            if subscription.userID == other { kinds.append(subscription.subscribeType.words) }
            guard seen < Limits.pairSubscriptions else {
                let end = "not known beyond the first \(Limits.pairSubscriptions)"
                return kinds + [end]
            }
        }
        return kinds
    }

    private static func message(_ code: SendStatus?, from me: String, to you: String) -> PlainText {
        let why: String
        switch code {
        case .success?: return Paint.good("may pass")
        case .inPeerBlacklist?: why = "\(you) has \(me) on its blacklist"
        case .notFriend?: why = "the app asks for friends, and neither has the other"
        case .notPeerFriend?: why = "the app asks for friends, and \(you) does not have \(me)"
        case .notSelfFriend?: why = "the app asks for friends, and \(me) does not have \(you)"
        case .accountNotFound?: why = "\(you) is not an account"
        default: why = code?.name ?? "the server does not say"
        }
        return "\(Paint.bad("may not pass")): \(why)"
    }
}

/// The friends that two users share.
private struct MutualFriends {
    let row: [PlainText]
    let answer: ListMutualFriendsResponse

    init(of user: String, _ other: String, _ client: Client) async throws {
        answer = try await client.call(
            FriendMethods.listMutualFriends,
            ListMutualFriendsRequest.with {
                $0.userID = user
                $0.pageSize = Limits.pairMutualFriends
                $0.otherUserID = other
            })
        let names = answer.userIDs.joined(separator: " ")
        let isWhole = answer.userIDs.count == Int(answer.totalSize)
        let more = isWhole || answer.userIDs.isEmpty ? "" : " …"
        let least = answer.bounded ? " or more" : ""
        let list = names.isEmpty ? "" : ": \(names)\(more)"
        row = [
            Paint.heading("mutual friends"), "\(answer.totalSize)\(least)\(list)",
        ]
    }
}

extension SubscribeType {
    /// The part of a user that is followed, in a word of a sentence.
    var words: String {
        let name = name ?? "\(rawValue)"
        let prefix = "SUBSCRIBE_TYPE_"
        return (name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name).lowercased()
    }
}
