package import RelationModel
import Storage

/// The times at which a user and its devices were last online, as far as they are stored.
///
/// Presence itself is in memory, and knows the times exactly. These outlive a restart, and cost few
/// writes: reports write each of them at most once an hour while the device is online, and at most
/// once a minute as it goes. The time of the user stands in the user's record, those of its devices
/// in a row of their own, which readers need only for devices that are not in memory.
package enum LastSeen {
    /// Notes that a device of `user` was online until `device.seenMs`, unless it was noted shortly
    /// before.
    ///
    /// - Parameter isOffline: Whether the device went offline then.
    /// - Precondition: `user` is an account, or is not known at all; then nothing happens.
    package static func note(
        _ user: UserID, on device: SeenDevice, isOffline: Bool, in ledger: Ledger
    ) throws(StorageError) {
        guard let userRecord = try ledger.userRecord(of: user) else { return }
        let pauseMs = isOffline ? CoreLimits.lastSeenAtEndMs : CoreLimits.lastSeenWhileOnlineMs
        if device.seenMs >= userRecord.lastSeenMs + pauseMs {
            try ledger.changeUserRecord(of: user) { $0.lastSeenMs = device.seenMs }
        }
        let stored = try Tables.seenDevices.record(
            ledger.partition(of: user), OnlyKey(), in: ledger.transaction)
        var seen = stored ?? SeenDevicesRecord()
        let isNoted = seen.note(device, pauseMs: pauseMs)
        // An older server that changed the user's record has left out their number.
        guard isNoted || Int(userRecord.seenDeviceCount) != seen.devices.count else { return }
        try write(seen, of: user, in: ledger)
    }

    /// Writes the devices of `user`, and their number into the user's record.
    static func write(
        _ seen: SeenDevicesRecord, of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        let count = UInt32(seen.devices.count)
        try Tables.seenDevices.set(
            seen, at: ledger.partition(of: user), OnlyKey(), in: ledger.transaction)
        guard try ledger.userRecord(of: user)?.seenDeviceCount != count else { return }
        try ledger.changeUserRecord(of: user) { $0.seenDeviceCount = count }
    }

    /// The stored devices of each of `users`.
    package static func devices(
        of users: [UserID], app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [[SeenDevice]] {
        guard !users.isEmpty else { return [] }
        var keys = KeyList()
        for user in users {
            Tables.seenDevices.add(app.partition(of: user), OnlyKey(), to: &keys)
        }
        return try Tables.seenDevices.records(keys, in: transaction).map { $0?.devices ?? [] }
    }

    /// Adds the row that noting a device of `user` reads beside the user's record.
    package static func keysForNoting(_ user: UserID, app: App, into keys: inout KeyList) {
        Tables.seenDevices.add(app.id, user.text.utf8, OnlyKey(), to: &keys)
    }
}
