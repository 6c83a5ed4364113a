/// The form of a file of friendships.
enum FriendshipFormat: String, CaseIterable {
    /// Two users a line, with blanks or tabs between them.
    case edges
    /// Cells with commas between them, below a line that names the columns.
    case csv
    /// A message FriendRow in JSON a line.
    case jsonl

    /// The form that the ending of a file's name stands for; edges if it stands for none.
    init(ofFileAt path: String) {
        let ending = path.split(separator: ".").last?.lowercased()
        self =
            switch ending {
            case "csv": .csv
            case "jsonl", "ndjson": .jsonl
            default: .edges
            }
    }
}
