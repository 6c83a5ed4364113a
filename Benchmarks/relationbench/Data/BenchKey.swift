import RelationAccess
import RelationAdmission
import RelationCore
import RelationModel
import RelationService

/// The key that measured calls show to a server that asks for one.
enum BenchKey {
    static let text = "\(BenchData.app.id).bench." + String(repeating: "0123456789abcdef", count: 4)

    /// A door that the key opens, however often it is shown: what is measured is its cost, and how
    /// often one may call is looked at all the same.
    static var door: Door {
        var record = CredentialRecord()
        record.scopes = [.read]
        record.digest = APIKey.digest(of: text.utf8)
        let credentials = AppCredentials(
            app: BenchData.app.id, secrets: [], credentials: [(CredentialID("bench"), record)])
        var rates = CallRates()
        rates.app = Rate(perSecond: 100_000_000, burst: 100_000_000)
        rates.key = rates.app
        return .guarded(Apps([BenchData.app], [credentials]), loops: 1, limits: rates)
    }
}
