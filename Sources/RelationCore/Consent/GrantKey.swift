package import RelationModel
import Storage

/// The row key of a user's decision about one permission for one client app.
///
/// The decisions about one client app are neighbours.
package struct GrantKey: RowKey, Hashable {
    package let client: ClientAppID
    package let permission: PermissionName

    package init(_ client: ClientAppID, _ permission: PermissionName) {
        self.client = client
        self.permission = permission
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard let end = bytes.firstIndex(of: 0),
            let client = ClientAppID(String(decoding: bytes[..<end], as: UTF8.self)),
            let name = PermissionName(String(decoding: bytes[(end + 1)...], as: UTF8.self))
        else { return nil }
        self.init(client, name)
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: client.text.utf8)
        // No identifier contains a zero byte, so with it no identifier is the beginning of another.
        bytes.append(0)
        bytes.append(contentsOf: permission.text.utf8)
    }
}

extension Table<GrantKey, GrantRecord> {
    /// The rows of the decisions about `client` by the user of `partition`.
    func rows(of partition: Partition, to client: ClientAppID) -> KeyRange {
        KeyRange(in: partition, prefix: [kind] + Array(client.text.utf8) + [0])
    }
}
