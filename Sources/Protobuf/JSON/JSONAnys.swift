/// The messages that an Any may hold.
struct JSONAnys {
    /// Full names.
    let names: JSONNames
    let plans: UnsafePointer<UnsafePointer<JSONPlan>>

    /// The plan of the type that a URL names after its last slash; nil if it is unknown.
    func plan(of url: JSONBytes) -> UnsafePointer<JSONPlan>? {
        guard let name = Self.name(in: url) else { return nil }
        let index = names.index(of: name)
        return index < 0 ? nil : plans[index]
    }

    /// The name after the last slash.
    static func name(in url: JSONBytes) -> JSONBytes? {
        guard let slash = url.raw.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return JSONBytes(start: url.start + slash + 1, count: url.count - slash - 1)
    }
}
