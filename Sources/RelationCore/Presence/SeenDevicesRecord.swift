package import Protobuf
import RelationModel

/// The devices of a user, each with the time at which it was last seen, as far as that is stored.
package struct SeenDevicesRecord: CodedMessage, Equatable {
    /// At most ``Limits/devicesPerUser`` devices, in the order of their ids.
    package var devices: [SeenDevice] = []

    package init() {}

    package static let schema = Schema("relation.store.SeenDevices", SeenDevicesRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "devices", &devices)
    }

    /// Notes that a device was seen, unless that was noted shortly before.
    ///
    /// A device that is not known takes the place of the one that was seen longest ago, if there
    /// is no room for it.
    ///
    /// - Parameter pauseMs: How much later than the last note about the device it has to be.
    /// - Returns: Whether anything changed.
    mutating func note(_ device: SeenDevice, pauseMs: Int64) -> Bool {
        if let index = devices.firstIndex(where: { $0.deviceID.isExactly(device.deviceID) }) {
            guard device.seenMs >= devices[index].seenMs + pauseMs else { return false }
            devices[index] = device
            return true
        }
        if devices.count >= Limits.devicesPerUser {
            let oldest = devices.indices.min { devices[$0].seenMs < devices[$1].seenMs }
            guard let oldest, device.seenMs >= devices[oldest].seenMs else { return false }
            devices.remove(at: oldest)
        }
        let next = devices.firstIndex {
            device.deviceID.utf8.lexicographicallyPrecedes($0.deviceID.utf8)
        }
        devices.insert(device, at: next ?? devices.endIndex)
        return true
    }
}

/// A device of a user, and when it was last seen.
package struct SeenDevice: CodedMessage, Equatable {
    package var deviceID = ""
    /// The kind of device, as the report said that was noted.
    package var platform = ""
    /// A time at which the device was online.
    package var seenMs: Int64 = 0

    package init() {}

    package init(_ deviceID: String, platform: String = "", seenMs: Int64) {
        self.deviceID = deviceID
        self.platform = platform
        self.seenMs = seenMs
    }

    package static let schema = Schema("relation.store.SeenDevice", SeenDevice.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "device_id", &deviceID)
        visitor.field(2, "platform", &platform)
        visitor.field(3, "seen_ms", &seenMs)
    }
}
