/// Why TLS cannot be set up or used, in words for the operator.
package struct TLSSetupError: Error, CustomStringConvertible {
    package let description: String
    /// A client's error only: whether another attempt would end in the same way, because one side
    /// must be set up otherwise.
    package var isLasting = false

    package init(description: String, isLasting: Bool = false) {
        self.description = description
        self.isLasting = isLasting
    }
}
