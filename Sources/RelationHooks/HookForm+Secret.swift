package import RelationModel
import Webhooks

extension HookForm {
    /// The rule that a secret breaks, as words that follow its name; nil if it breaks none.
    ///
    /// Receivers of TIM's callbacks have tokens of any form. Our signatures take the bytes that the
    /// text spells.
    package func rule(brokenBySecret text: String) -> String? {
        let most = Limits.hookSecretTextBytes
        guard self == .timCallbacks else {
            return WebhookSecret(text) != nil
                ? nil
                : "must be `whsec_` and \(WebhookLimits.secretBytes.lowerBound) to "
                    + "\(WebhookLimits.secretBytes.upperBound) bytes in base64"
        }
        let isToken =
            (1...most).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        return isToken ? nil : "must be 1 to \(most) visible characters of ASCII"
    }
}
