import RelationCalls
import RelationCore
import RelationModel

/// Checks the values that the items of one request, or the rows of an import, give to friends.
struct FriendValuesValidator {
    private let reasons: FriendReasons
    private let app: App
    private let limits: AppLimits
    private let keywords: AddSource.Keywords
    private let isAdmin: Bool

    init(_ reasons: FriendReasons, _ app: App, isAdmin: Bool) {
        self.reasons = reasons
        self.app = app
        // Each look at the settings of an app is an allocation in this module.
        limits = app.settings.limits
        keywords = AddSource.Keywords(app.settings)
        self.isAdmin = isAdmin
    }

    func user(_ id: String) throws(FriendRefusal) -> UserID {
        guard let user = UserID(id) else { throw FriendRefusal(reasons.userID) }
        return user
    }

    /// A reader of the custom values of one item.
    func customValues() -> CustomValues {
        CustomValues(app.settings, isAdmin: isAdmin, reasons.custom)
    }

    /// Checks `values` by the rules of the call, and brings them into the stored form.
    ///
    /// - Parameter custom: The custom values of the item: they are checked last.
    func check(
        _ values: inout FriendValues, custom: [CustomValue] = []
    ) throws(FriendRefusal) {
        for (rule, reason) in reasons.rules where !rule.allows(&values, limits, keywords) {
            guard rule == .groupCount else { throw FriendRefusal(reason) }
            throw FriendRefusal(Outcome(.groupLimit, reason))
        }
        guard !custom.isEmpty else { return }
        var reader = customValues()
        try reader.add(custom)
        values.custom = try reader.checked()
    }
}
