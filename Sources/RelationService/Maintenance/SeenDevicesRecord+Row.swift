import RelationAPI
import RelationCore
import RelationModel

extension SeenDevicesRecord {
    /// The devices of a row of an export.
    ///
    /// - Throws: ``AppRowError`` for too few or too many devices, and for a device with a malformed
    ///   field, or one that does not come after the device before it.
    init(_ row: ExportedDevices) throws(AppRowError) {
        self.init()
        let most = Limits.devicesPerUser
        guard (1...most).contains(row.devices.count) else {
            throw AppRowError("devices", "must be 1 to \(most)")
        }
        for device in row.devices {
            guard (1...Limits.deviceIDBytes).contains(device.deviceID.utf8.count) else {
                throw AppRowError("devices.device_id", "is empty or too long")
            }
            let isNext = devices.last.map {
                $0.deviceID.utf8.lexicographicallyPrecedes(device.deviceID.utf8)
            }
            guard isNext ?? true else {
                throw AppRowError("devices.device_id", "must be in the order of their bytes")
            }
            guard device.platform.utf8.count <= Limits.platformBytes else {
                throw AppRowError("devices.platform", "is too long")
            }
            guard (0...Limits.exportedTimeMs).contains(device.lastSeenTimeMs) else {
                throw AppRowError(
                    "devices.last_seen_time_ms", "must be 0 to \(Limits.exportedTimeMs)")
            }
            devices.append(
                SeenDevice(
                    device.deviceID, platform: device.platform, seenMs: device.lastSeenTimeMs))
        }
    }
}
