import Memory
import Protobuf
import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

/// A check of many users at once finds what the rows of each of them say.
@Suite struct FriendCheckTests {
    private static let users: [UserID] = [
        "A", "bb", "user-123", "user-124", "a name of many words",
    ]
    private static let malformed = [
        "", " ", " x", "x ", "a\u{7F}", "tab\t", "名", String(repeating: "x", count: 65),
    ]

    private func check(
        _ names: [String], of owner: UserID, _ type: CheckType, _ world: World,
        memory: Int = CodecLimits.arenaBytes
    ) throws(StorageError) -> [FriendCheck.Finding]? {
        try world.read { (transaction) throws(StorageError) in
            try Arena.temporary { texts in
                // An arena has room for the few names of a test.
                let names = names.map { texts.text($0) ?? Text() }
                return Arena.temporary(capacity: memory) { arena in
                    Result { () throws(StorageError) in
                        try names.withUnsafeBufferPointer { (names) throws(StorageError) in
                            try FriendCheck.run(
                                names, of: owner, type, app: world.app, in: transaction, arena
                            ).map { Array($0) }
                        }
                    }
                }
            }.get()
        }
    }

    private func expected(
        _ name: String, of owner: UserID, _ type: CheckType, _ world: World
    ) throws -> FriendCheck.Finding {
        guard let user = UserID(name) else { return .malformed }
        let mine = try user != owner && world.friend(user, of: owner) != nil
        let theirs =
            try user != owner && type != .unidirection && world.friend(owner, of: user) != nil
        switch (mine, theirs) {
        case (true, true): return .bothWay
        case (true, false): return .myUni
        case (false, true): return .otherUni
        case (false, false):
            let isThere =
                try world.settings.makesAccountsImplicitly || world.userRecord(of: user) != nil
            return isThere ? .none : .noAccount
        }
    }

    @Test(arguments: [false, true])
    func anyListOfUsersIsFoundAsItsRowsSay(_ makesAccounts: Bool) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<20 {
            var settings = AppSettings.tim
            settings.makesAccountsImplicitly = makesAccounts
            let world = try World(settings: settings)
            try world.create(Self.users)
            for one in Self.users {
                for other in Self.users where one != other && Bool.random(using: &numbers) {
                    _ = try world.importFriend(other, of: one)
                }
            }
            let all = Self.users.map(\.text) + Self.malformed + ["unknown", "user-125"]
            for _ in 0..<10 {
                let owner = Self.users.randomElement(using: &numbers)!
                let type: CheckType = Bool.random(using: &numbers) ? .bidirection : .unidirection
                let names = (0..<Int.random(in: 1...30, using: &numbers)).map { _ in
                    all.randomElement(using: &numbers)!
                }
                let found = try check(names, of: owner, type, world)
                let wanted = try names.map { try expected($0, of: owner, type, world) }
                #expect(found == wanted, "seed \(seed), \(names)")
            }
        }
    }

    @Test func anOwnerWithoutAnAccountIsReportedUnlessAccountsAreImplied() throws {
        for makesAccounts in [false, true] {
            var settings = AppSettings.tim
            settings.makesAccountsImplicitly = makesAccounts
            let world = try World("A", settings: settings)
            for names in [["A"], ["ghost"], [""], ["A", "", "ghost"]] {
                let found = try check(names, of: "ghost", .bidirection, world)
                #expect((found == nil) == !makesAccounts, "\(names)")
            }
        }
    }

    @Test func aCheckThatTheMemoryOfItsCallCannotHoldFails() throws {
        let world = try World("A")
        let names = (0..<1_000).map { "user\($0)" }
        #expect(try check(names, of: "A", .bidirection, world)?.count == 1_000)
        for memory in [4_096, 16_384, 65_536] {
            let error = #expect(throws: StorageError.self) {
                try check(names, of: "A", .bidirection, world, memory: memory)
            }
            #expect(error?.code == .failed)
        }
    }
}
