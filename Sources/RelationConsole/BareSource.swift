/// A script or a style as a browser gets it: without comments and blanks at the beginning of lines.
///
/// Each line stays where it is, so an error names the line of the source. A text must not go over
/// the end of a line, since it would lose blanks: a test holds the scripts to that.
enum BareSource {
    private static let lineEnd = UInt8(ascii: "\n")

    /// A source without these comments and blanks.
    ///
    /// A comment that begins in a line behind code stays.
    static func of(_ source: [UInt8]) -> [UInt8] {
        var bare: [UInt8] = []
        bare.reserveCapacity(source.count)
        var isInComment = false
        for line in source.split(separator: lineEnd, omittingEmptySubsequences: false) {
            var rest = line.drop(while: isBlank)
            isInComment = isInComment || rest.starts(with: "/*".utf8)
            if isInComment, let end = endOfComment(in: rest) {
                rest = rest[end...].drop(while: isBlank)
                isInComment = false
            } else if isInComment || rest.starts(with: "//".utf8) {
                rest = []
            }
            bare += rest
            bare.append(lineEnd)
        }
        // Behind the last end of a line there is one part more.
        bare.removeLast()
        return bare
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") }

    /// The place behind the first `*/`.
    private static func endOfComment(in line: ArraySlice<UInt8>) -> Int? {
        line.indices.dropLast().first {
            line[$0] == UInt8(ascii: "*") && line[$0 + 1] == UInt8(ascii: "/")
        }.map { $0 + 2 }
    }
}
