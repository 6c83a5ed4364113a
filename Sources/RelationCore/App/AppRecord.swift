package import Protobuf
package import RelationModel

/// An app as the registry keeps it.
///
/// Its number is its key.
package struct AppRecord: CodedMessage, Equatable {
    package var preset = AppPreset.unspecified
    package var name = ""
    package var state = AppState.unspecified
    package var createdMs: Int64 = 0
    /// The number of its changes, its making included: 1 at first.
    package var version: Int64 = 0
    /// The settings that the app chose itself, in ascending order of their numbers; the preset
    /// decides the others.
    package var settings: [SettingRecord] = []
    package var customFields: [CustomFieldRecord] = []
    /// The secrets of its users' signatures, the newest first: at most two.
    package var secrets: [SecretRecord] = []
    package var clientApps: [ClientAppRecord] = []
    /// The permissions that it defined beside the built-in ones.
    package var permissions: [PermissionRecord] = []
    /// The highest values so far of settings that make rows long, for those settings whose present
    /// values are lower.
    package var highest: [SettingRecord] = []
    /// A random number for each restore that a server without histories noted, the newest last.
    package var eras: [UInt32] = []
    /// Whether an import of a whole app has begun in it.
    package var isImported = false
    /// See ``History/id``.
    package var historyID: UInt64 = 0
    /// See ``History/floor``.
    package var floor: Int64 = 0
    /// See ``History/keepsOlderTokens``.
    package var keepsOlderTokens = false
    /// Its webhooks, in the order of their ids.
    package var hooks: [HookRecord] = []
    /// See ``AppSettings/findEpoch``.
    package var findEpoch: Int64 = 0
    /// See ``AppSettings/reverseEpoch``.
    package var reverseEpoch: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.App", AppRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "preset", &preset)
        visitor.field(2, "name", &name)
        visitor.field(3, "state", &state)
        visitor.field(4, "created_ms", &createdMs)
        visitor.field(5, "version", &version)
        visitor.field(6, "settings", &settings)
        visitor.field(7, "custom_fields", &customFields)
        visitor.field(8, "secrets", &secrets)
        visitor.field(9, "client_apps", &clientApps)
        visitor.field(10, "permissions", &permissions)
        visitor.field(11, "highest", &highest)
        visitor.field(12, "eras", &eras)
        visitor.field(13, "is_imported", &isImported)
        visitor.field(14, "history_id", &historyID)
        visitor.field(15, "floor", &floor)
        visitor.field(16, "keeps_older_tokens", &keepsOlderTokens)
        visitor.field(17, "hooks", &hooks)
        visitor.field(90, "find_epoch", &findEpoch)
        visitor.field(115, "reverse_epoch", &reverseEpoch)
    }
}

/// One setting of an app, under its number in ``AppSetting/all``.
package struct SettingRecord: CodedMessage, Equatable {
    package var number: UInt32 = 0
    package var value: Int64 = 0
    package var texts: [String] = []

    package init() {}

    package static let schema = Schema("relation.store.Setting", SettingRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "number", &number)
        visitor.field(2, "value", &value)
        visitor.field(3, "texts", &texts)
    }
}

/// A field that an app added to profiles or to friends.
package struct CustomFieldRecord: CodedMessage, Equatable {
    package var owner = CustomFieldOwner.unspecified
    package var key = ""
    package var type = CustomFieldType.unspecified
    package var adminReads = false
    package var adminWrites = false
    package var isRetired = false

    package init() {}

    package static let schema = Schema("relation.store.CustomField", CustomFieldRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "owner", &owner)
        visitor.field(2, "key", &key)
        visitor.field(3, "type", &type)
        visitor.field(4, "admin_reads", &adminReads)
        visitor.field(5, "admin_writes", &adminWrites)
        visitor.field(6, "is_retired", &isRetired)
    }
}

/// A secret with which an app signs its users' credentials.
///
/// The text itself is kept, since a signature is checked by making it again.
package struct SecretRecord: CodedMessage, Equatable {
    package var text = ""
    package var createdMs: Int64 = 0
    /// The last time at which it is good; nil while it is the app's newest.
    package var validUntilMs: Int64?

    package init() {}

    package static let schema = Schema("relation.store.Secret", SecretRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "text", &text)
        visitor.field(2, "created_ms", &createdMs)
        visitor.field(3, "valid_until_ms", &validUntilMs)
    }
}

/// The registry of apps as a whole.
package struct RegistryRecord: CodedMessage, Equatable {
    /// Apps, those that are being deleted included.
    package var appCount: UInt32 = 0
    /// The last number that the server chose for an app whose creator asked for none.
    package var lastNumber: UInt32 = 0
    /// Counts the changes of apps and credentials, where several servers keep them in memory.
    package var version: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Registry", RegistryRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app_count", &appCount)
        visitor.field(2, "last_number", &lastNumber)
        visitor.field(3, "version", &version)
    }
}

/// How far the deletion of an app has come.
package struct AppDeletionRecord: CodedMessage, Equatable {
    package var startedMs: Int64 = 0
    package var removedRows: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.AppDeletion", AppDeletionRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "started_ms", &startedMs)
        visitor.field(2, "removed_rows", &removedRows)
    }
}

extension AppRecord {
    /// The history to which the app's tokens and numbers belong.
    package var history: History {
        get {
            var history = History()
            (history.id, history.floor) = (historyID, floor)
            (history.eras, history.keepsOlderTokens) = (eras, keepsOlderTokens)
            return history
        }
        set {
            (historyID, floor) = (newValue.id, newValue.floor)
            (eras, keepsOlderTokens) = (newValue.eras, newValue.keepsOlderTokens)
        }
    }

    /// The settings that rules and handlers read: the preset's, with the app's own instead.
    package var effectiveSettings: AppSettings {
        var settings = AppSettings(of: preset)
        for record in self.settings {
            // A setting that only a newer server knows is passed over.
            AppSetting.numbered(record.number)?.apply(record, to: &settings)
        }
        if !highest.isEmpty {
            var earlier = settings
            for record in highest {
                AppSetting.numbered(record.number)?.apply(record, to: &earlier)
            }
            settings.earlierLimits = earlier.limits
            settings.keptTIMValues = earlier.keepsTIMValues
        }
        settings.history = history
        settings.findEpoch = findEpoch
        settings.reverseEpoch = reverseEpoch
        settings.customFields = customFields.map(CustomField.init)
        settings.clientApps = clientApps.map(\.clientApp)
        settings.permissions = permissions.map(\.permission)
        settings.hooks = hooks
        settings.asked = HookQuestionSet(hooks)
        return settings
    }
}

extension AppRecord {
    /// Notes which settings that let more into rows are lower than they were in `old`.
    package mutating func noteLowered(from old: AppRecord) {
        let before = old.effectiveSettings
        let now = effectiveSettings
        highest = AppSetting.all.filter(\.widensRows).compactMap { setting in
            let known = old.highest.first { $0.number == setting.number }?.value ?? 0
            guard case .number(let earlier) = setting.value(in: before),
                case .number(let present) = setting.value(in: now),
                max(known, earlier) > present
            else { return nil }
            return setting.record(of: .number(max(known, earlier)))
        }
    }
}

extension AppSettings {
    /// The settings that an app with `preset` starts with.
    package init(of preset: AppPreset) {
        self = preset == .rongCloud ? .rongCloud : .tim
    }
}

extension CustomField {
    package init(_ record: CustomFieldRecord) {
        self.init(record.owner, record.key, record.type)
        isReadable = !record.adminReads
        isWritable = !record.adminWrites
        isRetired = record.isRetired
    }
}
