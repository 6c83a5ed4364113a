import Protobuf
import TextFiles

/// An account as two passes have it.
struct AccountPair {
    let user: String
    /// Nil if the first pass lacks the account.
    let before: AccountLines?
    /// Nil if the second pass lacks the account.
    let after: AccountLines?
}

/// Reads the accounts of two files in the order of both: those that differ.
final class AccountPairs {
    private let earlier: AccountReader
    private let later: AccountReader
    private var before: AccountLines?
    private var after: AccountLines?
    private var isBegun = false
    /// How many accounts of the second file were read.
    private(set) var read = 0

    init(_ before: PassFile, _ after: PassFile) {
        (earlier, later) = (AccountReader(before), AccountReader(after))
    }

    /// The next account whose lines differ; nil at the end.
    func next() throws -> AccountPair? {
        if !isBegun {
            isBegun = true
            before = try earlier.nextAccount()
            after = try later.nextAccount()
        }
        while before != nil || after != nil {
            let pair = try nextPair()
            // Most accounts are as they were, and nothing of them is compared row by row.
            if let one = pair.before, let other = pair.after, one.lines == other.lines { continue }
            return pair
        }
        return nil
    }

    private func nextPair() throws -> AccountPair {
        if let one = before, let other = after, one.user == other.user {
            try moveBefore()
            try moveAfter()
            return AccountPair(user: one.user, before: one, after: other)
        }
        if let one = before, after.map({ Self.precedes(one.user, $0.user) }) ?? true {
            try moveBefore()
            return AccountPair(user: one.user, before: one, after: nil)
        }
        let other = after
        try moveAfter()
        return AccountPair(user: other?.user ?? "", before: nil, after: other)
    }

    private func moveBefore() throws { before = try earlier.nextAccount() }

    private func moveAfter() throws {
        after = try later.nextAccount()
        read += 1
    }

    private static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}
