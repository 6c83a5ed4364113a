/// An admin endpoint: its path, and how it is answered.
package struct AdminEndpoint: Sendable {
    /// How the answer is made: at once, later, or from a form that was posted.
    enum Body: Sendable {
        case now(@Sendable () -> AdminAnswer)
        case later(@Sendable (@escaping @Sendable (AdminAnswer) -> Void) -> Void)
        /// Gets nil for a request that only reads.
        case posted(@Sendable (AdminPost?) -> AdminAnswer)
    }

    package let path: String
    /// Whether the answer is true for a while, so that it may be sent again.
    package let isKept: Bool
    /// Whether it is named to those who ask for a path that is not there.
    let isListed: Bool
    /// Whether the answer only says whether the server is well, to whoever asks.
    let isProbe: Bool
    let body: Body

    /// - Parameter make: Makes the answer, on the admin thread.
    package init(
        _ path: String, isKept: Bool = false, isListed: Bool = true, isProbe: Bool = false,
        _ make: @escaping @Sendable () -> AdminAnswer
    ) {
        self.path = path
        self.isKept = isKept
        self.isListed = isListed
        self.isProbe = isProbe
        body = .now(make)
    }

    /// An endpoint that other threads answer, and that the admin thread does not wait for.
    ///
    /// - Parameter make: Gives the answer to the function that it gets, once and on any thread; if
    ///   it never does, the client's time ends.
    package static func later(
        _ path: String,
        _ make: @escaping @Sendable (@escaping @Sendable (AdminAnswer) -> Void) -> Void
    ) -> AdminEndpoint {
        AdminEndpoint(path, .later(make))
    }

    /// An endpoint that takes a POST of JSON too.
    ///
    /// - Parameter make: Makes the answer, on the admin thread, from what was posted; nil for a
    ///   request that only reads.
    package static func posted(
        _ path: String, _ make: @escaping @Sendable (AdminPost?) -> AdminAnswer
    ) -> AdminEndpoint {
        AdminEndpoint(path, .posted(make))
    }

    private init(_ path: String, _ body: Body) {
        self.path = path
        isKept = false
        isListed = true
        isProbe = false
        self.body = body
    }
}

/// A request that changes something.
package struct AdminPost: Sendable {
    /// The JSON that was sent; ``AdminLimits/bodyBytes`` at most.
    package let body: [UInt8]
    /// The field `authorization`; nil if there is none.
    package let authorization: String?
}
