package import Protobuf
package import RelationModel

/// A way in which a search finds a user.
package enum FindWay: CaseIterable, Sendable {
    case id, uniqueID, name, phone, email
}

/// The choices of a user about the ways in which others find it.
///
/// Its fields are those of the contract's `FindSettings`, one by one: an event holds it as it is.
package struct FindSettingsRecord: CodedMessage, Equatable, Sendable {
    package var byID: Findability?
    package var byUniqueID: Findability?
    package var byName: Findability?
    package var byPhone: Findability?
    package var byEmail: Findability?

    package init() {}

    package static let schema = Schema("relation.store.FindSettings", FindSettingsRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "by_id", &byID)
        visitor.field(2, "by_unique_id", &byUniqueID)
        visitor.field(3, "by_name", &byName)
        visitor.field(4, "by_phone", &byPhone)
        visitor.field(5, "by_email", &byEmail)
    }

    package subscript(_ way: FindWay) -> Findability? {
        get {
            switch way {
            case .id: byID
            case .uniqueID: byUniqueID
            case .name: byName
            case .phone: byPhone
            case .email: byEmail
            }
        }
        set {
            switch way {
            case .id: byID = newValue
            case .uniqueID: byUniqueID = newValue
            case .name: byName = newValue
            case .phone: byPhone = newValue
            case .email: byEmail = newValue
            }
        }
    }
}

extension UserRecord {
    /// The choices of the user, each set.
    package var findSettings: FindSettingsRecord {
        var settings = FindSettingsRecord()
        settings.byID = findByID
        settings.byUniqueID = findByUniqueID
        settings.byName = findByName
        settings.byPhone = findByPhone
        settings.byEmail = findByEmail
        return settings
    }

    /// Takes the choices that are set.
    package mutating func apply(_ settings: FindSettingsRecord) {
        findByID = settings.byID ?? findByID
        findByUniqueID = settings.byUniqueID ?? findByUniqueID
        findByName = settings.byName ?? findByName
        findByPhone = settings.byPhone ?? findByPhone
        findByEmail = settings.byEmail ?? findByEmail
    }

    /// Whether searches by `way` may show the user to users that it has not on its blacklist.
    ///
    /// This alone decides it: a rule that hides a nick from users would be asked here too.
    package func canBeFound(by way: FindWay, _ settings: AppSettings) -> Bool {
        let chosen = findSettings[way] ?? .notSet
        // A choice that a later server has written lets no user find the user.
        return (chosen == .notSet ? settings.defaultFindability : chosen) == .everyone
    }

    /// Whether searches by `way` show the user now: one that is banned is not found, whatever it
    /// chose.
    package func canBeFound(
        by way: FindWay, at now: Timestamp, _ settings: AppSettings
    ) -> Bool {
        suspension(at: now) != .banned && canBeFound(by: way, settings)
    }

    /// The choices of the user as they are in effect, with the app's default in place of none.
    package func effective(_ settings: AppSettings) -> FindSettingsRecord {
        var effective = FindSettingsRecord()
        for way in FindWay.allCases {
            effective[way] = canBeFound(by: way, settings) ? .everyone : .noUser
        }
        return effective
    }
}
