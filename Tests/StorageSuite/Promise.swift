/// A promise that every engine keeps, and its check.
package struct Promise: Sendable, CustomStringConvertible {
    /// The promise in words.
    package let claim: String
    package let check: @Sendable (any Engine) throws -> Void

    init(_ claim: String, _ check: @escaping @Sendable (any Engine) throws -> Void) {
        self.claim = claim
        self.check = check
    }

    package var description: String { claim }
}

/// A promise that was not kept.
///
/// The suite is a library and knows no test framework: it throws this, with the place.
package struct BrokenPromise: Error, CustomStringConvertible {
    package let description: String
}

/// Throws unless `found` is `wanted`.
func expect<Value: Equatable>(
    _ found: Value, is wanted: Value, _ what: String, line: Int = #line, file: String = #fileID
) throws(BrokenPromise) {
    guard found != wanted else { return }
    throw BrokenPromise(
        description: "\(what): found \(found), wanted \(wanted) (\(file):\(line))")
}
