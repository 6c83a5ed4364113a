import RelationAccess
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel
import RelationService

/// The key that measured calls show to a server that requires one.
enum BenchKey {
    static let text = "\(BenchData.app.id).bench." + String(repeating: "0123456789abcdef", count: 4)

    /// An authenticator that the key opens, at any rate that occurs.
    ///
    /// The measurement is about the cost of the key, and the rate of calls is still checked.
    ///
    /// - Parameters:
    ///   - app: The app of the calls, as the server knows it.
    ///   - loops: The loops of the server that asks it.
    static func authenticator(
        for app: App = BenchData.app, loops: Int, scopes: [Scope] = [.read],
        rate: Rate = Rate(perSecond: 100_000_000, burst: 100_000_000),
        clock: ServiceClock = .system
    ) -> Authenticator {
        var record = CredentialRecord()
        record.scopes = scopes
        record.digest = APIKey.digest(of: text.utf8)
        let credentials = AppCredentials(
            app: BenchData.app.id, secrets: [], credentials: [(CredentialID("bench"), record)])
        var rates = CallRates()
        (rates.app, rates.key) = (rate, rate)
        return .guarded(
            Apps([app], [credentials]), loops: loops, limits: rates, clock: clock)
    }
}
