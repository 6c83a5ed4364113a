import GRPC
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import Storage

/// The answer of a write that does one thing as a whole, with whether it did anything.
package struct Single<Response> {
    package let response: Response
    package let applied: Bool
    /// The answer to a repeated request, if that has less than this one: secrets are told once.
    package var kept: Response?

    package init(response: Response, applied: Bool, kept: Response? = nil) {
        self.response = response
        self.applied = applied
        self.kept = kept
    }
}
