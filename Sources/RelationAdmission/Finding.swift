import GRPC
import RelationCore
import RelationModel

/// The findings about a credential, while it is recognised.
struct Finding {
    /// The limits of all callers at that time, or the lower ones of the principal's app.
    var limits: CallerLimits
    var isOperator = false
    /// The app that an operator named; nil if it named none.
    var namedApp: UInt32?
    var user: UserID?
    var scopes: ScopeSet = []
    var credential: CallerCredential?
    /// The last moment at which the credential is valid.
    var expiresMs = Int64.max
    /// The rest of the principal's own rate of calls, that rate, and the rest of its app's rate.
    var calls: TokenBucket?
    var rate: Rate?
    var appCalls: TokenBucket?
    /// Notes when the credential is used; nil for a user's signature.
    var use: LastUse?
    /// The calls and connections of the principal; nil for operators, who must always get through.
    var usage: Usage?
    /// The app that the principal calls for; nil if an operator named none, or one that does not
    /// exist.
    var app: App?
    /// The group in which the calls of that app are counted.
    var group = 0
}
