/// The reports about the device of each user, and what they say of its presence.
///
/// A report of a later time holds against one of an earlier time, whichever comes first. A process
/// that dies forgets all of them.
struct Devices {
    private struct Report {
        let time: Int64
        let isOnline: Bool
        /// Whether the process that runs has answered it.
        var isAnswered = false
        /// Whether a process has answered it that has died since.
        var isGone = false
    }

    private var reports: [[Report]] = Array(repeating: [], count: WorldLimits.users)
    /// How many reports of each user had begun when all were forgotten last: the answer to one of
    /// these may be older than that.
    private var unsure = Array(repeating: 0, count: WorldLimits.users)

    /// A report begins.
    ///
    /// - Parameter now: The present time in milliseconds.
    /// - Returns: Its number, and its time, which is later than those of all before.
    mutating func begin(_ user: Int, _ isOnline: Bool, at now: Int64) -> (Int, Int64) {
        let time = max(now, (reports[user].last?.time ?? 0) + 1)
        reports[user].append(Report(time: time, isOnline: isOnline))
        return (reports[user].count - 1, time)
    }

    func time(of number: Int, _ user: Int) -> Int64 { reports[user][number].time }

    mutating func answered(_ number: Int, of user: Int) {
        guard number >= unsure[user] else { return }
        reports[user][number].isAnswered = true
    }

    /// Whether a report was rightly called outdated.
    func isOutdated(_ number: Int, of user: Int) -> Bool { reports[user].count > number + 1 }

    /// The time of the last report that the process has answered; nil if there is none.
    func floor(of user: Int) -> Int64? {
        reports[user].last { $0.isAnswered }?.time
    }

    /// Whether reports explain that a user is online, or is not.
    ///
    /// - Parameter floor: The answer of ``floor(of:)`` as the question was asked.
    func explain(_ user: Int, _ isOnline: Bool, since floor: Int64?) -> Bool {
        if floor == nil, !isOnline { return true }
        return reports[user].contains {
            $0.time >= floor ?? 0 && $0.isOnline == isOnline && !$0.isGone
        }
    }

    /// The process has died, or the database has lost its notes: what was told is gone.
    ///
    /// - Returns: Whether it knew of any device.
    mutating func processDied() -> Bool {
        var knew = false
        for user in reports.indices {
            unsure[user] = reports[user].count
            for index in reports[user].indices where reports[user][index].isAnswered {
                (reports[user][index].isAnswered, reports[user][index].isGone) = (false, true)
                knew = true
            }
        }
        return knew
    }
}
