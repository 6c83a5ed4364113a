/// Streams that follow the same user.
///
/// Mostly there is one stream, which then needs no memory of its own. With many streams the cost of
/// a change does not grow.
struct StreamSet: Sequence {
    static let few = 16

    private enum Members {
        case none
        case one(WatchStream)
        /// The streams, and the index of each in the list; the second is empty while they are few.
        case many([WatchStream], [ObjectIdentifier: Int])
    }

    private var members = Members.none

    var isEmpty: Bool {
        if case .none = members { true } else { false }
    }

    var count: Int {
        switch members {
        case .none: 0
        case .one: 1
        case .many(let list, _): list.count
        }
    }

    /// A set of streams, seen without counting who has it; valid until the set changes.
    enum View {
        case none
        case one(Unmanaged<WatchStream>)
        /// So many streams: who needs them asks for the set.
        case many(Int)

        var count: Int {
            switch self {
            case .none: 0
            case .one: 1
            case .many(let count): count
            }
        }
    }

    var view: View {
        switch members {
        case .none: .none
        case .one(let stream): .one(.passUnretained(stream))
        case .many(let list, _): .many(list.count)
        }
    }

    mutating func insert(_ stream: WatchStream) {
        switch members {
        case .none: members = .one(stream)
        case .one(let other): members = .many([other, stream], [:])
        case .many(var list, var indices):
            // Otherwise the list would have two owners, and would be copied.
            members = .none
            list.append(stream)
            if !indices.isEmpty {
                indices[ObjectIdentifier(stream)] = list.count - 1
            } else if list.count > Self.few {
                for (index, known) in list.enumerated() { indices[ObjectIdentifier(known)] = index }
            }
            members = .many(list, indices)
        }
    }

    /// - Returns: The number of streams that were visited for it.
    @discardableResult
    mutating func remove(_ stream: WatchStream) -> Int {
        switch members {
        case .none: return 0
        case .one(let only):
            if only === stream { members = .none }
            return 1
        case .many(var list, var indices):
            members = .none
            let visits = Self.remove(stream, from: &list, &indices)
            members = list.count > 1 ? .many(list, indices) : .one(list[0])
            return visits
        }
    }

    private static func remove(
        _ stream: WatchStream, from list: inout [WatchStream],
        _ indices: inout [ObjectIdentifier: Int]
    ) -> Int {
        let visits = indices.isEmpty ? list.count : 1
        let known =
            indices.isEmpty
            ? list.firstIndex { $0 === stream }
            : indices.removeValue(forKey: ObjectIdentifier(stream))
        guard let known else { return visits }
        let last = list.removeLast()
        if known < list.count {
            list[known] = last
            if !indices.isEmpty { indices[ObjectIdentifier(last)] = known }
        }
        return visits
    }

    /// Hands each stream to `body`; this costs less than an iterator, which holds the set.
    func each<Failure>(_ body: (WatchStream) throws(Failure) -> Void) throws(Failure) {
        switch members {
        case .none: break
        case .one(let stream): try body(stream)
        case .many(let list, _): for stream in list { try body(stream) }
        }
    }

    func makeIterator() -> Iterator { Iterator(set: self) }

    struct Iterator: IteratorProtocol {
        fileprivate let set: StreamSet
        private var index = 0

        fileprivate init(set: StreamSet) {
            self.set = set
        }

        mutating func next() -> WatchStream? {
            defer { index += 1 }
            switch set.members {
            case .none: return nil
            case .one(let stream): return index == 0 ? stream : nil
            case .many(let list, _): return index < list.count ? list[index] : nil
            }
        }
    }
}
