/// The directory as one process knows it.
///
/// It may be behind the directory. Then a call goes to the database where its app was before, which
/// refuses it, since no app is active in two databases.
package struct DirectoryView: Equatable, Sendable {
    /// The version that it has; -1 before it has any.
    package private(set) var version: Int64 = -1
    /// All databases beside home, in the order of their names.
    package private(set) var databases: [DirectoryDatabase] = []
    /// The places of the apps that have a row.
    package private(set) var places: [UInt32: AppPlace] = [:]

    package init() {}

    /// Takes what ``StoreDirectory/news(after:)`` gave for ``version``.
    ///
    /// - Returns: False if the directory has gone back to an earlier state. Nothing is known then,
    ///   and all of it is to be read again.
    package mutating func take(_ news: DirectoryNews) -> Bool {
        guard news.version >= version else {
            self = DirectoryView()
            return false
        }
        version = news.version
        databases = news.databases
        for place in news.places { places[place.app] = place }
        return true
    }

    /// The place of an app; an app without a row lives at home.
    package func place(of app: UInt32) -> AppPlace { places[app] ?? .home(of: app) }

    /// The number of apps that live in each database or are on their way to it, as far as they
    /// have rows.
    package var appCounts: [String: Int] {
        places.values.reduce(into: [:]) { counts, place in
            counts[place.movingTo ?? place.database, default: 0] += 1
        }
    }
}
