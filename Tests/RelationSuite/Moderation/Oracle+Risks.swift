package import RelationCore
import RelationModel
import Storage

/// The marks of new applications, as their description gives them.
extension Oracle {
    /// A new application whose user has marks.
    package struct Risk: Equatable, CustomStringConvertible {
        package let pair: Pair
        package let marks: [Int32]

        package var description: String { "\(pair) \(marks)" }
    }

    /// Marks a new application of the first user, which is counted already.
    mutating func noteRisk(of pair: Pair, _ nowMs: Int64) {
        guard marksRisks else { return }
        let (user, day) = (pair.from, nowMs / 86_400_000)
        var marks: [Int32] = []
        // Each account of an oracle is from the beginning.
        if nowMs - World.start < 86_400_000 { marks.append(1) }
        let count = sentCount(user, nowMs)
        if applicationsPerDay > 0, 5 * count >= 4 * applicationsPerDay { marks.append(2) }
        let reports = view.reports.keys.count { pair in
            pair.to == user && !view.closedReports.contains(pair)
        }
        if reports >= 3 { marks.append(3) }
        let refusals = refused[user].flatMap { $0.day == day ? $0.count : nil } ?? 0
        if refusals >= 5 { marks.append(4) }
        if !marks.isEmpty { risks.append(Risk(pair: pair, marks: marks)) }
    }

    mutating func countRefusal(of user: UserID, _ nowMs: Int64) {
        let day = nowMs / 86_400_000
        let before = refused[user].flatMap { $0.day == day ? $0.count : nil } ?? 0
        refused[user] = (day, before + 1)
    }
}

extension World {
    /// The marked applications that the app's feed has, in their order.
    package func risks() throws(StorageError) -> [Oracle.Risk] {
        let entries = try rows(of: Tables.feed, in: app.feed).flatMap(\.record.events)
        return entries.flatMap { (entry) -> [Oracle.Risk] in
            guard let event = entry.event, event.kind == .riskMarked else { return [] }
            let applicant = UserID(stored: entry.userID.utf8)
            return event.items.map { item in
                Oracle.Risk(
                    pair: Oracle.Pair(applicant, UserID(stored: item.userID.utf8)),
                    marks: item.riskMarks.map(\.rawValue))
            }
        }
    }
}
