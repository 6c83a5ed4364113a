import RelationCalls
import RelationCore
import RelationModel

/// Checks the values that the items of one request, or the rows of an import, give to friends.
struct FriendValuesValidator {
    private let reasons: FriendReasons
    private let app: App
    private let limits: AppLimits
    private let isAdmin: Bool

    init(_ reasons: FriendReasons, _ app: App, isAdmin: Bool) {
        self.reasons = reasons
        self.app = app
        // Each look at the settings of an app is an allocation in this module.
        limits = app.settings.limits
        self.isAdmin = isAdmin
    }

    func user(_ id: String) throws(Refusal) -> UserID {
        guard let user = UserID(id) else { throw Refusal(reasons.userID) }
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
    ) throws(Refusal) {
        for rule in reasons.rules { try check(&values, rule) }
        guard !custom.isEmpty else { return }
        var reader = customValues()
        try reader.take(custom)
        values.custom = try reader.checked()
    }

    private func check(
        _ values: inout FriendValues, _ rule: FriendReasons.Rule
    ) throws(Refusal) {
        switch rule {
        case .remark(let reason):
            guard limits.remark.allows(values.remark ?? "") else { throw Refusal(reason) }
        case .wording(let reason):
            guard limits.wording.allows(values.wording ?? "") else { throw Refusal(reason) }
        case .source(let reason):
            guard let source = values.source else { return }
            guard let stored = AddSource.stored(source) else { throw Refusal(reason) }
            values.source = stored
        case .group(let reason):
            guard limits.groupName.allows(values.group) else { throw Refusal(reason) }
        case .groups(let reason, let tooMany):
            let groups = values.groups ?? []
            guard !GroupNames.areTooMany(groups) else {
                throw Refusal(Outcome(.groupLimit, tooMany))
            }
            guard GroupNames.areLegal(groups, limits) else { throw Refusal(reason) }
        }
    }
}
