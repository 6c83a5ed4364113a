/// Several scopes (ours).
///
/// Its parts are inlinable: another room would find them through tables otherwise.
@usableFromInline package struct ScopeSet: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt32

    @inlinable package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    @inlinable package func contains(_ scopes: ScopeSet) -> Bool {
        rawValue & scopes.rawValue == scopes.rawValue
    }

    /// A set of one known scope.
    ///
    /// ``Scope/unspecified``, which every caller has, is the empty set.
    package init(_ scope: Scope) {
        rawValue = scope == .unspecified ? 0 : 1 << UInt32(truncatingIfNeeded: scope.rawValue)
    }

    package static let user: ScopeSet = [ScopeSet(.read), ScopeSet(.write), ScopeSet(.watch)]
    package static let service: ScopeSet = [.user, ScopeSet(.admin)]
    package static let all: ScopeSet = [.service, ScopeSet(.operator)]

    /// The words of its scopes, in the order of their numbers.
    package var words: [String] {
        [Scope.read, .write, .watch, .admin, .operator].filter { contains(ScopeSet($0)) }
            .map(\.word)
    }
}
