/// The contract with its comments, as `make contract` writes it from `proto/`.
///
/// A test holds it fresh.
package enum Descriptions {
    /// Lines of text, compressed in the form of zlib.
    ///
    /// A line begins with the letter of its kind, and its parts have tabs between them. A comment
    /// stands below, with `|` before each of its lines.
    package static var compressed: [UInt8] { PackageResources.contract_zz }
}
