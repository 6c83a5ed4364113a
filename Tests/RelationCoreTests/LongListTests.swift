import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@testable import RelationCore

/// Each list that may be long has ten thousand rows here.
///
/// Its pages name every row once, in the order that the contract states, and its number is known. A
/// page costs the same wherever it begins.
@Suite struct LongListTests {
    private static let count = 10_000
    private static let limit = 100
    private let store = CountingStore()
    private let others = (0..<count).map { UserID(stored: "u\(100_000 + $0)".utf8) }

    /// A user A, ten thousand others, and what `body` writes about each of them.
    private func world(
        _ settings: AppSettings = .tim,
        _ body: (UserID, Ledger) throws(StorageError) -> Void
    ) throws -> World {
        let world = try World("A", on: store, settings: settings)
        for start in stride(from: 0, to: Self.count, by: 1_000) {
            let part = Array(others[start..<start + 1_000])
            try world.create(part)
            world.advance(milliseconds: 1)
            try world.call(by: nil) { (ledger) throws(StorageError) in
                for user in part { try body(user, ledger) }
            }
        }
        return world
    }

    /// Reads a list by pages, and returns the rows of all of them.
    ///
    /// - Parameters:
    ///   - most: The most rows that a page passes, of a list whose pages do not all pass as many.
    ///   - page: Reads the page after a position; the first one is after none.
    private func walk<Row, Position>(
        most: Int? = nil, _ page: (Position?) throws -> (rows: [Row], next: Position?)
    ) throws -> [Row] {
        var rows: [Row] = []
        var costs: [CountingStore.Counts] = []
        var position: Position?
        repeat {
            _ = store.take()
            let found = try page(position)
            costs.append(store.take())
            rows += found.rows
            position = found.next
        } while position != nil && costs.count <= Self.count
        #expect(costs.count == Self.count / Self.limit)
        if let most {
            #expect(costs.allSatisfy { $0.scannedRows <= most })
        } else {
            #expect(costs[1] == costs[costs.count - 2])
            #expect(costs[0].scannedRows <= Self.limit + 1)
        }
        return rows
    }

    private func follows(_ list: FollowList, in world: World) throws -> [UserID] {
        try walk { position in
            let rows = try world.follows(list, of: "A", after: position, limit: Self.limit + 1)
            let page = Array(rows.prefix(Self.limit))
            return (page, rows.count > Self.limit ? page.last : nil)
        }.map(\.user)
    }

    /// The others, those of a later moment first.
    private var latestFirst: [UserID] {
        stride(from: Self.count - 1_000, through: 0, by: -1_000).flatMap {
            others[$0..<$0 + 1_000].reversed()
        }
    }

    @Test func followersAndFollowedUsers() throws {
        var settings = AppSettings.tim
        settings.limits.followings = Self.count
        settings.limits.mutualFollows = Self.count
        let world = try world(settings) { (user, ledger) throws(StorageError) in
            #expect(try FollowRules.follow(user, "A", in: ledger) == .success)
            #expect(try FollowRules.follow("A", user, in: ledger) == .success)
        }
        for list in FollowList.allCases {
            #expect(try follows(list, in: world) == latestFirst, "\(list)")
        }
        let counts = try #require(try world.followCounts("A"))
        #expect(counts.followers == Self.count && counts.following == Self.count)
        #expect(counts.mutual == Self.count)
    }

    @Test func usersWhoHaveAUserAsAFriend() throws {
        let world = try world { (user, ledger) throws(StorageError) in
            let row = FriendImport.Row(owner: user, friend: "A")
            #expect(try FriendImport.write(row, notify: false, in: ledger) == .success)
        }
        let found = try walk { last in
            let page = try world.read { (transaction) throws(StorageError) in
                try ReverseFriends.page(
                    of: "A", after: last, limit: Self.limit, app: world.app, in: transaction)
            }
            return (page.users, page.last)
        }
        #expect(found == others)
        let count = try world.read { (transaction) throws(StorageError) in
            try ReverseFriends.count(of: "A", app: world.app, in: transaction)
        }
        #expect(count == Self.count)
    }

    @Test func dismissedSuggestions() throws {
        let world = try world { (user, ledger) throws(StorageError) in
            #expect(try Dismissals.dismiss(user, for: "A", in: ledger) == .success)
        }
        let found: [UserID] = try walk { (last: UserID?) in
            let records = try world.read { (transaction) throws(StorageError) in
                try Dismissals.page(
                    of: "A", after: last, limit: Self.limit + 1, app: world.app, in: transaction)
            }
            let users = records.prefix(Self.limit).map { UserID(stored: $0.userID.utf8) }
            return (users, records.count > Self.limit ? users.last : nil)
        }
        #expect(found == others)
        #expect(try world.userRecord(of: "A")?.dismissalCount == UInt32(Self.count))
        // The list is as long as it may be.
        try world.create(["one more"])
        #expect(try world.dismiss("one more", for: "A").code == .invalidParameter)
    }

    @Test func suspendedUsers() throws {
        let world = try world { (user, ledger) throws(StorageError) in
            var record = SuspensionRecord()
            record.level = .banned
            #expect(try Suspensions.suspend(user, record, in: ledger) == .success)
        }
        let found = try walk { last in
            let page = try world.read { (transaction) throws(StorageError) in
                try Suspensions.page(
                    of: world.app, after: last, limit: Self.limit, at: world.now, in: transaction)
            }
            return (page.rows.map(\.user), page.next)
        }
        #expect(found == others)
        let count = try world.read { (transaction) throws(StorageError) in
            try Suspensions.count(of: world.app, in: transaction)
        }
        #expect(count == Self.count)
    }

    @Test func reports() throws {
        let reporters = others.prefix(Limits.reportsAboutUser)
        var number = 0
        let world = try world { (_, ledger) throws(StorageError) in
            // Each reporter reports as many users as it may in a window.
            let wanted = Reports.Wanted(others[200 + number % Limits.reportsPerWindow])
            let reporter = reporters[number / Limits.reportsPerWindow]
            number += 1
            #expect(try Reports.report(wanted, by: reporter, in: ledger) == .success)
        }
        let found = try walk { (last: UInt64?) in
            let page = try world.read { (transaction) throws(StorageError) in
                try Reports.page(
                    about: nil, below: last ?? 0, limit: Self.limit, app: world.app,
                    in: transaction)
            }
            return (page.rows.map(\.reportID), page.next)
        }
        #expect(found == (1...Self.count).reversed().map { "\($0)" })
        let head = try world.read { (transaction) throws(StorageError) in
            try Reports.summary(of: world.app, in: transaction)
        }
        #expect(head.count == Self.count)
    }

    @Test func usersThatASearchFinds() throws {
        var settings = AppSettings.tim
        settings.findsUsers = true
        let world = try world(settings) { (user, ledger) throws(StorageError) in
            var values = ProfileRecord()
            values.nick = "Ann \(user.text)"
            _ = try Profiles.update(
                user, values, fields: [.nick], expectedVersion: nil, in: ledger)
        }
        let search = try #require(UserSearch("ann"))
        let found = try walk { (last: UserSearch.Position?) in
            let page = try world.read { (transaction) throws(StorageError) in
                try search.page(
                    for: UserSearch.Viewer("A", isAdmin: false, at: world.now), app: world.app,
                    after: last, limit: Self.limit, in: transaction)
            }
            return (page.hits.map(\.user), page.next)
        }
        #expect(found == others)
    }

    /// The accounts stand in sixteen parts, each of which gives its share of a page and some more.
    @Test func accounts() throws {
        let world = try world { (_, _) throws(StorageError) in }
        let found: [UserID] = try walk(most: 5 * Self.limit) { (last: UserID?) in
            let users = try world.read { (transaction) throws(StorageError) in
                try Directory.page(
                    of: world.app, after: last ?? "A", limit: Self.limit + 1, in: transaction)
            }
            let page = Array(users.prefix(Self.limit))
            return (page, users.count > Self.limit ? page.last : nil)
        }
        #expect(found == others)
        #expect(try world.feedState().accounts == Self.count + 1)
    }
}
