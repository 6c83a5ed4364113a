import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import Storage
import StorageRocks

/// The data of the counted calls: small, and the same on every machine.
///
/// One owner has many friends, some have a few, and each of the others is where some call finds it.
/// Rows that a write changes stand there once for each of ``CountLimits/writes``.
enum CountData {
    static let hub = "hub"
    static let group = "family"

    static func user(_ number: Int) -> String { "user-\(number)" }
    static func owner(_ number: Int) -> String { "owner-\(number)" }
    static func friend(_ number: Int, of owner: Int) -> String { user(owner * 30 + number) }
    /// Two users who are not friends.
    static func unrelatedUsers(_ number: Int) -> (String, String) {
        ("adder-\(number)", "added-\(number)")
    }
    /// Two users who are friends.
    static func pair(_ number: Int) -> (String, String) { ("one-\(number)", "other-\(number)") }
    /// A user to whom another has applied.
    static func asked(_ number: Int) -> (String, by: String) {
        ("asked-\(number)", "asker-\(number)")
    }

    private static var accounts: [String] {
        let writes = (0..<CountLimits.writes).flatMap { number in
            let (adder, added) = unrelatedUsers(number)
            let (one, other) = pair(number)
            let (asked, asker) = asked(number)
            return [adder, added, one, other, asked, asker]
        }
        return [hub] + (0..<CountLimits.users).map(user) + (0..<CountLimits.owners).map(owner)
            + writes
    }

    /// Fills a new folder.
    static func prepare(_ folder: String) throws {
        var options = RocksOptions()
        options.sync = false
        let store = try RocksStore(folder: folder, options)
        defer { store.close() }
        try fill(store)
        let service = CountedService(store)
        for plan in try plans() { try plan.run(on: service) { work in try work() } }
        service.close()
        try store.compact()
    }

    // MARK: By the rules

    private static func fill(_ store: RocksStore) throws(StorageError) {
        let rows = BenchRows(
            store, CountedService.app, now: CountedService.now,
            together: CountLimits.preparedTogether)
        try rows.create(accounts)
        var friends: [(String, String)] = []
        for number in 0..<CountLimits.hubFriends { friends.append((hub, user(number))) }
        for owner in 0..<CountLimits.owners {
            for number in 0..<CountLimits.ownerFriends {
                friends.append((Self.owner(owner), friend(number, of: owner)))
            }
        }
        for number in 0..<CountLimits.writes { friends.append(pair(number)) }
        try rows.write(friends.count) { (number, ledger) throws(StorageError) in
            let (one, other) = friends[number]
            var row = BenchRows.friendship(one, other)
            row.values.remark = "known since \(2_000 + number % 26)"
            row.values.source = "AddSource_Type_Bench"
            try BenchRows.write(row, in: ledger)
        }
    }

    // MARK: By calls

    private static func plans() throws -> [CountedPlan] {
        let users = [hub] + (0..<CountLimits.hubFriends + 100).map(user)
        let applied = (0..<CountLimits.applied).map { user($0 + CountLimits.hubFriends + 200) }
        let askers = (0..<CountLimits.writes).map { asked($0) }
        let applications =
            applied.map { (hub, $0) } + askers.map { ($0.0, $0.by) }
        let blacklisted = (0..<CountLimits.blacklisted).map {
            user($0 + CountLimits.hubFriends + 100)
        }
        return [
            try plan(ProfileMethods.updateProfile, users.enumerated().map(profile)) {
                $0.code == .success
            },
            try plan(ProfileMethods.updateProfile, ([hub] + askers.map(\.0)).map(confirms)) {
                $0.code == .success
            },
            try plan(
                FriendMethods.addFriends,
                applications.map { .adding($0, to: $1, wording: "We met at the lake") }
            ) { $0.results.allSatisfy { $0.code == .pending } },
            try plan(
                BlacklistMethods.addToBlacklist,
                [.with { ($0.userID, $0.userIDs) = (hub, blacklisted) }]
            ) { $0.results.allSatisfy { $0.code == .success } },
            try plan(
                GroupMethods.createFriendGroups,
                [
                    .with {
                        ($0.userID, $0.names) = (hub, [group, "work"])
                        $0.userIDs = (0..<CountLimits.groupMembers).map(user)
                    }
                ]
            ) { $0.results.allSatisfy { $0.code == .success } },
        ]
    }

    private static func plan<Request: CodedMessage, Response: CodedMessage>(
        _ method: Protobuf.Method<Request, Response>, _ requests: [Request],
        _ isRight: @escaping (Response) -> Bool
    ) throws -> CountedPlan {
        try CountedPlan(method, CountLimits.preparedTogether, 0, requests, isRight)
    }

    /// Gives a user the fields that a messenger shows.
    private static func profile(_ number: Int, _ user: String) -> UpdateProfileRequest {
        .with {
            $0.userID = user
            $0.profile = .with {
                $0.nick = "The nick of \(user)"
                $0.faceURL = "https://faces.example/\(user).png"
                $0.gender = number % 2 == 0 ? .female : .male
                $0.birthday = UInt32(19_800_101 + number % 28)
                $0.language = UInt32(number % 5)
                $0.selfSignature = Array("A few words of \(user) about the day".utf8)
            }
            $0.updateMask = FieldMask([
                "nick", "face_url", "gender", "birthday", "language", "self_signature",
            ])
        }
    }

    /// Lets a user be asked before it becomes a friend.
    private static func confirms(_ user: String) -> UpdateProfileRequest {
        .with {
            ($0.userID, $0.updateMask) = (user, FieldMask(["allow_type"]))
            $0.profile = .with { $0.allowType = .needConfirm }
        }
    }
}
