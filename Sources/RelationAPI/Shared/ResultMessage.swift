package import Protobuf
package import RelationModel

/// The outcome of a call for one item: a code, and the reason for the code.
package protocol ResultMessage: CodedMessage {
    associatedtype Code: OpenEnum
    associatedtype Info
    /// The outcome, always set.
    var code: Code? { get set }
    /// The reason of the outcome; unspecified if there is nothing more to say.
    var reason: Reason { get set }
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    var info: Info { get set }
}
