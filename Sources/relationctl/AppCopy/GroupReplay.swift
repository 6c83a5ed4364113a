import Protobuf
import RelationAPI

/// The groups of one user in an export, brought to the end of the changes.
///
/// A file of changes begins an hour before the export's moment, so the export has the first ones of
/// them. Done once more, these would recreate groups that were deleted and made again: the groups
/// would stand after others, in an order that no moment had. So it finds out first how many of the
/// changes the export has.
struct GroupReplay {
    /// A change of one group.
    enum Change {
        case made(String)
        case renamed(String, to: String)
        case deleted(String)
        /// A friend's row names the group, which was made for it unless it was there.
        case named(String)
    }

    /// The changes of one entry of the history, in their order.
    struct Entry {
        let timeMs: Int64
        var changes: [Change] = []
    }

    /// The state of a name between two entries, as far as it is known; nil for the rest.
    private struct Known {
        var exists: Bool?
        var createTimeMs: Int64?
    }

    /// A name after so many entries.
    private struct State {
        let entries: Int
        let name: Name
        let known: Known
    }

    /// Text by its bytes: names that look alike to Unicode are names of different groups.
    private typealias Name = [UInt8]

    private let user: String
    private var groups: [Name: ExportedGroup] = [:]
    /// The groups that the changes have made.
    private var made: Set<Name> = []
    private var last: Int64

    /// - Parameter groups: The groups of the export.
    init(of user: String, _ groups: [ExportedGroup]) {
        self.user = user
        for group in groups { self.groups[Self.name(group.group?.name ?? "")] = group }
        last = groups.map(\.number).max() ?? -1
    }

    private static func name(_ text: String) -> Name { Array(text.utf8) }

    /// The groups as they are now, in no order.
    var all: [ExportedGroup] { Array(groups.values) }

    // MARK: The changes

    /// Does the changes that the export does not have.
    ///
    /// - Parameter entries: All entries with changes of the user's groups, the earliest first.
    mutating func apply(_ entries: [Entry]) {
        for entry in entries[included(entries)...] {
            for change in entry.changes { apply(change, entry.timeMs) }
        }
    }

    /// Makes a group after the others, unless it is there.
    mutating func make(_ text: String, at timeMs: Int64) {
        let name = Self.name(text)
        guard groups[name] == nil else { return }
        last += 1
        made.insert(name)
        groups[name] = ExportedGroup.with {
            ($0.userID, $0.number) = (user, last)
            $0.group = FriendGroup.with { ($0.name, $0.createTimeMs) = (text, timeMs) }
        }
    }

    private mutating func apply(_ change: Change, _ timeMs: Int64) {
        switch change {
        case .made(let text), .named(let text): make(text, at: timeMs)
        case .deleted(let text):
            groups[Self.name(text)] = nil
            made.remove(Self.name(text))
        case .renamed(let before, to: let after):
            let (old, new) = (Self.name(before), Self.name(after))
            guard var group = groups.removeValue(forKey: old) else {
                return make(after, at: timeMs)
            }
            let isNew = made.remove(old) != nil
            // Its row may be written after those of friends, which made the group here.
            guard groups[new] == nil || made.contains(new) else { return }
            group.group?.name = after
            groups[new] = group
            if isNew { made.insert(new) } else { made.remove(new) }
        }
    }

    // MARK: The changes of the export

    /// How many of the entries the export has: after which one the user's groups are those that it
    /// has, as far as the entries tell.
    ///
    /// If that is so after several, it is after the last of them. If an entry is missing, so that
    /// it is so after none, it is the one after which the fewest names differ.
    private func included(_ entries: [Entry]) -> Int {
        var errors = [Int](repeating: 0, count: entries.count + 2)
        for states in Self.states(entries).values {
            for (index, state) in states.enumerated() where !fits(state.known, state.name) {
                // From this entry on up to the next one that changes the name.
                errors[state.entries] += 1
                let next = index + 1 < states.count ? states[index + 1].entries : entries.count + 1
                errors[next] -= 1
            }
        }
        var (best, fewest, sum) = (0, Int.max, 0)
        for count in 0...entries.count {
            sum += errors[count]
            if sum <= fewest { (best, fewest) = (count, sum) }
        }
        return best
    }

    private func fits(_ known: Known, _ name: Name) -> Bool {
        guard let exists = known.exists else { return true }
        guard let group = groups[name] else { return !exists }
        guard exists, let timeMs = known.createTimeMs else { return exists }
        return group.group?.createTimeMs == timeMs
    }

    /// The states of each name that the entries change: before the first of these entries, and
    /// after each of them.
    private static func states(_ entries: [Entry]) -> [Name: [State]] {
        var states: [Name: [State]] = [:]
        for (index, entry) in entries.enumerated() {
            /// The known state of a name; if none is, the one that the change tells of.
            func before(_ name: Name, _ exists: Bool?) -> Known {
                if let state = states[name]?.last { return state.known }
                let known = Known(exists: exists)
                states[name] = [State(entries: 0, name: name, known: known)]
                return known
            }
            func after(_ name: Name, _ known: Known) {
                // Of the changes of one entry the last one counts.
                if states[name]?.last?.entries == index + 1 { states[name]?.removeLast() }
                states[name]?.append(State(entries: index + 1, name: name, known: known))
            }
            for change in entry.changes {
                switch change {
                case .made(let text):
                    _ = before(name(text), false)
                    after(name(text), Known(exists: true, createTimeMs: entry.timeMs))
                case .deleted(let text):
                    _ = before(name(text), true)
                    after(name(text), Known(exists: false))
                case .renamed(let text, to: let new):
                    let known = before(name(text), true)
                    after(name(text), Known(exists: false))
                    _ = before(name(new), false)
                    after(name(new), Known(exists: true, createTimeMs: known.createTimeMs))
                case .named(let text):
                    var known = before(name(text), nil)
                    if known.exists == false { known.createTimeMs = entry.timeMs }
                    known.exists = true
                    after(name(text), known)
                }
            }
        }
        return states
    }
}
