import RelationCore
import RelationModel
import Storage

extension Audit {
    /// Compares the index and the count of the ends of sessions with their rows.
    mutating func checkSessions() throws(StorageError) {
        let partition = world.app.partition
        let ends = try world.rows(of: Tables.sessionEnds, in: partition)
        let index = try world.rows(of: Tables.sessionEndsByNumber, in: partition).map(\.key)
        let places = ends.map { SequencedUser(sequence: $0.record.number, user: $0.key) }
        if Set(index) != Set(places) { note("sessions end at \(index) instead of \(places)") }
        let head = try world.read { (transaction) throws(StorageError) in
            try SessionRules.summary(of: world.app, in: transaction)
        }
        if head.count != Int64(ends.count) { note("counts \(head.count) ends of sessions") }
        if places.contains(where: { $0.sequence > head.last }) {
            note("an end of sessions is newer than the newest")
        }
    }
}
