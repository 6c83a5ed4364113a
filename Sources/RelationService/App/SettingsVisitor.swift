import Memory
import Protobuf
import RelationAPI
import RelationCore

/// Visits the contract's settings by their names, which are the names of ``AppSetting``.
///
/// So no third list has to say which field is which setting.
struct SettingsVisitor: FieldVisitor {
    /// The values of the visited fields, by their paths.
    private(set) var found: [(path: String, value: AppSetting.Value?)] = []
    /// The new values of the visited fields; nil leaves them as they are.
    private let source: AppSettings?
    /// The settings that get values; nil for all.
    private var chosen: Set<String>?
    /// The path of the visited message, with a dot; empty at the top.
    private var prefix = ""

    private init(from source: AppSettings?) {
        self.source = source
    }

    /// The settings in `message`, by their paths; nil for a setting that it lacks.
    static func fields(
        of message: AppSettingsMessage
    ) -> [(path: String, value: AppSetting.Value?)] {
        var visitor = SettingsVisitor(from: nil)
        var message = message
        message.visit(&visitor)
        return visitor.found
    }

    /// The message of `settings`, with every field set.
    static func message(of settings: AppSettings) -> AppSettingsMessage {
        var visitor = SettingsVisitor(from: settings)
        var message = AppSettingsMessage()
        message.visit(&visitor)
        return message
    }

    /// The message of the settings that `records` have, and no others.
    static func message(of records: [SettingRecord]) -> AppSettingsMessage? {
        guard !records.isEmpty else { return nil }
        var settings = AppSettings.tim
        var chosen: Set<String> = []
        for record in records {
            guard let setting = AppSetting.numbered(record.number) else { continue }
            setting.apply(record, to: &settings)
            chosen.insert(setting.name)
        }
        var visitor = SettingsVisitor(from: settings)
        visitor.chosen = chosen
        var message = AppSettingsMessage()
        message.visit(&visitor)
        return message
    }

    /// Notes the value of a field, and returns its new value.
    private mutating func visit(_ name: StaticString, _ held: AppSetting.Value?)
        -> AppSetting.Value?
    {
        let path = "\(prefix)\(name)"
        found.append((path, held))
        if let chosen, !chosen.contains(path) { return nil }
        return source.flatMap { AppSetting.named(path)?.value(in: $0) }
    }

    // MARK: The fields that settings have

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T?) {
        let new = visit(name, value.flatMap { AppSetting.Value($0.scalarValue) })
        if source != nil { value = new.flatMap { T(setting: $0) } }
    }

    mutating func field<M: CodedMessage>(_ number: UInt32, _ name: StaticString, _ value: inout M?)
    {
        guard M.self == StringList.self else {
            let outer = prefix
            prefix += "\(name)."
            var message = value ?? M()
            message.visit(&self)
            let isChosen = chosen.map { $0.contains { $0.hasPrefix(prefix) } } ?? true
            if source != nil, isChosen { value = message }
            prefix = outer
            return
        }
        let new = visit(name, (value as? StringList).map { .texts($0.values) })
        guard case .texts(let texts) = new else { return }
        var list = StringList()
        list.values = texts
        value = list as? M
    }

    // MARK: Fields that settings do not have

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T) {
        absent(name)
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout [T]) {
        absent(name)
    }

    mutating func field<M: CodedMessage>(_ number: UInt32, _ name: StaticString, _ value: inout [M])
    {
        absent(name)
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?
    ) {
        absent(name)
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>]
    ) {
        absent(name)
    }

    mutating func field<K: MapKey, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: T]
    ) {
        absent(name)
    }

    mutating func field<K: MapKey, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: M]
    ) {
        absent(name)
    }

    mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?) {
        absent(name)
    }

    mutating func unknown(_ fields: inout UnknownFields) {}

    private func absent(_ name: StaticString) {
        preconditionFailure("\(name): a setting is an optional field, so that it can be left out")
    }
}

extension AppSetting.Value {
    /// Nil for a value that no setting can have.
    fileprivate init?(_ value: ScalarValue) {
        switch value {
        case .bool(let value): self = .number(value ? 1 : 0)
        case .int64(let value): self = .number(value)
        case .uint32(let value): self = .number(Int64(value))
        case .enumeration(let value): self = .number(Int64(value))
        default: return nil
        }
    }
}

extension Scalar {
    /// The value of a setting as a field of this type; nil if the type has no room for it.
    fileprivate init?(setting: AppSetting.Value) {
        guard case .number(let number) = setting else { return nil }
        let value: ScalarValue? =
            switch Self.kind {
            case .bool: .bool(number != 0)
            case .int64: .int64(number)
            case .uint32: UInt32(exactly: number).map { .uint32($0) }
            case .enumeration: Int32(exactly: number).map { .enumeration($0) }
            default: nil
            }
        guard let value else { return nil }
        // Numbers need no memory of the arena.
        let made = Arena.temporary(capacity: 64) { Self.make(value, $0) }
        guard let made else { return nil }
        self = made
    }
}
