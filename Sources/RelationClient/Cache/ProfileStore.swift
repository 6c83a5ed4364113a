internal import RPC
internal import RelationAPI
internal import Synchronization

/// The server of a cache: a client, or a test's substitute.
protocol ProfileSource: Sendable {
    /// Asks the server for profiles.
    func profiles(_ request: GetProfilesRequest) async throws -> GetProfilesResponse

    /// The same server, asked with these settings.
    func with(_ options: CallOptions) -> any ProfileSource
}

extension ProfileSource {
    /// A test's substitute has no settings.
    func with(_ options: CallOptions) -> any ProfileSource { self }
}

/// The part of a profile cache that tasks share.
final class ProfileStore: Sendable {
    /// The most users of one request; a server may announce a lower limit.
    static let usersPerRequest = 100
    /// The most users of one question whose requests are under way at once.
    static let usersAtOnce = 1_000

    private let entries: Mutex<ProfileEntries>
    /// The time since the cache was made.
    private let now: @Sendable () -> Duration
    private let mask: FieldMask?
    private let maxAge: Duration?
    /// Where its requests run; nil for the threads of the process.
    private let tasks: (any TaskExecutor)?

    init(
        _ options: ProfileCacheOptions, clock: any Clock<Duration>,
        tasks: (any TaskExecutor)? = nil
    ) {
        let options = options.bounded
        entries = Mutex(ProfileEntries(options, usersPerRequest: Self.usersPerRequest))
        now = Self.time(on: clock)
        mask = options.fields.isEmpty ? nil : FieldMask(options.fields)
        maxAge = options.maxAge
        self.tasks = tasks
    }

    private static func time<C: Clock>(
        on clock: C
    ) -> @Sendable () -> Duration where C.Duration == Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    var counts: ProfileCacheCounts { entries.withLock { $0.counts } }

    /// Changes the entries, or reads them.
    func withEntries<Result>(_ body: (inout ProfileEntries) -> sending Result) -> sending Result {
        entries.withLock { body(&$0) }
    }

    // MARK: Questions

    /// The answer for each of `users`, in their order.
    ///
    /// If all of them are kept, it does not suspend.
    nonisolated(nonsending) func profiles(
        of users: [String], as viewer: String, forceUpdate: Bool, from source: any ProfileSource
    ) async throws -> [GetProfileResult] {
        var question = ProfileQuestion(users, as: viewer, isForced: forceUpdate)
        question.results.reserveCapacity(users.count)
        var start = 0
        while start < users.count {
            let end = min(users.count, start + Self.usersAtOnce)
            var begun = lookUp(&question, at: start..<end)
            while !question.waits.isEmpty {
                let open = try await wait(&question, begun, source)
                begun = lookUp(&question, at: open)
            }
            start = end
        }
        return question.results
    }

    private func lookUp(
        _ question: inout ProfileQuestion, at indices: some Collection<Int>
    ) -> [ProfileFetch] {
        let now = now()
        return entries.withLock { $0.lookUp(&question, at: indices, now: now) }
    }

    /// Waits for all requests that the question waits for.
    ///
    /// - Returns: The indices of the users whose answers were too old for it: their requests began
    ///   before the question, and the server allows no such age.
    private nonisolated(nonsending) func wait(
        _ question: inout ProfileQuestion, _ begun: [ProfileFetch], _ source: any ProfileSource
    ) async throws -> [Int] {
        let waits = question.waits
        question.waits = []
        defer { release(waits) }
        for fetch in begun { begin(fetch, source) }
        var open: [Int] = []
        var last: (fetch: ProfileFetch, answer: FetchedProfiles)?
        for wait in waits {
            let answer: FetchedProfiles
            if let last, last.fetch === wait.fetch {
                answer = last.answer
            } else {
                do {
                    answer = try await wait.fetch.answer()
                } catch let error as CallError where error.mayPass && !question.isForced {
                    let user = question.users[wait.index]
                    let now = now()
                    let viewer = question.viewer
                    let stale = entries.withLock {
                        $0.staleResult(for: user, as: viewer, now: now)
                    }
                    guard let stale else { throw error }
                    question.set(stale, at: wait.index)
                    continue
                }
                last = (wait.fetch, answer)
            }
            let result = answer.results[wait.item].result
            let age = entries.withLock { $0.age(of: result, answer.lifetime) }
            if question.accepts(wait.fetch, age: age) {
                question.set(result, at: wait.index)
            } else {
                open.append(wait.index)
            }
        }
        return open
    }

    private func release(_ waits: [ProfileQuestion.Wait]) {
        let tasks = entries.withLock { entries in
            waits.compactMap { entries.release($0.fetch) }
        }
        for task in tasks { task.cancel() }
    }

    // MARK: Requests

    private func begin(_ fetch: ProfileFetch, _ source: any ProfileSource) {
        fetch.begin(
            Task(executorPreference: tasks) {
                let outcome: ProfileFetch.Outcome
                do {
                    outcome = .success(try await self.answer(to: fetch, source))
                } catch {
                    outcome = .failure(error)
                }
                self.entries.withLock { $0.finish(fetch, outcome) }
                fetch.finish(outcome)
            })
    }

    /// Asks the server, in several requests if it allows fewer users for each.
    private func answer(
        to fetch: ProfileFetch, _ source: any ProfileSource
    ) async throws -> FetchedProfiles {
        var fetched = FetchedProfiles()
        var rest = fetch.items[...]
        while !rest.isEmpty {
            let limit = entries.withLock { entries in
                entries.counts.requests += 1
                return entries.usersPerRequest
            }
            let part = Array(rest.prefix(limit))
            do {
                let response = try await source.profiles(request(part, as: fetch.viewer))
                try fetched.add(response, to: part)
                rest = rest.dropFirst(part.count)
            } catch let error as CallError {
                guard let limit = error.userLimit, limit < part.count else { throw error }
                entries.withLock { $0.usersPerRequest = min($0.usersPerRequest, limit) }
            }
        }
        if let maxAge { fetched.lifetime = min(fetched.lifetime, maxAge) }
        return fetched
    }

    private func request(
        _ items: [ProfileFetch.Item], as viewer: String
    ) -> GetProfilesRequest {
        var known: [String: Int64] = [:]
        for item in items {
            guard let version = item.known?.result.viewVersion, version != 0 else { continue }
            known[item.user] = version
        }
        return GetProfilesRequest.with {
            $0.userID = viewer
            $0.userIDs = items.map(\.user)
            $0.readMask = mask
            $0.knownVersions = known
        }
    }
}

extension FetchedProfiles {
    /// Adds the answer to a request for `items`.
    fileprivate mutating func add(
        _ response: GetProfilesResponse, to items: [ProfileFetch.Item]
    ) throws {
        guard response.results.count == items.count else {
            throw CallError.isMalformed(
                "\(response.results.count) results for \(items.count) users")
        }
        // A number of seconds that no clock reaches is as good as a higher one.
        let seconds = Duration.seconds(max(0, min(response.cacheSeconds, Int64(UInt32.max))))
        lifetime = results.isEmpty ? seconds : min(lifetime, seconds)
        for (item, result) in zip(items, response.results) {
            if !result.notModified {
                results.append(KeptProfile(result))
            } else if let known = item.known {
                results.append(known)
                renewals += 1
            } else {
                throw CallError.isMalformed("an unknown profile is not modified")
            }
        }
    }
}

extension CallError {
    /// The most users that one request may name, if the server refused it for their number.
    fileprivate var userLimit: Int? {
        guard reason == "TOO_MANY_ITEMS", let limit = metadata["limit"].flatMap({ Int($0) })
        else { return nil }
        return limit > 0 ? limit : nil
    }

    fileprivate static func isMalformed(_ failure: String) -> CallError {
        CallError(RPCError(.internalError, "the answer of GetProfiles has \(failure)"))
    }
}
