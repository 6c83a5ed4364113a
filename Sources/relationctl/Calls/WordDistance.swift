/// How far words are from each other, for those who meant another one.
enum WordDistance {
    /// The word of `known` that is nearest to `wanted`; nil if none is near.
    static func nearest(to wanted: String, in known: [String]) -> String? {
        let wanted = wanted.lowercased()
        guard wanted.utf8.count <= Limits.comparedBytes else { return nil }
        let near = known.compactMap { word -> (word: String, distance: Int)? in
            guard word.utf8.count <= Limits.comparedBytes else { return nil }
            let plain = word.lowercased()
            let isPart = wanted.count > 1 && (plain.contains(wanted) || wanted.contains(plain))
            let distance = isPart ? 1 : between(wanted, plain)
            return distance <= max(2, wanted.count / 3) ? (word, distance) : nil
        }
        return near.min { one, other in
            (one.distance, one.word.count, one.word)
                < (other.distance, other.word.count, other.word)
        }?.word
    }

    /// The letters to add, drop or change that make one word the other.
    static func between(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one), Array(other))
        var row = Array(0...other.count)
        for (line, letter) in one.enumerated() {
            var left = row[0]
            row[0] = line + 1
            for (column, known) in other.enumerated() {
                let change = left + (letter == known ? 0 : 1)
                left = row[column + 1]
                row[column + 1] = min(change, row[column] + 1, left + 1)
            }
        }
        return row[other.count]
    }
}
