/// The contract as `protoc` describes it: what server reflection serves.
///
/// `make contract` writes it from `proto/`; a test holds it fresh.
package enum Contract {
    package static let descriptors: [[UInt8]] = [PackageResources.relation_binpb]
}
