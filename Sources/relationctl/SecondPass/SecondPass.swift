import Migrations
import Protobuf
import RelationAPI

/// Two passes over another system, and what brings an app from the first to the second.
///
/// Nothing of the files is kept: each part of the work reads them again.
struct SecondPass: Sendable {
    let before: PassFile
    let after: PassFile
    let deletesAccounts: Bool

    private var times: PassTimes {
        PassTimes(before: before.begin.timeMs, after: after.begin.timeMs)
    }

    /// The custom fields that the second pass does not define, so that it has no values of them.
    fileprivate var lacked: [CustomFieldMessage] {
        before.fields.filter { field in
            !after.fields.contains { $0.owner == field.owner && $0.key == field.key }
        }
    }

    /// The changes of the accounts that differ, one after another.
    func changes() -> Changes { Changes(self) }

    final class Changes {
        private let pass: SecondPass
        private let pairs: AccountPairs
        private let lacked: [CustomFieldMessage]

        fileprivate init(_ pass: SecondPass) {
            self.pass = pass
            lacked = pass.lacked
            pairs = AccountPairs(pass.before, pass.after)
        }

        /// How many accounts of the second pass were read.
        var read: Int { pairs.read }

        /// The next change; nil at the end.
        func next() throws -> AccountChange? {
            guard let pair = try pairs.next() else { return nil }
            return try AccountChange(
                pair, pass.times, deletesAccounts: pass.deletesAccounts, lacking: lacked)
        }
    }
}
