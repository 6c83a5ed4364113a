import Memory
import Protobuf
import RelationAPI
import RelationModel

/// A read of the sample graph, and how the graph judges its answers.
struct GraphRead: Sendable {
    let title: String
    let path: String
    /// The users that a call names; nil if it names none, or is not measured beside a check of as
    /// many.
    let users: Int?
    private let message: @Sendable (Question) throws -> [UInt8]
    private let isRight: @Sendable ([UInt8], Question) throws -> Bool

    /// - Parameter isRight: Whether an answer is that of the graph, as far as the graph has it.
    private init<Request: CodedMessage, Response: CodedMessage>(
        _ title: String, _ method: Protobuf.Method<Request, Response>, users: Int? = nil,
        _ fill: @escaping @Sendable (inout Request, Question) -> Void,
        isRight: @escaping @Sendable (Response, Question) -> Bool
    ) {
        (self.title, path, self.users) = (title, method.path, users)
        message = { question in
            try Flood.Request(Request.with { fill(&$0, question) }).message
        }
        self.isRight = { answer, question in
            try Arena.temporary { (arena) throws(CodecError) in
                isRight(try method.responseCoder.message(answer, arena), question)
            }
        }
    }

    /// Fewer calls are in flight if each is long.
    var load: Load {
        (users ?? StoreLimits.longCall) < StoreLimits.longCall
            ? .reads : Load(connections: 4, streams: StoreLimits.longInFlight)
    }

    /// The calls, each with the answer that a server gave once.
    ///
    /// That answer is compared with the graph here. All later ones must have the same bytes.
    func requests(
        _ questions: [Question], _ port: UInt16,
        _ metadata: [(String, String)] = PeerServer.keyed
    ) throws -> [Flood.Request] {
        let messages = try questions.map(message)
        let answers = try Flood(
            port: port, path: path, metadata: metadata,
            requests: messages.map { Flood.Request(message: $0) }
        ).answers()
        for (question, answer) in zip(questions, answers) {
            guard try isRight(answer, question) else {
                throw FloodError("\(title) of user \(question.user): not as the graph requires")
            }
        }
        return zip(messages, answers).map { Flood.Request(message: $0, answer: $1) }
    }
}

// MARK: - Questions

extension GraphRead {
    /// The users that calls of random users name: half of them friends, the others any users.
    func questions(_ count: Int, in graph: SampleGraph, seed: UInt64) -> [Question] {
        var numbers = SeededNumbers(seed: seed)
        return (0..<count).map { _ in
            let owner = Int.random(in: graph.users.indices, using: &numbers)
            // Two friends share the most.
            guard title != Self.mutual.title else {
                let friend = graph.friends[owner].randomElement(using: &numbers)!
                return Question(graph: graph, owner: owner, others: [friend])
            }
            var others: [Int] = []
            while others.count < users ?? 0 {
                let other = graph.other(than: owner, friends: true, using: &numbers)
                // Some calls refuse a user that is named twice.
                if !others.contains(other) { others.append(other) }
            }
            return Question(graph: graph, owner: owner, others: others)
        }
    }

    /// The users that few and long calls name: any users.
    func longQuestions(in graph: SampleGraph, seed: UInt64) -> [Question] {
        var numbers = SeededNumbers(seed: seed)
        var owners = (0..<PeerBenchLimits.differentLongReads).map { _ in
            Int.random(in: graph.users.indices, using: &numbers)
        }
        if title == Self.manyFriends.title {
            // A page is full for those who have the most friends, if it is for any.
            let sorted = graph.users.indices.sorted {
                graph.friends[$0].count > graph.friends[$1].count
            }
            owners = Array(sorted.prefix(owners.count))
        }
        return owners.map { owner in
            let others = graph.users.indices.filter { $0 != owner }.shuffled(using: &numbers)
            return Question(graph: graph, owner: owner, others: Array(others.prefix(users ?? 0)))
        }
    }
}

// MARK: - Reads

extension GraphRead {
    /// The whole list of a user, whose friends the question names in the order of their ids.
    static let wholeList = GraphRead(
        "ListFriends of \(BenchLimits.listedFriends)", FriendMethods.listFriends
    ) {
        ($0.userID, $0.pageSize) = ($1.user, Int32($1.others.count))
    } isRight: { answer, question in
        answer.friends.map(\.userID) == question.names
            && Int(answer.totalSize) == question.others.count
    }

    /// All reads that are measured beside checks of as many users from fixed rows.
    static let all =
        StoreLimits.checks.map(checks) + [
            canSend(1), canSend(StoreLimits.readUsers), blacklist(StoreLimits.readUsers),
            relations(StoreLimits.readUsers), mutual, suggestions,
        ]

    /// Some reads that take long, since they name or answer many users.
    static let long = [
        manyProfiles, checks(PeerBenchLimits.checks), manyFriends,
        relations(PeerBenchLimits.relations),
        suggestions,
    ]

    static func checks(_ count: Int) -> GraphRead {
        GraphRead("CheckFriends of \(count)", FriendMethods.checkFriends, users: count) {
            ($0.userID, $0.userIDs) = ($1.user, $1.names)
        } isRight: { answer, question in
            answer.results.map(\.userID) == question.names
                && answer.results.allSatisfy { $0.code == .success }
                && answer.results.map(\.relation) == question.relations
        }
    }

    static func canSend(_ count: Int) -> GraphRead {
        GraphRead("CanSend of \(count)", BlacklistMethods.canSend, users: count) {
            ($0.userID, $0.userIDs) = ($1.user, $1.names)
        } isRight: { answer, question in
            // No user of the graph has a blacklist, and the app lets unrelated users write.
            answer.results.map(\.userID) == question.names
                && answer.results.allSatisfy { $0.code == .success }
        }
    }

    static func blacklist(_ count: Int) -> GraphRead {
        GraphRead("CheckBlacklist of \(count)", BlacklistMethods.checkBlacklist, users: count) {
            ($0.userID, $0.userIDs) = ($1.user, $1.names)
        } isRight: { answer, question in
            answer.results.map(\.userID) == question.names
                && answer.results.allSatisfy {
                    $0.code == .success && $0.relation == BlacklistRelation.none
                }
        }
    }

    static func relations(_ count: Int) -> GraphRead {
        GraphRead("GetRelations of \(count)", FriendMethods.getRelations, users: count) {
            ($0.userID, $0.userIDs) = ($1.user, $1.names)
        } isRight: { answer, question in
            answer.results.map(\.userID) == question.names
                && answer.results.map(\.relation) == question.relations
                && answer.results.map { $0.friendEntry != nil } == question.areFriends
                && answer.results.allSatisfy { !$0.blacklisted }
        }
    }

    static let mutual = GraphRead("ListMutualFriends", FriendMethods.listMutualFriends) {
        ($0.userID, $0.otherUserID) = ($1.user, $1.names[0])
    } isRight: { answer, question in
        let (graph, friends) = (question.graph, question.graph.friends)
        let shared = Set(friends[question.owner]).intersection(friends[question.others[0]])
            .map { graph.users[$0] }.sorted().map(\.text)
        return answer.code == .success && Int(answer.totalSize) == shared.count
            && answer.userIDs == Array(shared.prefix(answer.userIDs.count))
            && answer.userIDs.isEmpty == shared.isEmpty
    }

    static let suggestions = GraphRead("SuggestFriends", FriendMethods.suggestFriends) {
        $0.userID = $1.user
    } isRight: { answer, question in
        areBest(answer.suggestions, isBounded: answer.bounded, question.owner, in: question.graph)
    }

    static let manyProfiles = GraphRead(
        "GetProfiles of \(PeerBenchLimits.profiles)", ProfileMethods.getProfiles,
        users: PeerBenchLimits.profiles
    ) {
        ($0.userID, $0.userIDs) = ($1.user, $1.names)
    } isRight: { answer, question in
        answer.results.map(\.userID) == question.names
            && answer.results.allSatisfy { $0.code == .success && $0.profile != nil }
    }

    static let manyFriends = GraphRead(
        "ListFriends of \(PeerBenchLimits.friends) with profiles", FriendMethods.listFriends
    ) {
        ($0.userID, $0.pageSize) = ($1.user, Int32(PeerBenchLimits.friends))
        $0.withProfiles = true
    } isRight: { answer, question in
        let graph = question.graph
        let friends = Set(graph.friends[question.owner].map { graph.users[$0].text })
        return answer.friends.count == min(PeerBenchLimits.friends, friends.count)
            && Set(answer.friends.map(\.userID)).isSubset(of: friends)
            && answer.friends.allSatisfy { $0.profile != nil }
            && answer.totalSize == Int32(friends.count)
    }

    /// Whether these are friends of friends, the best first, each with the count that the graph
    /// has for it.
    private static func areBest(
        _ suggestions: [FriendSuggestion], isBounded: Bool, _ owner: Int, in graph: SampleGraph
    ) -> Bool {
        let friends = Set(graph.friends[owner])
        var counts: [Int: Int] = [:]
        for friend in friends {
            for other in graph.friends[friend] where other != owner && !friends.contains(other) {
                counts[other, default: 0] += 1
            }
        }
        let known = Dictionary(uniqueKeysWithValues: counts.map { (graph.users[$0].text, $1) })
        let found = suggestions.map { Int($0.mutualCount) }
        let areKnown = zip(suggestions, found).allSatisfy { suggestion, count in
            guard let most = known[suggestion.userID] else { return false }
            // Not all rows are looked at if there are too many.
            return isBounded ? (1...most).contains(count) : count == most
        }
        guard areKnown, zip(found, found.dropFirst()).allSatisfy({ $0 >= $1 }) else { return false }
        return isBounded || found.first == counts.values.max()
    }
}
