import RelationAPI

/// The calls of operators whose requests name the app: a fleet sends them to the database of that
/// app, and no metadata names it.
enum PlacedAppCalls {
    /// The call that makes an app, for which the directory finds a database.
    static let creation = AppMethods.createApp
    static let deletion = AppMethods.deleteApp
    static let importOfSecret = AppMethods.importAppSecret
}
