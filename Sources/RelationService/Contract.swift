internal import CDescriptors

/// The contract as `protoc` describes it: what server reflection serves.
///
/// `make contract` writes it from `proto/`; a test holds it fresh.
package enum Contract {
    package static let descriptors: [[UInt8]] = {
        var count = 0
        let bytes = contract_descriptors(&count)
        // The bytes are a constant of the program, and so many.
        return [Array(UnsafeBufferPointer(start: bytes, count: count))]
    }()
}
