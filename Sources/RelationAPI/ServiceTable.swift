package import Protobuf

/// Every call of the contract.
///
/// The router registers these calls, reflection serves them, and the command line knows them.
package enum ServiceTable {
    /// The calls, service by service, in the order in which pages and commands list them.
    package static let all: [AnyMethod] =
        [
            profile, friend, application, blacklist, group, subscription, follow, invitation,
            presence, app, change, consent, account, moderation, maintenance, backup, hook,
        ].flatMap(\.self)
}
