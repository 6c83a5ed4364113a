/// The value of a setting.
enum SettingValue: Sendable {
    case number(Int)
    case isOn(Bool)
    case text(String)
    case address(ListenAddress)

    /// The text that a source may give for it.
    var text: String {
        switch self {
        case .number(let number): "\(number)"
        case .isOn(let isOn): "\(isOn)"
        case .text(let text): text
        case .address(let address): "\(address)"
        }
    }
}

/// Why a text is not a value of a setting, in words that follow the setting's name.
struct SettingError: Error {
    let words: String

    init(_ words: String) { self.words = words }

    /// An error that repeats the beginning of the text, with the reason after it.
    init(_ words: String, not text: String, because reason: String? = nil) {
        let shown = text.prefix(Limits.shownCharacters)
        let repeated = "\(words), not '\(shown)\(shown.count < text.count ? "…" : "")'"
        self.words = reason.map { "\(repeated): \($0)" } ?? repeated
    }
}
