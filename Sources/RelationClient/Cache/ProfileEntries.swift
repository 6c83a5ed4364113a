internal import RelationAPI

/// The entries of a profile cache, without the lock that guards them.
///
/// Each pair of a viewer and a user has a slot, with the entry, the request under way, or both. An
/// event about a user ends its entries for all viewers at once: it sets one number. For that the
/// cache counts versions. Each request has the version at which it was made. An event notes its own
/// version with the user, the viewer or the slot. An answer counts only if its request was made
/// after all of these. So a request from before an event never brings back older data.
struct ProfileEntries {
    /// A user or a viewer that slots name.
    private struct Name {
        let text: String
        /// How often slots name it.
        var uses = 0
        /// The version of the last event about its own profile.
        var endedAsUser: UInt64 = 0
        /// The version of the last event about all that it sees.
        var endedAsViewer: UInt64 = 0
    }

    private struct Slot {
        let viewer: Int
        let user: Int
        var entry: KeptProfile?
        /// The version of the request that brought the entry.
        var version: UInt64 = 0
        /// When the entry becomes too old.
        var expires = Duration.zero
        /// The version of the last event about this viewer and this user.
        var ended: UInt64 = 0
        /// The latest request for this viewer and this user that is under way.
        var fetch: ProfileFetch?
        /// The index of the user in that request.
        var item = 0
        /// The neighbours in the order of use.
        var newer = -1
        var older = -1
    }

    private let options: ProfileCacheOptions
    private var names: [Name] = []
    private var freeNames: [Int] = []
    private var numbers: [String: Int] = [:]
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    /// The slot of each pair: the viewer's number in the upper half, the user's in the lower one.
    private var pairs: [UInt64: Int] = [:]
    private var newest = -1
    private var oldest = -1
    private var version: UInt64 = 0
    /// The version at which all entries ended.
    private var endedAll: UInt64 = 0
    /// The lifetime that the server sent last; nil before the first answer.
    private var lifetime: Duration?
    /// The most users of one request.
    var usersPerRequest: Int
    var counts = ProfileCacheCounts()

    init(_ options: ProfileCacheOptions, usersPerRequest: Int) {
        self.options = options
        self.usersPerRequest = usersPerRequest
    }

    /// Whether nothing is kept and no request is under way.
    var isEmpty: Bool { pairs.isEmpty }

    // MARK: Questions

    /// Answers the users at `indices` from entries, and lets the others wait for requests.
    ///
    /// - Returns: The new requests, which must begin.
    mutating func lookUp(
        _ question: inout ProfileQuestion, at indices: some Collection<Int>, now: Duration
    ) -> [ProfileFetch] {
        let asked = question.ask(at: now, version)
        var begun: [ProfileFetch] = []
        var viewer = numbers[question.viewer]
        for index in indices {
            let user = question.users[index]
            let isFirstLookup = index == question.results.count
            if let viewer, let number = numbers[user], let slot = pairs[Self.key(viewer, number)],
                let entry = slots[slot].entry, isCurrent(slots[slot].version, at: slot),
                slots[slot].version > asked.version
                    || !question.isForced && now < slots[slot].expires
            {
                use(slot)
                if isFirstLookup { counts.hits += 1 }
                question.set(entry.result, at: index)
                continue
            }
            if isFirstLookup {
                counts.misses += 1
                question.set(GetProfileResult(), at: index)
            }
            let wait = wait(for: user, at: index, of: question, now, &begun)
            wait.fetch.claim()
            question.waits.append(wait)
            viewer = numbers[question.viewer]
        }
        return begun
    }

    /// Joins a request under way, or adds the user to a new one.
    private mutating func wait(
        for user: String, at index: Int, of question: ProfileQuestion, _ now: Duration,
        _ begun: inout [ProfileFetch]
    ) -> ProfileQuestion.Wait {
        // Only the server knows the user that an empty viewer stands for, and another credential
        // may make it another user.
        let slot = question.viewer.isEmpty ? nil : slot(of: question.viewer, user)
        // Before the server has sent a lifetime, a caller joins and looks up afterwards.
        if let slot, let fetch = slots[slot].fetch, isCurrent(fetch.version, at: slot),
            question.accepts(fetch, age: lifetime ?? now - fetch.began + .nanoseconds(1))
        {
            return ProfileQuestion.Wait(index: index, fetch: fetch, item: slots[slot].item)
        }
        if begun.last.map({ $0.items.count >= usersPerRequest }) ?? true {
            version += 1
            begun.append(ProfileFetch(viewer: question.viewer, began: now, version: version))
        }
        let fetch = begun[begun.count - 1]
        let item = fetch.add(
            ProfileFetch.Item(user: user, known: slot.flatMap { slots[$0].entry }, slot: slot))
        if let slot {
            slots[slot].fetch = fetch
            slots[slot].item = item
        }
        return ProfileQuestion.Wait(index: index, fetch: fetch, item: item)
    }

    /// An answer that is too old, for a question that no server could answer; nil if none is kept.
    mutating func staleResult(
        for user: String, as viewer: String, now: Duration
    ) -> GetProfileResult? {
        guard let viewer = numbers[viewer], let user = numbers[user],
            let slot = pairs[Self.key(viewer, user)], let entry = slots[slot].entry,
            isCurrent(slots[slot].version, at: slot),
            now < slots[slot].expires + options.staleAge
        else { return nil }
        use(slot)
        counts.stale += 1
        return entry.result
    }

    /// Whether no event has ended an answer since its request was made.
    private func isCurrent(_ version: UInt64, at slot: Int) -> Bool {
        version > endedAll && version > slots[slot].ended
            && version > names[slots[slot].user].endedAsUser
            && version > names[slots[slot].viewer].endedAsViewer
    }

    /// How old an answer may become.
    func age(of result: GetProfileResult, _ lifetime: Duration) -> Duration {
        switch result.code {
        case .success: lifetime
        case .accountNotFound: min(lifetime, options.missingAge)
        // A malformed id may be long, and no program should ask for it again and again.
        default: .zero
        }
    }

    // MARK: Requests

    /// Takes the outcome of a request, and keeps the answers that no later request replaces.
    mutating func finish(_ fetch: ProfileFetch, _ outcome: ProfileFetch.Outcome) {
        let fetched = try? outcome.get()
        if let fetched {
            lifetime = fetched.lifetime
            counts.renewals += fetched.renewals
        }
        for (index, item) in fetch.items.enumerated() {
            guard let slot = item.slot, slots[slot].fetch === fetch else { continue }
            slots[slot].fetch = nil
            if let fetched { insert(fetched.results[index], of: fetch, fetched.lifetime, in: slot) }
            freeIfUnused(slot)
        }
        while counts.entries > options.entries || counts.bytes > options.bytes, oldest >= 0 {
            let slot = oldest
            drop(slot)
            freeIfUnused(slot)
            counts.evictions += 1
        }
    }

    private mutating func insert(
        _ entry: KeptProfile, of fetch: ProfileFetch, _ lifetime: Duration, in slot: Int
    ) {
        drop(slot)
        let age = age(of: entry.result, lifetime)
        guard age > .zero else { return }
        slots[slot].entry = entry
        slots[slot].version = fetch.version
        slots[slot].expires = fetch.began + age
        link(slot)
        counts.entries += 1
        counts.bytes += entry.bytes
    }

    /// Takes back a caller's claim on a request.
    ///
    /// - Returns: The task to cancel, if no caller waits for the request any more. Then no caller
    ///   joins it either.
    mutating func release(_ fetch: ProfileFetch) -> Task<Void, Never>? {
        guard let task = fetch.release() else { return nil }
        for item in fetch.items {
            guard let slot = item.slot, slots[slot].fetch === fetch else { continue }
            slots[slot].fetch = nil
            freeIfUnused(slot)
        }
        return task
    }

    // MARK: Ends

    /// Ends what every viewer sees of `user`.
    mutating func end(user: String) {
        guard let number = numbers[user] else { return }
        version += 1
        names[number].endedAsUser = version
    }

    /// Ends all that `viewer` sees.
    mutating func end(viewer: String) {
        guard let number = numbers[viewer] else { return }
        version += 1
        names[number].endedAsViewer = version
    }

    /// Ends what each of the two users sees of the other.
    mutating func endBetween(_ one: String, _ other: String) {
        guard let one = numbers[one], let other = numbers[other] else { return }
        version += 1
        for key in [Self.key(one, other), Self.key(other, one)] {
            if let slot = pairs[key] { slots[slot].ended = version }
        }
    }

    /// Ends all entries.
    mutating func endAll() {
        version += 1
        endedAll = version
    }

    /// Ends all entries, and gives their memory back.
    mutating func removeAll() {
        endAll()
        while oldest >= 0 {
            let slot = oldest
            drop(slot)
            freeIfUnused(slot)
        }
    }

    // MARK: Slots

    private static func key(_ viewer: Int, _ user: Int) -> UInt64 {
        UInt64(viewer) << 32 | UInt64(user)
    }

    /// The slot of a pair, which is made if there is none.
    private mutating func slot(of viewer: String, _ user: String) -> Int {
        let (viewer, user) = (number(of: viewer), number(of: user))
        let key = Self.key(viewer, user)
        if let slot = pairs[key] { return slot }
        names[viewer].uses += 1
        names[user].uses += 1
        let row = Slot(viewer: viewer, user: user)
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
            slots[slot] = row
        } else {
            slot = slots.count
            slots.append(row)
        }
        pairs[key] = slot
        return slot
    }

    private mutating func number(of text: String) -> Int {
        if let number = numbers[text] { return number }
        let number: Int
        if let free = freeNames.popLast() {
            number = free
            names[number] = Name(text: text)
        } else {
            number = names.count
            names.append(Name(text: text))
        }
        numbers[text] = number
        return number
    }

    private mutating func freeIfUnused(_ slot: Int) {
        guard slots[slot].entry == nil, slots[slot].fetch == nil else { return }
        let (viewer, user) = (slots[slot].viewer, slots[slot].user)
        pairs[Self.key(viewer, user)] = nil
        freeSlots.append(slot)
        for number in [viewer, user] {
            names[number].uses -= 1
            guard names[number].uses == 0 else { continue }
            numbers[names[number].text] = nil
            freeNames.append(number)
        }
    }

    /// Removes the entry of a slot.
    private mutating func drop(_ slot: Int) {
        guard let entry = slots[slot].entry else { return }
        unlink(slot)
        slots[slot].entry = nil
        counts.entries -= 1
        counts.bytes -= entry.bytes
    }

    // MARK: The order of use

    private mutating func use(_ slot: Int) {
        guard newest != slot else { return }
        unlink(slot)
        link(slot)
    }

    private mutating func link(_ slot: Int) {
        slots[slot].older = newest
        slots[slot].newer = -1
        if newest >= 0 { slots[newest].newer = slot } else { oldest = slot }
        newest = slot
    }

    private mutating func unlink(_ slot: Int) {
        let (newer, older) = (slots[slot].newer, slots[slot].older)
        if newer >= 0 { slots[newer].older = older } else { newest = older }
        if older >= 0 { slots[older].newer = newer } else { oldest = newer }
    }

    // MARK: Tests

    /// Fails if the tables disagree.
    func checkInvariants() {
        var used = 0
        var bytes = 0
        var slot = newest
        while slot >= 0 {
            used += 1
            bytes += slots[slot].entry?.bytes ?? -1
            slot = slots[slot].older
        }
        precondition(used == counts.entries && bytes == counts.bytes, "the order of use is broken")
        var uses = [Int](repeating: 0, count: names.count)
        for (key, slot) in pairs {
            let row = slots[slot]
            precondition(key == Self.key(row.viewer, row.user), "a pair has another slot")
            precondition(row.entry != nil || row.fetch != nil, "a slot is empty")
            uses[row.viewer] += 1
            uses[row.user] += 1
        }
        precondition(uses == names.map(\.uses), "a name is counted wrongly")
        precondition(pairs.count + freeSlots.count == slots.count, "a slot is lost")
        precondition(numbers.count + freeNames.count == names.count, "a name is lost")
    }

    /// How many pairs a request is under way for.
    var fetchCount: Int { slots.count { $0.fetch != nil } }
}
