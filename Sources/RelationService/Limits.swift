/// The bounds of the work of a handler for one request.
package enum ServiceLimits {
    /// Groups that one item may name.
    ///
    /// Each costs one read before the app's own limit of groups refuses it.
    package static let groupNames = 100
}
