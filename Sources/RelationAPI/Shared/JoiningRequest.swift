package import Protobuf

/// A request that may ask for the profiles of the users in its answer.
package protocol JoiningRequest {
    /// Whether each row has the profile of its user.
    var withProfiles: Bool { get }
    /// The fields of the profiles; empty means all.
    var profileMask: FieldMask? { get }
}
