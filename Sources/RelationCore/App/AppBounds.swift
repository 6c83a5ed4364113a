/// How much the callers of one app may do; 0 is the server's own bound.
///
/// Rates are calls a second.
package struct AppBounds: Hashable, Sendable {
    package var rate = 0
    package var keyRate = 0
    package var userRate = 0
    package var openCalls = 0
    package var keyOpenCalls = 0
    package var userOpenCalls = 0
    package var connections = 0
    package var keyConnections = 0
    package var userConnections = 0

    package init() {}
}
