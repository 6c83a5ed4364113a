import RelationModel

/// The ids of the users that a walk erases, by which rows are compared.
struct ErasedNames: Sendable {
    private let indices: [ExactText: Int]
    private let lengths: Set<Int>

    init(_ ids: [String]) {
        indices = Dictionary(
            ids.enumerated().map { (ExactText($1), $0) }, uniquingKeysWith: { $1 })
        lengths = Set(ids.map(\.utf8.count))
    }

    /// The index of a user among those that are erased; nil if it is none of them.
    subscript(id: String) -> Int? { id.isEmpty ? nil : indices[ExactText(id)] }

    /// That index as a set, to be joined with others.
    func indices(_ id: String) -> Set<Int> { self[id].map { [$0] } ?? [] }

    /// The users whose ids stand in a text, as words of it, with the other words around them.
    ///
    /// A letter or a digit at either end of an id must not go on beyond that end: `ann` stands in
    /// `add-ann-7`, and not in `plan`, `anna` or `annê`. A letter of a script without blanks
    /// between words ends it, so it stands in `加ann`.
    func words(inText text: String) -> [(index: Int, around: Set<ExactText>)] {
        let ends = WordEnds(text)
        var found: [(index: Int, around: Set<ExactText>)] = []
        for (first, start) in ends.all.enumerated() {
            for end in ends.all[(first + 1)...] where lengths.contains(end - start) {
                guard let index = self[ends.text(start, end)] else { continue }
                found.append((index, ends.around(start, end)))
            }
        }
        return found
    }

    /// The users whom an event names.
    func indices(in event: ChangeRecord) -> Set<Int> {
        var found = indices(event.actorUserID)
        for item in event.items {
            let ids =
                [
                    item.userID, item.friendEntry?.userID, item.application?.userID,
                    item.blacklistEntry?.userID, item.profile?.userID, item.subscription?.userID,
                    item.follow?.userID, item.review?.friendUserID,
                ].compactMap(\.self) + item.addedUserIDs + item.removedUserIDs
            for id in ids { found.formUnion(indices(id)) }
        }
        return found
    }

    /// The users whom an encoded message names, whatever its type is: a field that is the id.
    ///
    /// A number may look like a short id, so this is for rows that may be removed without harm.
    func indices(in message: [UInt8]) -> Set<Int> {
        var found: Set<Int> = []
        guard message.count > 2 else { return found }
        for index in 0..<(message.count - 2) where message[index] & 7 == 2 {
            // A tag, the length in one byte or two, and the text.
            var (length, start) = (Int(message[index + 1]), index + 2)
            if length >= 0x80 {
                length = length & 0x7F | Int(message[index + 2]) << 7
                start += 1
            }
            guard lengths.contains(length), start + length <= message.count else { continue }
            let text = String(decoding: message[start..<(start + length)], as: UTF8.self)
            found.formUnion(indices(text))
        }
        return found
    }
}
