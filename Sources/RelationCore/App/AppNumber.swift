import Memory
import Storage

/// The number of an app, as the row key of its rows in the registry.
package struct AppNumber: RowKey, Hashable {
    package let id: UInt32

    package init(_ id: UInt32) {
        self.id = id
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 4 else { return nil }
        id = UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(bigEndian: id)
    }
}
