/// The rule of a secret that an app brings along from another system.
package enum AppSecretText {
    package static var rule: String {
        let length = Limits.appSecretBytes
        return "must be \(length.lowerBound) to \(length.upperBound) visible characters of ASCII"
    }

    /// Whether a text may be such a secret.
    package static func isOne(_ text: String) -> Bool {
        Limits.appSecretBytes.contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}
