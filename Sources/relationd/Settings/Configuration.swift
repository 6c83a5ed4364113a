/// All settings with their values, and where each value came from.
struct Configuration: Sendable {
    /// Where a value came from; a later case stands over an earlier one.
    enum Origin: Sendable {
        case usual
        case file(path: String, line: Int)
        case environment
        case flag

        /// The name of a setting as this source gives it, for messages.
        func name(of setting: Setting) -> String {
            switch self {
            case .usual, .flag: setting.sources.contains(.flag) ? setting.flag : setting.variable
            case .file(let path, let line): "\(path):\(line): \(setting.name)"
            case .environment: setting.variable
            }
        }

        /// Where it was given: a line of the file, a variable, or a flag.
        func location(of setting: Setting) -> String {
            if case .file(let path, let line) = self {
                "\(path):\(line)"
            } else {
                name(of: setting)
            }
        }

        fileprivate var source: Setting.Sources {
            switch self {
            case .usual: .all
            case .file: .file
            case .environment: .environment
            case .flag: .flag
            }
        }
    }

    private struct Entry {
        let value: SettingValue
        let origin: Origin
    }

    private var entries: [String: Entry] = [:]

    /// The configuration of the sources, and the errors of all that they say.
    ///
    /// - Parameter given: From the weakest source to the strongest.
    static func reading(_ given: [GivenSetting]) -> (Configuration, errors: [String]) {
        var configuration = Configuration()
        var errors: [String] = []
        for setting in Setting.all {
            guard case .value(let text) = setting.usual else { continue }
            configuration.apply(GivenSetting(setting, text, .usual), &errors)
        }
        for item in given { configuration.apply(item, &errors) }
        configuration.dropOverruled()
        return (configuration, errors)
    }

    /// Settings that say one thing in two ways: the stronger source stands over the weaker one.
    private static let ways: [(Setting, Setting)] = [
        (.data, .store), (.tlsKey, .tlsKeyPEM),
    ]

    /// Drops what a stronger source says in another way.
    ///
    /// Two ways in one source stay, and do not fit together.
    private mutating func dropOverruled() {
        for (one, other) in Self.ways where isSet(one) && isSet(other) {
            let (first, second) = (origin(one).source.rank, origin(other).source.rank)
            if first < second { entries[one.name] = nil }
            if second < first { entries[other.name] = nil }
        }
    }

    private mutating func apply(_ given: GivenSetting, _ errors: inout [String]) {
        let setting = given.setting
        let name = given.origin.name(of: setting)
        guard !setting.sources.isDisjoint(with: given.origin.source) else {
            return errors.append("\(name) is not a setting of this source: \(setting.origins)")
        }
        do throws(SettingError) {
            entries[setting.name] = Entry(
                value: try setting.value(of: given.text), origin: given.origin)
        } catch {
            errors.append("\(name) \(error.words)")
        }
    }

    /// The same configuration with the values that `other` has for `settings`.
    func taking(_ settings: [Setting], from other: Configuration) -> Configuration {
        var configuration = self
        for setting in settings {
            configuration.entries[setting.name] = other.entries[setting.name]
        }
        return configuration
    }

    // MARK: - Values

    func value(_ setting: Setting) -> SettingValue? { entries[setting.name]?.value }

    func isSet(_ setting: Setting) -> Bool { entries[setting.name] != nil }

    func number(_ setting: Setting) -> Int? {
        if case .number(let number)? = value(setting) { number } else { nil }
    }

    func isOn(_ setting: Setting) -> Bool {
        if case .isOn(true)? = value(setting) { true } else { false }
    }

    func text(_ setting: Setting) -> String? {
        if case .text(let text)? = value(setting) { text } else { nil }
    }

    /// Whether a source gives the setting.
    func isAsked(_ setting: Setting) -> Bool {
        if case .usual = origin(setting) { false } else { true }
    }

    func origin(_ setting: Setting) -> Origin { entries[setting.name]?.origin ?? .usual }

    /// The setting's name as its source gives it, for messages.
    func name(_ setting: Setting) -> String { origin(setting).name(of: setting) }

    /// The settings that have other values in `other`.
    func differences(to other: Configuration) -> [Setting] {
        Setting.all.filter { value($0)?.text != other.value($0)?.text }
    }
}

/// The value of one setting in one source.
struct GivenSetting: Sendable {
    let setting: Setting
    let text: String
    let origin: Configuration.Origin

    init(_ setting: Setting, _ text: String, _ origin: Configuration.Origin) {
        self.setting = setting
        self.text = text
        self.origin = origin
    }
}

extension Setting {
    /// Where it may be given, in words.
    var origins: String {
        var origins: [String] = []
        if sources.contains(.flag) { origins.append("the flag \(flag)") }
        if sources.contains(.environment) { origins.append("the variable \(variable)") }
        if sources.contains(.file) { origins.append("\(name) in the file") }
        return "it comes by " + origins.joined(separator: " or ")
    }
}
