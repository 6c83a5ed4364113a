import Synchronization

/// The apps whose calls are counted each by itself: the first that call, and the others together.
///
/// An app keeps its group until the process ends, so its counters only rise. Callers keep the group
/// of their app, so a call looks nothing up here.
package final class CountedApps: Sendable {
    private struct State {
        /// How many apps have a group of their own; 0 if calls are not counted by apps.
        var limit = 0
        var groups: [UInt32: Int] = [:]
    }

    /// The group of all apps that have none of their own.
    package static let otherGroup = 1

    private let state = Mutex(State())

    package init() {}

    /// Counts the calls of so many apps each by itself; called before callers come.
    ///
    /// - Parameter limit: At most ``AdmissionLimits/countedApps``; 0 counts no app.
    package func begin(atMost limit: Int) {
        precondition(limit <= AdmissionLimits.countedApps, "more apps than may be counted")
        state.withLock { $0.limit = limit }
    }

    /// The groups that there may be, with that of the other apps.
    package var groupCount: Int {
        state.withLock { $0.limit == 0 ? 0 : $0.limit + Self.otherGroup }
    }

    /// The group in which calls of an app are counted; 0 if they are in none.
    ///
    /// The app gets a group of its own as long as there is one.
    func group(of app: UInt32) -> Int {
        state.withLock { state in
            guard state.limit > 0 else { return 0 }
            if let group = state.groups[app] { return group }
            guard state.groups.count < state.limit else { return Self.otherGroup }
            let group = Self.otherGroup + state.groups.count + 1
            state.groups[app] = group
            return group
        }
    }

    /// The apps that have a group of their own, in ascending order of their numbers.
    package var all: [(app: UInt32, group: Int)] {
        state.withLock { $0.groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }
}
