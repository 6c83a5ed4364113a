internal import RelationAPI

/// A caller's question to a cache, and the answers so far.
struct ProfileQuestion {
    /// An answer that a request under way will have.
    struct Wait {
        /// The index of the user in the question.
        let index: Int
        let fetch: ProfileFetch
        /// The index of the user in the request.
        let item: Int
    }

    let users: [String]
    let viewer: String
    /// Whether the caller wants answers that are newer than the question.
    let isForced: Bool
    /// When the question was asked.
    ///
    /// A request that began later answers it, whatever the age that is allowed.
    private(set) var asked: (time: Duration, version: UInt64)?
    /// An answer for each user that was looked up.
    ///
    /// It is empty where a request has still to answer.
    var results: [GetProfileResult] = []
    var waits: [Wait] = []

    init(_ users: [String], as viewer: String, isForced: Bool) {
        self.users = users
        self.viewer = viewer
        self.isForced = isForced
    }

    /// Notes the time of the first lookup, and returns it.
    mutating func ask(at time: Duration, _ version: UInt64) -> (time: Duration, version: UInt64) {
        if let asked { return asked }
        asked = (time, version)
        return (time, version)
    }

    /// Whether an answer of `fetch` that may become `age` old is new enough.
    func accepts(_ fetch: ProfileFetch, age: Duration) -> Bool {
        guard let asked else { return false }
        return fetch.version > asked.version || !isForced && asked.time < fetch.began + age
    }
}

extension ProfileQuestion {
    /// Sets the answer for the user at `index`: the next one, or one that was looked up.
    mutating func set(_ result: GetProfileResult, at index: Int) {
        if index == results.count { results.append(result) } else { results[index] = result }
    }
}
