package import RelationCore
package import RelationModel

/// What every handler knows of the call that it answers.
package struct Call: Sendable {
    package let app: App
    /// The acting user.
    package let user: UserID
    /// Whether the credential has the scope `admin`.
    package let isAdmin: Bool
    /// When the call arrived. No rule asks the machine.
    package let now: Timestamp
}
