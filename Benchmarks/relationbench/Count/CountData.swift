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
    static func strangers(_ number: Int) -> (String, String) {
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
            let (adder, added) = strangers(number)
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
        let accounts = accounts
        try write(accounts.count, to: store) { (number, ledger) throws(StorageError) in
            let user = UserID(stored: accounts[number].utf8)
            _ = try Accounts.create(user, nick: "", faceURL: "", in: ledger)
        }
        var friends: [(String, String)] = []
        for number in 0..<CountLimits.hubFriends { friends.append((hub, user(number))) }
        for owner in 0..<CountLimits.owners {
            for number in 0..<CountLimits.ownerFriends {
                friends.append((Self.owner(owner), friend(number, of: owner)))
            }
        }
        for number in 0..<CountLimits.writes { friends.append(pair(number)) }
        try write(friends.count, to: store) { (number, ledger) throws(StorageError) in
            let (one, other) = friends[number]
            var row = FriendImport.Row(
                owner: UserID(stored: one.utf8), friend: UserID(stored: other.utf8))
            row.bothWays = true
            row.values.remark = "known since \(2_000 + number % 26)"
            row.values.source = "AddSource_Type_Bench"
            let outcome = try FriendImport.write(row, notify: false, in: ledger)
            precondition(outcome.code == .success, "a friendship was refused: \(outcome)")
        }
    }

    /// Runs `body` for each number below `count`, some of them in one transaction.
    private static func write(
        _ count: Int, to store: RocksStore, _ body: (Int, Ledger) throws(StorageError) -> Void
    ) throws(StorageError) {
        let step = CountLimits.preparedTogether
        for first in stride(from: 0, to: count, by: step) {
            try store.write(touching: []) { (transaction) throws(StorageError) in
                let ledger = Ledger(
                    app: CountedService.app, now: CountedService.now, origin: Origin(user: nil),
                    transaction: transaction)
                for number in first..<min(first + step, count) { try body(number, ledger) }
                try ledger.close()
            }
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
            try plan(FriendMethods.addFriends, applications.map(application)) {
                $0.results.allSatisfy { $0.code == .pending }
            },
            try plan(
                BlacklistMethods.addToBlacklist,
                [
                    AddToBlacklistRequest.with {
                        $0.userID = hub
                        $0.userIDs = blacklisted
                    }
                ]
            ) { $0.results.allSatisfy { $0.code == .success } },
            try plan(
                GroupMethods.createFriendGroups,
                [
                    CreateFriendGroupsRequest.with {
                        $0.userID = hub
                        $0.names = [group, "work"]
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
        var profile = RelationAPI.Profile()
        profile.nick = "The nick of \(user)"
        profile.faceURL = "https://faces.example/\(user).png"
        profile.gender = number % 2 == 0 ? .female : .male
        profile.birthday = UInt32(19_800_101 + number % 28)
        profile.language = UInt32(number % 5)
        profile.selfSignature = Array("A few words of \(user) about the day".utf8)
        return UpdateProfileRequest.with {
            $0.userID = user
            $0.profile = profile
            $0.updateMask = FieldMask([
                "nick", "face_url", "gender", "birthday", "language", "self_signature",
            ])
        }
    }

    /// Lets a user be asked before it becomes a friend.
    private static func confirms(_ user: String) -> UpdateProfileRequest {
        var profile = RelationAPI.Profile()
        profile.allowType = .needConfirm
        return UpdateProfileRequest.with {
            $0.userID = user
            $0.profile = profile
            $0.updateMask = FieldMask(["allow_type"])
        }
    }

    private static func application(_ asked: String, _ asker: String) -> AddFriendsRequest {
        let item = AddFriend.with {
            $0.userID = asked
            $0.wording = "We met at the lake"
            $0.source = "AddSource_Type_Bench"
        }
        return AddFriendsRequest.with {
            $0.userID = asker
            $0.items = [item]
            $0.addType = .both
        }
    }
}
