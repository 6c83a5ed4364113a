import RelationModel
import Storage

extension Ledger {
    /// Whether a list of either side has the application from `applicant` to `asked`, expired or
    /// not.
    func hasApplication(
        from applicant: UserID, to asked: UserID
    ) throws(StorageError) -> Bool {
        try Applications.hasRecord(from: applicant, to: asked, in: self)
    }
}
