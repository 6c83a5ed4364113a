/// What a call made of an app: its new state, or nothing if no call finds it any more.
package struct AppChange: Sendable {
    package let id: UInt32
    package let app: App?

    package init(_ app: App) {
        id = app.id
        self.app = app
    }

    package init(removed id: UInt32) {
        self.id = id
        app = nil
    }
}
