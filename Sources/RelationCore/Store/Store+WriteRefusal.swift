package import Storage

extension Store {
    /// Why writes are refused at present; nil if they are not.
    package var writeRefusal: String? {
        let gauges = gauges()
        guard let free = gauges.freeBytes, free < gauges.reserveBytes else { return nil }
        return "\(free) bytes are free, and \(gauges.reserveBytes) are kept in reserve"
    }
}
