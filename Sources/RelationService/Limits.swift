/// The bounds of what a handler looks at for one request.
package enum ServiceLimits {
    /// Groups that one item may name.
    ///
    /// Each is a row to read before the app's own limit of groups answers.
    package static let groupNames = 100
}
