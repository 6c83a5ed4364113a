package import RelationAPI
package import RelationCore
package import RelationModel

extension PresenceBoard {
    /// The presence of each of `users` at `now`, with what the store has of it.
    ///
    /// That is devices that this board does not know, and when the user was last seen. A custom
    /// status is not shown.
    ///
    /// - Parameters:
    ///   - userRecords: The records of the users; nil for a user that is not an account.
    ///   - areHidden: Whether the presence of each user is hidden; nil if none is.
    /// - Returns: nil for a user that is not an account, and for one whose presence is hidden.
    package func presence(
        of users: [UserID], with userRecords: [UserRecord?], hiding areHidden: [Bool]? = nil,
        app: App, at now: Timestamp, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Presence?] {
        // Board and store know the same devices of a user that was not away since the start.
        var lacking: [Int] = []
        var found = users.indices.map { index -> Presence? in
            guard areHidden?[index] != true, let userRecord = userRecords[index] else {
                return nil
            }
            var presence = self.presence(
                of: users[index], app: app.id, createdMs: userRecord.createdMs, at: now)
            presence.show(lastSeenMs: userRecord.lastSeenMs)
            if presence.devices.count < Int(userRecord.seenDeviceCount) { lacking.append(index) }
            return presence
        }
        let stored = try LastSeen.devices(
            of: lacking.map { users[$0] }, app: app, in: transaction)
        for (index, devices) in zip(lacking, stored) { found[index]?.show(devices) }
        return found
    }
}

extension Presence {
    /// Shows stored devices beside those that are shown already, as many as there is room for:
    /// those that were seen last.
    ///
    /// Each is shown as offline since then, because one that is online is reported again within its
    /// lease.
    mutating func show(_ stored: [SeenDevice]) {
        let unknown = stored.filter { device in
            !devices.contains { $0.deviceID.isExactly(device.deviceID) }
        }
        let room = max(0, Limits.devicesPerUser - devices.count)
        for device in unknown.sorted(by: { $0.seenMs > $1.seenMs }).prefix(room) {
            var shown = DevicePresence()
            shown.deviceID = device.deviceID
            shown.platform = device.platform
            shown.changeTimeMs = device.seenMs
            devices.append(shown)
            show(lastSeenMs: device.seenMs)
        }
        devices.sort { $0.deviceID.utf8.lexicographicallyPrecedes($1.deviceID.utf8) }
    }
}
