// Clients that end with a scope, or with the service group of their process.

/// Makes a client for as long as `body` runs, and closes it then.
///
/// ```swift
/// let blocked = try await withClient(ClientOptions(host: "127.0.0.1")) { client in
///     try await client.blacklist(of: "alice").all()
/// }
/// print(blocked.count)
/// ```
///
/// It is closed however `body` ends. So no call may outlive it.
///
/// - Parameters:
///   - options: The servers, the credential and the other options of the client.
///   - isolation: The actor that `body` belongs to; the caller's by itself.
///   - body: Makes the calls.
/// - Returns: The result of `body`.
/// - Throws: ``OptionsError`` if an option cannot be used; the error of `body`.
public func withClient<Result>(
    _ options: ClientOptions, isolation: isolated (any Actor)? = #isolation,
    _ body: (Client) async throws -> Result
) async throws -> Result {
    let client = try Client(options)
    do {
        let result = try await body(client)
        await client.close()
        return result
    } catch {
        await client.close()
        throw error
    }
}

extension Client {
    /// Waits until its task is cancelled or the client is closed, and then closes the client.
    ///
    /// It has the shape of a service in swift-service-lifecycle, which this package does not need.
    /// A program that uses that package writes one line, and a group runs the client:
    ///
    ///     extension Client: @retroactive Service {}
    ///
    /// A group ends its services in the opposite order, so name the client before those that make
    /// calls. It cancels the task of a service that knows no graceful shutdown when time is up.
    /// A service of three lines, whose `run()` calls this one inside `cancelWhenGracefulShutdown`,
    /// ends at once.
    ///
    /// - Throws: ``CallError`` with INVALID_ARGUMENT if the client cannot make calls, because its
    ///   host or port cannot be used.
    public func run() async throws {
        if let refusal { throw refusal }
        await lifetime.untilEnd()
        await close()
    }
}
