import Glibc
import RPC
import RelationCalls
import RelationModel
import RelationRuntime
import Storage
import Synchronization

/// The reads of a server that standbys may answer.
///
/// A view of a standby is asked first, and it says in one read whether it shows what the caller
/// knows of. If it does not, the caller has chosen what happens.
final class StandbyReads: Sendable {
    /// The way of a read after standbys were asked.
    enum Step: Equatable {
        /// It has its answer.
        case answered
        /// It asks the store.
        case primary
        /// It fails with the reason BEHIND.
        case behind
    }

    /// The calls whose reads a standby may answer, by their paths.
    ///
    /// The others decide about rights, show settings, credentials or the progress of work, or go on
    /// from a sequence that a standby may lack. A call that is not named stays on the primary.
    static let calls: Set<String> = names([
        "Account": ["ListAccounts", "CheckAccounts"],
        "Blacklist": ["ListBlacklist", "CheckBlacklist", "CanSend"],
        "Change": ["GetSequence"],
        "Follow": [
            "ListFollowing", "ListFollowers", "ListMutualFollows", "CheckFollows",
            "GetFollowCounts",
        ],
        "FriendApplication": ["ListPendencies", "ListApplications"],
        "FriendGroup": ["GetFriendGroups"],
        "Friend": [
            "CheckFriends", "ListFriends", "SearchFriends", "GetFriends", "GetRelations",
            "ListMutualFriends", "SuggestFriends", "ListReverseFriends", "GetMutualFriendCounts",
            "ListDismissedSuggestions",
        ],
        "Invitation": ["ListInvitations", "GetInvitation"],
        "Profile": [
            "GetSelfProfile", "GetProfiles", "FindProfileByUniqueId", "FindUsers", "GetVisibility",
            "GetFindSettings", "GetContactDigests",
        ],
        "Subscription": ["QuerySubscriptions", "ListSubscriptions"],
    ])

    /// Calls that read so much that a standby is asked even if no read may be older than the call:
    /// suggestions and searches.
    static let heavyCalls: Set<String> = names([
        "Friend": ["SearchFriends", "SuggestFriends"], "Profile": ["FindUsers"],
    ])

    private static func names(_ services: [String: [String]]) -> Set<String> {
        Set(services.flatMap { noun, calls in calls.map { "/relation.v1.\(noun)Service/\($0)" } })
    }

    /// Reads that wait for a standby at one time.
    ///
    /// Each has a thread that reads, and these are half of those of one pool. One more does not
    /// wait.
    static var mostWaiting: Int { Readers.threadCount / 2 }

    private let standbys: any StoreStandbys
    private let clock: @Sendable () -> UInt64
    private let sleep: @Sendable (_ milliseconds: Int) -> Void
    private let waiting = Atomic<Int>(0)

    /// - Parameters:
    ///   - clock: Nanoseconds that only rise, as for deadlines.
    ///   - sleep: Waits for so many milliseconds.
    init(
        _ standbys: any StoreStandbys, clock: @escaping @Sendable () -> UInt64 = { Deadline.clock },
        sleep: @escaping @Sendable (_ milliseconds: Int) -> Void = {
            usleep(UInt32(clamping: $0 * 1_000))
        }
    ) {
        self.standbys = standbys
        self.clock = clock
        self.sleep = sleep
    }

    /// Asks standbys for the answer, and waits for them if the caller wants that.
    ///
    /// - Parameters:
    ///   - isHeavy: Whether a standby is asked in any case.
    ///   - deadline: The caller's.
    ///   - body: Reads the answer; it may run again.
    func read(
        _ least: LeastSequence, isHeavy: Bool, by deadline: Deadline?,
        _ body: (any ReadTransaction) throws(StorageError) -> StandbyVerdict
    ) -> Step {
        guard let need = standbyNeed(of: least, isHeavy) else { return .primary }
        switch standbys.read(need, body) {
        case .answered: return .answered
        case .unsure: return .primary
        case .behind, .away: break
        }
        // A read that must see all there is cannot be behind by choice.
        guard need != .present else { return .primary }
        switch least.ifBehind {
        case .fail: return .behind
        case .wait: return wait(for: need, by: deadline, body)
        default: return .primary
        }
    }

    /// The view that a read needs; nil if the primary answers it.
    private func standbyNeed(of least: LeastSequence, _ isHeavy: Bool) -> StandbyNeed? {
        if !least.isAny { return .token }
        if standbys.takesRecentReads { return .recent }
        return isHeavy ? .present : nil
    }

    private func wait(
        for need: StandbyNeed, by deadline: Deadline?,
        _ body: (any ReadTransaction) throws(StorageError) -> StandbyVerdict
    ) -> Step {
        defer { waiting.subtract(1, ordering: .relaxed) }
        guard waiting.add(1, ordering: .relaxed).newValue <= Self.mostWaiting else {
            return .behind
        }
        let second = clock() + UInt64(RuntimeLimits.behindMilliseconds) * 1_000_000
        let end = min(second, deadline?.nanoseconds ?? .max)
        var pause = RuntimeLimits.firstBehindPauseMilliseconds
        while true {
            let now = clock()
            guard now < end else { return .behind }
            sleep(min(pause, max(1, Int((end - now) / 1_000_000))))
            pause = min(2 * pause, RuntimeLimits.longestBehindPauseMilliseconds)
            switch standbys.read(need, body) {
            case .answered: return .answered
            case .unsure: return .primary
            case .behind, .away: continue
            }
        }
    }
}
