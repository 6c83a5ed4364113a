internal import RelationAPI

/// The chains of a cache, without the lock that guards them.
///
/// The cache counts versions, as ``ProfileEntries`` does: a request has the version at which it was
/// begun, and whatever speaks against a chain notes its own. Three things do:
/// - A chain that has *ended* is of another history, so it must be read whole.
/// - One that is in *doubt* may lack a change whose sequence is not known, so the server must be
///   asked for events.
/// - One that is *behind* lacks the sequence that it is known to need. Events make up for it,
///   wherever they come from.
struct ChainEntries {
    /// A chain that is kept.
    struct Kept {
        var rows: ChainRows
        /// The version of the request by which the rows were last known to lack nothing.
        var version: UInt64
        /// When that request was begun.
        var asked: Duration
        /// When all rows were read.
        var loaded: Duration
        /// When it was used, as a number that grows.
        var used: UInt64 = 0
    }

    private struct Slot {
        var kept: Kept?
        /// The sequence that the chain must have.
        var needed: Int64 = 0
        /// The version of the last doubt.
        var doubted: UInt64 = 0
        /// The version at which the chain ended.
        var ended: UInt64 = 0
        /// The latest request that is under way.
        var fetch: ChainFetch?
    }

    /// The answer to a lookup.
    enum Lookup {
        case chain(RelationChain)
        /// The request to wait for, and whether it must begin.
        case wait(ChainFetch, isNew: Bool)
    }

    private let options: ChainCacheOptions
    private var slots: [ByteText: Slot] = [:]
    private var version: UInt64 = 0
    private var uses: UInt64 = 0
    private var doubtedAll: UInt64 = 0
    private var endedAll: UInt64 = 0
    private var numbers = ChainCacheCounts()
    private var feeds = ChainFeeds()

    init(_ options: ChainCacheOptions) {
        self.options = options
    }

    var counts: ChainCacheCounts { numbers }

    // MARK: Questions

    /// Answers from what is kept, or lets the caller wait.
    mutating func lookUp(_ user: String, isForced: Bool, now: Duration) -> Lookup {
        let key = ByteText(user)
        if !isForced, let chain = chain(of: key, staleFor: .zero, now) {
            numbers.hits += 1
            return .chain(chain)
        }
        numbers.misses += 1
        let slot = slots[key] ?? Slot()
        if !isForced, let fetch = slot.fetch, fetch.needed >= slot.needed,
            fetch.version > max(slot.doubted, doubtedAll, slot.ended, endedAll),
            now - fetch.began < options.maxAge
        {
            return .wait(fetch, isNew: false)
        }
        version += 1
        var base: Kept?
        if let kept = slot.kept, isCurrent(kept, slot),
            now - kept.loaded < ChainCacheOptions.wholeAge
        {
            base = kept
        }
        let fetch = ChainFetch(
            user, began: now, version: version, base: base?.rows, loaded: base?.loaded ?? now,
            needed: slot.needed)
        slots[key, default: Slot()].fetch = fetch
        return .wait(fetch, isNew: true)
    }

    /// A chain that is too old, for a caller whose request found no server; nil if there is none
    /// that may be given.
    mutating func staleChain(of user: String, now: Duration) -> RelationChain? {
        guard options.staleAge > .zero else { return nil }
        guard let chain = chain(of: ByteText(user), staleFor: options.staleAge, now)
        else { return nil }
        numbers.stale += 1
        return chain
    }

    /// - Parameter time: How much older than allowed the chain may be.
    private mutating func chain(
        of user: ByteText, staleFor time: Duration, _ now: Duration
    ) -> RelationChain? {
        guard let slot = slots[user], let kept = slot.kept, isCurrent(kept, slot),
            kept.version > max(slot.doubted, doubtedAll), kept.rows.sequence >= slot.needed
        else { return nil }
        let known = max(kept.asked, feeds.lastMessage(of: user, since: kept.version) ?? .zero)
        let age = now - known
        guard age < options.maxAge + time, now - kept.loaded < ChainCacheOptions.wholeAge + time
        else { return nil }
        uses += 1
        slots[user]?.kept?.used = uses
        return RelationChain(user.text, kept.rows, age: age)
    }

    private func isCurrent(_ kept: Kept, _ slot: Slot) -> Bool {
        kept.version > max(slot.ended, endedAll)
    }

    // MARK: Requests

    /// Keeps what a request brought.
    ///
    /// - Returns: The rows for the callers that wait: what is kept, if events brought it further.
    mutating func finish(_ fetch: ChainFetch, _ outcome: ChainFetch.Outcome) -> ChainFetch.Outcome {
        let key = ByteText(fetch.user)
        if slots[key]?.fetch === fetch { slots[key]?.fetch = nil }
        defer { removeIfIdle(key) }
        guard case .success(let fetched) = outcome else { return outcome }
        if fetched.isWhole { numbers.loads += 1 } else { numbers.renewals += 1 }
        guard var slot = slots[key], fetch.version > max(slot.ended, endedAll) else {
            return outcome
        }
        // The server never issued the sequence, so it has another history than it had.
        if fetched.rows.sequence < fetch.needed, slot.needed == fetch.needed { slot.needed = 0 }
        if let kept = slot.kept, isCurrent(kept, slot) {
            let isAhead = kept.rows.sequence > fetched.rows.sequence
            if kept.version > fetch.version || isAhead && !fetched.isWhole {
                slot.kept?.version = max(kept.version, fetch.version)
                slot.kept?.asked = max(kept.asked, fetch.began)
                slots[key] = slot
                return .success(FetchedChain(rows: kept.rows, isWhole: false))
            }
            if isAhead {
                // Events came meanwhile, or the server has another history: the next request tells.
                version += 1
                slot.doubted = version
            }
        }
        slots[key] = slot
        uses += 1
        insert(
            Kept(
                rows: fetched.rows, version: fetch.version, asked: fetch.began,
                loaded: fetched.isWhole ? fetch.began : fetch.loaded, used: uses),
            of: key)
        return outcome
    }

    private mutating func insert(_ kept: Kept, of user: ByteText) {
        drop(user)
        guard options.users > 0, kept.rows.count <= options.rows else { return }
        slots[user, default: Slot()].kept = kept
        numbers.users += 1
        numbers.rows += kept.rows.count
        makeRoom()
    }

    /// Evicts the chains that were not used for the longest time, until the bounds hold.
    private mutating func makeRoom() {
        while numbers.users > options.users || numbers.rows > options.rows {
            let oldest = slots.filter { $0.value.kept != nil }.min {
                ($0.value.kept?.used ?? 0) < ($1.value.kept?.used ?? 0)
            }
            guard let oldest else { return }
            drop(oldest.key)
            removeIfIdle(oldest.key)
            numbers.evictions += 1
        }
    }

    private mutating func drop(_ user: ByteText) {
        guard let kept = slots[user]?.kept else { return }
        slots[user]?.kept = nil
        numbers.users -= 1
        numbers.rows -= kept.rows.count
    }

    private mutating func removeIfIdle(_ user: ByteText) {
        if let slot = slots[user], slot.kept == nil, slot.fetch == nil { slots[user] = nil }
    }

    // MARK: Changes

    /// Changes the rows of a chain that is at the sequence before `sequence`, and lets it need that
    /// sequence otherwise.
    ///
    /// - Parameter change: Returns false if the rows must be read again.
    mutating func advance(
        _ user: ByteText, to sequence: Int64, _ change: (inout ChainRows) -> Bool
    ) {
        guard isKept(user, at: sequence - 1), var kept = removeKept(user) else {
            return requireSequence(user, sequence)
        }
        let before = kept.rows.count
        let isDone = change(&kept.rows)
        slots[user]?.kept = kept
        numbers.rows += kept.rows.count - before
        if isDone { makeRoom() } else { end(user) }
    }

    private func isKept(_ user: ByteText, at sequence: Int64) -> Bool {
        guard let slot = slots[user], let kept = slot.kept else { return false }
        return isCurrent(kept, slot) && kept.rows.sequence == sequence
    }

    /// Takes a chain out of its slot, so that its rows change in place if no caller has them.
    private mutating func removeKept(_ user: ByteText) -> Kept? {
        defer { slots[user]?.kept = nil }
        return slots[user]?.kept
    }

    /// Notes that the user has come to a sequence.
    mutating func requireSequence(_ user: ByteText, _ sequence: Int64) {
        guard let slot = slots[user], slot.needed < sequence else { return }
        slots[user]?.needed = sequence
    }

    /// Notes that a chain may lack a change.
    mutating func markStale(_ user: ByteText) {
        guard slots[user] != nil else { return }
        version += 1
        slots[user]?.doubted = version
    }

    mutating func markAllStale() {
        version += 1
        doubtedAll = version
    }

    /// Forgets a chain; requests that are under way do not bring it back.
    mutating func end(_ user: ByteText) {
        guard slots[user] != nil else { return }
        version += 1
        slots[user]?.ended = version
        slots[user]?.needed = 0
        drop(user)
        removeIfIdle(user)
    }

    mutating func endAll() {
        version += 1
        endedAll = version
        for user in slots.keys {
            slots[user]?.needed = 0
            drop(user)
            removeIfIdle(user)
        }
    }

    /// Notes that an event of a stream was applied.
    mutating func countEvent() {
        numbers.events += 1
    }

    // MARK: Streams

    mutating func addFeed(_ scope: ChainScope) -> UInt64 { feeds.add(scope) }

    mutating func removeFeed(_ number: UInt64) {
        disconnect(number)
        feeds.remove(number)
    }

    /// A stream is lost: the age of its chains goes on from its last message.
    mutating func disconnect(_ number: UInt64) {
        guard feeds.isLive(number) else { return }
        for (user, slot) in slots {
            guard let kept = slot.kept, let heard = feeds.lastMessage(of: user, since: kept.version)
            else { continue }
            slots[user]?.kept?.asked = max(kept.asked, heard)
        }
        feeds.disconnect(number)
    }

    /// Ends the chains that a stream tells of, as it starts over.
    mutating func restart(_ number: UInt64) {
        feeds.disconnect(number)
        switch feeds.scope(of: number) {
        case .users(let users): for user in users { end(user) }
        case .app: endAll()
        default: break
        }
    }

    /// A stream has sent all up to now.
    mutating func noteMessage(_ number: UInt64, now: Duration) {
        if !feeds.isLive(number) {
            version += 1
            feeds.begin(number, at: version)
        }
        feeds.noteMessage(number, at: now)
    }

    /// A stream that is live has had a message.
    mutating func noteMessageIfLive(_ number: UInt64, now: Duration) {
        feeds.noteMessage(number, at: now)
    }
}
