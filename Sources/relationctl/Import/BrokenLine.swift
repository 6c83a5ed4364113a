/// A line that is not a row.
struct BrokenLine: CustomStringConvertible {
    /// The file's path and the number of the line.
    let location: String
    let reason: String
    /// The line as it stands; empty if it is not text.
    let text: String

    var description: String { "\(location): \(reason)" }
}
