import Protobuf

/// The only row key of a table with one row in a partition.
package struct OnlyKey: RowKey {
    package init() {}

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard bytes.isEmpty else { return nil }
    }

    package func append(to bytes: inout [UInt8]) {}
}
