package import RelationAPI
package import RelationCore
package import RelationModel

/// The presence of one user, as a board knows it.
struct PresentUser {
    /// The time since which the board knows the user.
    let sinceMs: Int64
    /// The devices in the order of their ids.
    private(set) var devices: [PresentDevice] = []
    /// The user's position in the queue of offline users; nil while any device is online.
    var offlineNumber: UInt64?

    init(sinceMs: Int64) {
        self.sinceMs = sinceMs
    }

    /// When the next device goes offline unless it is reported again; nil if all are offline.
    var firstEndMs: Int64? { devices.lazy.filter(\.isOnline).map(\.endMs).min() }

    mutating func endLeases(at nowMs: Int64) {
        for index in devices.indices { devices[index] = devices[index].ended(at: nowMs) }
    }

    private func index(of device: String) -> Int? {
        devices.firstIndex { $0.id.isExactly(device) }
    }

    /// Whether a report has a time, and a later one of its device is known.
    func isOutdated(_ report: PresenceBoard.Report) -> Bool {
        guard let timeMs = report.timeMs, let index = index(of: report.deviceID) else {
            return false
        }
        return ReportOrder(timeMs: timeMs, isOffline: !report.online) < devices[index].order
    }

    /// - Returns: Whether the report was taken: a later one of the device may be known.
    mutating func merge(_ report: PresenceBoard.Report, at nowMs: Int64) -> Bool {
        guard !isOutdated(report) else { return false }
        let id = report.deviceID
        // A time ahead of this clock counts for the order alone.
        let atMs = min(report.timeMs ?? nowMs, nowMs)
        var device =
            index(of: id).map { devices.remove(at: $0) } ?? PresentDevice(id: id, changeMs: atMs)
        // The end of a lease may have been noted for a later time than that of the report.
        if device.isOnline != report.online || atMs < device.changeMs { device.changeMs = atMs }
        device.isOnline = report.online
        device.platform = report.platform
        device.endMs = report.online ? atMs + report.leaseMs : 0
        device.order = ReportOrder(
            timeMs: report.timeMs ?? nowMs, isOffline: !report.online)
        insert(device.ended(at: nowMs))
        return true
    }

    /// Takes a device as another server knows it, unless a later report of it is known.
    mutating func merge(_ row: PresenceRow, at nowMs: Int64) {
        let known = index(of: row.deviceID)
        if let known, row.isTimed, row.order < devices[known].order { return }
        if let known { devices.remove(at: known) }
        var device = PresentDevice(id: row.deviceID, changeMs: row.changeMs)
        device.isOnline = row.endMs != 0
        device.platform = row.platform
        device.endMs = row.endMs
        device.order = row.order
        insert(device.ended(at: nowMs))
    }

    /// Takes a report, and returns its device for all servers; nil if there was no room for it, or
    /// a later report of the device is known.
    mutating func row(
        of report: PresenceBoard.Report, _ app: UInt32, at nowMs: Int64
    ) -> PresenceRow? {
        endLeases(at: nowMs)
        guard merge(report, at: nowMs), let index = index(of: report.deviceID) else { return nil }
        let device = devices[index]
        var row = PresenceRow()
        row.app = app
        row.userID = report.user.text
        row.deviceID = device.id
        row.platform = device.platform
        row.changeMs = device.changeMs
        // The servers end the lease by themselves, also one that is over already.
        row.endMs = report.online ? min(report.timeMs ?? nowMs, nowMs) + report.leaseMs : 0
        row.reportMs = device.order.timeMs
        row.isTimed = report.timeMs != nil
        row.sinceMs = sinceMs
        row.createdMs = report.createdMs
        return row
    }

    private mutating func insert(_ device: PresentDevice) {
        if devices.count >= Limits.devicesPerUser { makeRoom() }
        let index = devices.firstIndex {
            device.id.utf8.lexicographicallyPrecedes($0.id.utf8)
        }
        devices.insert(device, at: index ?? devices.endIndex)
    }

    /// Forgets the device that has been offline longest; if all are online, the one whose lease
    /// ends first.
    private mutating func makeRoom() {
        let gone = devices.indices.min { one, other in
            let (one, other) = (devices[one], devices[other])
            guard one.isOnline == other.isOnline else { return !one.isOnline }
            return one.isOnline ? one.endMs < other.endMs : one.changeMs < other.changeMs
        }
        if let gone { devices.remove(at: gone) }
    }
}

/// The presence of one device of a user.
package struct PresentDevice: Equatable {
    let id: String
    var platform = ""
    var isOnline = false
    var changeMs: Int64
    /// When the lease of the device ends; 0 if it is offline.
    var endMs: Int64 = 0
    /// The position of its latest report among all.
    var order = ReportOrder(timeMs: 0, isOffline: false)

    init(id: String, changeMs: Int64) {
        self.id = id
        self.changeMs = changeMs
    }

    /// The device at that time: offline since the end of its lease, if the lease is over.
    func ended(at nowMs: Int64) -> PresentDevice {
        guard isOnline, endMs <= nowMs else { return self }
        var device = self
        device.isOnline = false
        device.changeMs = endMs
        device.endMs = 0
        return device
    }

    var shown: DevicePresence {
        var shown = DevicePresence()
        shown.deviceID = id
        shown.platform = platform
        shown.online = isOnline
        shown.changeTimeMs = changeMs
        return shown
    }
}

extension Presence {
    package init(of user: UserID, _ devices: [PresentDevice]) {
        self.init()
        userID = user.text
        online = devices.contains(where: \.isOnline)
        self.devices = devices.map(\.shown)
        show(lastSeenMs: devices.lazy.map(\.changeMs).max() ?? 0)
    }

    /// Shows when the user was last seen, unless it is online or a later time is known.
    package mutating func show(lastSeenMs: Int64) {
        if !online { lastSeenTimeMs = max(lastSeenTimeMs, lastSeenMs) }
    }

    /// Shows the custom status of the user, if there is one.
    package mutating func show(_ status: StatusRecord?) {
        guard let status else { return }
        (statusText, statusExpireTimeMs) = (status.text, status.expireTimeMs)
    }
}
