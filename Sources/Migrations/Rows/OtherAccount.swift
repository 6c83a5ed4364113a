package import RelationAPI
import RelationModel

/// The other account that a row of an export names, and without which the row cannot stand.
///
/// Applications that have ended keep the names of users whose accounts are gone.
package struct OtherAccount: Equatable {
    /// The row's case in the contract.
    package let kind: String
    /// The user whose row it is.
    package let owner: String
    /// The field of the row that names the other user.
    package let field: String
    package let user: String

    /// Nil for a row that needs no account but its user's own.
    package init?(of row: ExportAppResponse) {
        switch row.row {
        case .friendEntry(let row):
            self.init("friend_entry", row.userID, "entry.user_id", row.entry?.userID)
        case .application(let row) where row.application?.status == .unhandled:
            self.init(
                "application", row.userID, "application.user_id", row.application?.userID)
        case .blacklistEntry(let row):
            self.init("blacklist_entry", row.userID, "entry.user_id", row.entry?.userID)
        case .subscription(let row):
            self.init(
                "subscription", row.userID, "subscription.user_id", row.subscription?.userID)
        case .follow(let row):
            self.init("follow", row.userID, "entry.user_id", row.entry?.userID)
        default: return nil
        }
    }

    private init(_ kind: String, _ owner: String, _ field: String, _ user: String?) {
        (self.kind, self.owner, self.field, self.user) = (kind, owner, field, user ?? "")
    }

    /// The rule that the row breaks if the accounts lack the other user; nil if they do not, and
    /// for what is not a user id, which has a rule of its own.
    package func rule(among accounts: KnownUsers) -> String? {
        UserID(user) == nil || accounts.has(user) ? nil : MigrationLoss.outside
    }
}
