/// The coders of a ``Method``.
///
/// Only ``Method`` makes it, in a function that other modules call and do not specialise: so the
/// compiler has the conformances at hand, and does not ask for its type by a name.
final class MethodCoders<Request, Response>: Sendable {
    let request: Coder<Request>
    let response: Coder<Response>

    init(_ request: Coder<Request>, _ response: Coder<Response>) {
        self.request = request
        self.response = response
    }
}
