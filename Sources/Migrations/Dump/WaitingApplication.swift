import RelationAPI
import RelationModel

/// An application of a dump that waits, with the extent of its document.
struct WaitingApplication {
    let applicant: UInt32
    let asked: UInt32
    var timeMs: Int64
    /// The bytes of its text, which stays in the document.
    let textBytes: Int32
    let extent: DumpFile.Extent

    /// Gives no two applications of a user the same time, by some milliseconds more.
    static func separate(_ waiting: inout [WaitingApplication]) {
        waiting.sort { ($0.timeMs, $0.extent.offset) < ($1.timeMs, $1.extent.offset) }
        var last: [UInt32: Int64] = [:]
        for index in waiting.indices {
            let users = [waiting[index].applicant, waiting[index].asked]
            let free = users.map { (last[$0] ?? 0) + 1 }.max() ?? 1
            waiting[index].timeMs = max(waiting[index].timeMs, free)
            for user in users { last[user] = waiting[index].timeMs }
        }
    }

    /// One side of the application.
    ///
    /// - Parameter ids: The users of the dump.
    func side(_ type: PendencyType, of ids: [String], wording: String) -> FriendApplication {
        let (applicant, asked) = (ids[Int(applicant)], ids[Int(asked)])
        var application = FriendApplication()
        application.userID = type == .comeIn ? applicant : asked
        // Sequences begin at 1, so no later application has this id.
        application.applicationID = "\(applicant)#0#\(asked)"
        (application.pendencyType, application.status) = (type, .unhandled)
        application.addTimeMs = timeMs
        application.operationTimeMs = timeMs
        application.wording = MigratedUser.cut(wording, Int(MigrationLimits.wordingBytes))
        return application
    }
}
