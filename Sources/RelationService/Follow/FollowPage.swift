import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// A page of one of a user's lists of follows.
struct FollowPage {
    private let list: FollowList
    private let page: Page
    private let query: String
    private let joined: JoinedProfiles?
    private let call: Call

    init(
        _ request: FollowListRequest<some FollowListNames>, _ list: FollowList, _ name: String,
        _ profiles: StoredProfiles, _ call: Call, _ violations: inout Violations
    ) {
        self.list = list
        self.call = call
        joined = JoinedProfiles(request, profiles, call, &violations)
        query = "\(name) \(mark: call.app) \(call.user)"
        page = Page(request.pageSize, request.pageToken, of: query, &violations)
    }

    /// The parts of an answer.
    struct Found {
        var entries: [FollowEntry] = []
        var nextToken = ""
        var total: Int32 = 0
    }

    func read(
        _ userRecord: UserRecord, in transaction: any ReadTransaction
    ) throws(StorageError) -> Found {
        var keys: [TimedUser] = []
        // One row more says whether the list goes on.
        try Follows.scan(
            list, of: call.user, after: page.position, limit: page.rows + 1, app: call.app,
            in: transaction
        ) { key in
            keys.append(key)
            return .next
        }
        var found = Found()
        let hasMore = keys.count > page.rows
        let entries = keys.prefix(page.rows).map { FollowEntry($0) }
        found.entries = try joined?.joined(to: entries, in: transaction) ?? entries.keepingPage()
        if hasMore || found.entries.count < entries.count, !found.entries.isEmpty {
            found.nextToken = PageToken(keys[found.entries.count - 1]).text(of: query)
        }
        let counts = try Follows.counts(
            of: call.user, userRecord, app: call.app, in: transaction)
        found.total = Int32(clamping: counts[list])
        return found
    }
}

extension FollowEntry {
    fileprivate init(_ key: TimedUser) {
        self.init()
        userID = key.user.text
        followTimeMs = key.timeMs
    }
}

extension [FollowEntry] {
    /// The entries that have room in the bytes of a page; one has room always.
    fileprivate func keepingPage() -> [FollowEntry] {
        var bytes = 0
        let count = prefix { entry in
            bytes += entry.bytesAtMost + 2
            return bytes <= Limits.pageBytes
        }.count
        return Array(prefix(Swift.max(1, count)))
    }
}

extension JoinedProfiles {
    /// The entries with their profiles, as many as have room in the page.
    fileprivate func joined(
        to entries: [FollowEntry], in transaction: any ReadTransaction
    ) throws(StorageError) -> [FollowEntry] {
        var bytes = 0
        let users = entries.map { UserID(stored: $0.userID) }
        let profiles = try page(of: users, &bytes, in: transaction) { entries[$0].bytesAtMost }
        var joined = Array(entries.prefix(profiles.count))
        for (index, profile) in profiles.enumerated() {
            joined[index].profile = try decoded(profile)
        }
        return joined
    }
}
