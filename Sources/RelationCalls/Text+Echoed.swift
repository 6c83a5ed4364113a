package import Memory
import RelationModel

extension String {
    /// The text as an answer repeats it: only its beginning if it is longer than `limit` bytes.
    package func echoed(atMost limit: Int = Limits.echoedBytes) -> String {
        guard utf8.count > limit else { return self }
        // A character that the limit cuts in two is left out.
        var end = utf8.index(startIndex, offsetBy: limit)
        while UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

extension Text {
    /// The view as an answer repeats it: a shorter view if it is longer than the limit.
    package func echoed() -> Text {
        guard count > Limits.echoedBytes else { return self }
        return withBytes { bytes in
            var end = Limits.echoedBytes
            while UTF8.isContinuation(bytes[end]) { end -= 1 }
            return Text(borrowing: UnsafeRawBufferPointer(rebasing: bytes[..<end]))
        }
    }
}
