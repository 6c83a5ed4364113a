/// The public part of an API key.
package struct CredentialID: TextKey, Hashable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
