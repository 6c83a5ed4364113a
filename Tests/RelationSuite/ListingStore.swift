import Protobuf
package import RelationCore
package import Storage
import Synchronization

/// A store that compares the keys that a write reads with the keys that it has listed.
///
/// A key counts as listed if the transaction prefetched it, or wrote it, or passed it in a scan. A
/// key that is read without that counts each time.
package final class ListingStore: Store {
    private let inner: any Store
    private let unlisted = Mutex<[UInt8: Int]>([:])

    package init(_ inner: any Store = MemoryStore()) {
        self.inner = inner
    }

    /// The lookups of keys that were not listed since the last call, by the names of their tables.
    package func take() -> [String: Int] {
        let kinds = unlisted.withLock { unlisted in
            defer { unlisted = [:] }
            return unlisted
        }
        return Dictionary(
            uniqueKeysWithValues: kinds.map { (Tables.name(of: $0.key), $0.value) })
    }

    package var isLocal: Bool { inner.isLocal }

    package func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try inner.read(reaching: reach, body)
    }

    package func snapshot() throws(StorageError) -> any Snapshot {
        try inner.snapshot()
    }

    package func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try inner.write(touching: partitions) { (transaction) throws(StorageError) in
            let listing = ListingTransaction(transaction)
            defer { unlisted.withLock { $0.merge(listing.unlisted, uniquingKeysWith: +) } }
            return try body(listing)
        }
    }

    package func close() { inner.close() }
}

private final class ListingTransaction: ForwardingTransaction {
    let inner: any WriteTransaction
    private var listed: Set<[UInt8]> = []
    private(set) var unlisted: [UInt8: Int] = [:]

    init(_ inner: any WriteTransaction) {
        self.inner = inner
    }

    func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        for index in 0..<keys.count where !listed.contains(keys[index].bytes) {
            let key = keys[index]
            unlisted[key.bytes[key.partitionCount], default: 0] += 1
        }
        try inner.read(keys, body)
    }

    func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        try inner.scan(range, order, limit: limit) { key, value in
            listed.insert(Array(key))
            return body(key, value)
        }
    }

    func prefetch(_ keys: KeyList) throws(StorageError) {
        for index in 0..<keys.count { listed.insert(keys[index].bytes) }
        try inner.prefetch(keys)
    }

    func set(_ key: Key, to value: [UInt8]) {
        listed.insert(key.bytes)
        inner.set(key, to: value)
    }

    func remove(_ key: Key) {
        listed.insert(key.bytes)
        inner.remove(key)
    }
}

extension Tables {
    /// The name of the table whose rows have the kind `kind`.
    static func name(of kind: UInt8) -> String {
        names[kind] ?? "table 0x\(String(kind, radix: 16))"
    }

    private static let names: [UInt8: String] = [
        userRecords.kind: "heads", profiles.kind: "profiles", uniqueIDs.kind: "uniqueIDs",
        friends.kind: "friends", tombstones.kind: "tombstones",
        tombstonesBySequence.kind: "tombstonesBySequence", groups.kind: "groups",
        groupMembers.kind: "groupMembers", pendencies.kind: "pendencies",
        pendenciesByTime.kind: "pendenciesByTime",
        handledApplications.kind: "handledApplications", expiries.kind: "expiries",
        blacklist.kind: "blacklist", blacklistByTime.kind: "blacklistByTime",
        changes.kind: "changes", answers.kind: "answers", answersByTime.kind: "answersByTime",
        feedStates.kind: "feedStates", feed.kind: "feed", grants.kind: "grants",
        apps.kind: "apps", registry.kind: "registry", appDeletions.kind: "appDeletions",
        appMoves.kind: "appMoves",
        credentials.kind: "credentials", losses.kind: "losses", departed.kind: "departed",
        mentions.kind: "mentions", directory.kind: "directory", deletions.kind: "deletions",
        jobs.kind: "jobs", jobNumbers.kind: "jobNumbers", imports.kind: "imports",
        longLogs.kind: "longLogs", retention.kind: "retention",
        knownLosses.kind: "knownLosses", subscriptions.kind: "subscriptions",
        subscriptionsByEnd.kind: "subscriptionsByEnd", subscribers.kind: "subscribers",
        subscriberCounts.kind: "subscriberCounts", subscriptionEnds.kind: "subscriptionEnds",
        follows.kind: "follows", followsByTime.kind: "followsByTime",
        followCounts.kind: "followCounts", dismissals.kind: "dismissals",
        dismissers.kind: "dismissers", statuses.kind: "statuses",
        seenDevices.kind: "seenDevices",
        foundNames.kind: "foundNames", foundNamesStates.kind: "foundNamesStates",
        contactDigests.kind: "contactDigests", contactOwners.kind: "contactOwners",
        invitations.kind: "invitations", invitationIDs.kind: "invitationIDs",
        invitationUses.kind: "invitationUses", invitationEnds.kind: "invitationEnds",
        sessionEnds.kind: "sessionEnds", sessionEndsByNumber.kind: "sessionEndsByNumber",
        sessions.kind: "sessions", consumers.kind: "consumers",
        consumerReaders.kind: "consumerReaders", suspensions.kind: "suspensions",
        suspendedUsers.kind: "suspendedUsers", suspensionCounts.kind: "suspensionCounts",
        suspensionEnds.kind: "suspensionEnds", reports.kind: "reports",
        madeReports.kind: "madeReports", reportIndex.kind: "reportPlaces",
        reverseCounts.kind: "reverseCounts",
        reportCounts.kind: "reportCounts", reviewIndex.kind: "reviewPlaces",
        reviewCounts.kind: "reviewCounts", friendReviews.kind: "friendReviews",
        history.kind: "history", historyOfUsers.kind: "historyOfUsers",
        historyStates.kind: "historyStates", historyOfRequests.kind: "historyOfRequests",
    ]
}
