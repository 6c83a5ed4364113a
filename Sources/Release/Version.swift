internal import CRelease

/// The version of the programs and of the client library.
package enum Version {
    /// The version, such as `1.2.0`, or `1.3.0-dev` on the way to the next one.
    ///
    /// `Package.swift` says it, and no other place does.
    package static let text = String(cString: relation_release_version())

    /// The contract that this version speaks, with its major version.
    package static let contract = "relation.v1"
}
