import ContractText

/// The paths of the contract that callers mean who use a path of another system: TIM's
/// `/v4/sns/friend_add` is that of `AddFriends`.
///
/// A path of the contract in another case, or of another service, is found too.
struct MeantPaths: Sendable {
    /// The paths that the contract tells; read when they are asked for the first time.
    static let known = MeantPaths((try? ContractEntries())?.entries ?? [])

    /// The paths by the plain names of their calls.
    private let paths: [String: [String]]

    init(_ entries: [ContractEntries.Entry]) {
        var paths: [String: [String]] = [:]
        for call in entries where call.kind == .call {
            let path = "/relation.v1.\(call.parent)/\(call.name)"
            for name in Set(([call.name] + call.foreignNames).map(\.plainName)) {
                paths[name, default: []].append(path)
            }
        }
        self.paths = paths
    }

    /// The paths of the calls that `path` perhaps means.
    ///
    /// It ends with the name of a call. RongCloud's have the form of the answer after it, TIM's a
    /// query.
    subscript(path: String) -> [String] {
        let bare = path.prefix { $0 != "?" }
        let path = bare.hasSuffix(".json") ? bare.dropLast(5) : bare
        let name = path.split(separator: "/").last ?? ""
        return paths[String(path).plainName] ?? paths[String(name).plainName] ?? []
    }
}
