import RelationAdmission
import RelationCore

/// The last uses of credentials, on their way through the committer.
final class CredentialUseWork: BackgroundWork {
    private let uses: ArraySlice<CredentialUse>
    private let apps: Apps

    init(_ uses: ArraySlice<CredentialUse>, _ apps: Apps) {
        self.uses = uses
        self.apps = apps
    }

    func run(in transaction: any WriteTransaction) throws(StorageError) {
        for use in uses {
            // The app may have been deleted meanwhile, with its credentials.
            guard let app = apps.inTransaction(use.app) else { continue }
            try CredentialRules.note(
                use.id, usedMs: use.milliseconds, of: app, in: transaction)
        }
    }

    /// After an error the next round brings them again.
    func finish(_ error: StorageError?) {
        if error == nil { for use in uses { use.didStore() } }
    }
}
