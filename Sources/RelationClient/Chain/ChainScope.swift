internal import RelationAPI

/// The users whose chains a stream of changes tells of.
enum ChainScope: Sendable {
    case users([ByteText])
    case app
    /// None: the stream has other events alone, or only the server knows the user.
    case none

    init(_ request: WatchRequest) {
        let kinds = Set(request.kinds)
        let coversAll = kinds.isEmpty || ChainRows.kinds.allSatisfy { kinds.contains($0) }
        guard coversAll, request.clientAppID.isEmpty else {
            self = .none
            return
        }
        switch request.scope {
        case .userID(let user) where !user.isEmpty: self = .users([ByteText(user)])
        case .userIDs(let users): self = .users(users.values.map { ByteText($0) })
        case .app(true): self = .app
        default: self = .none
        }
    }
}
