import Migrations
import RelationAPI

/// The rows of a file of export that name another account, which the file does not have.
///
/// A server takes rows in the order of exports, and cannot know which accounts are still to come.
/// So they are found here, before anything is sent, and are left out.
struct OutsideRows {
    /// The numbers of the rows in the file, from 1 on, in their order.
    private var numbers: [Int64] = []

    var count: Int64 { Int64(numbers.count) }

    /// - Parameter show: Takes a line for each of the rows, with its field and the rule.
    /// - Throws: ``Failure`` if the file cannot be read.
    init(_ file: ExportFile, _ show: (PlainText) -> Void) throws {
        var lines = ExportLines(file)
        var number: Int64 = 0
        while let line = try lines.next() {
            number += 1
            let row = try ExportAppResponse(line: line.text, at: line.location)
            guard let other = OtherAccount(of: row),
                let rule = other.rule(among: file.accounts)
            else { continue }
            numbers.append(number)
            show(
                "\(line.location) (\(other.kind) of user \(other.owner)): \(other.field): "
                    + "\(rule): \(other.user)")
        }
    }

    /// Reads the numbers of rows in the file, one after another.
    struct Cursor {
        private var left: ArraySlice<Int64>

        fileprivate init(_ numbers: [Int64]) { left = numbers[...] }

        /// Whether the row is left out; asked about each row of the file in their order.
        mutating func skips(_ number: Int64) -> Bool {
            guard left.first == number else { return false }
            left.removeFirst()
            return true
        }
    }

    var cursor: Cursor { Cursor(numbers) }

    /// The number in the file of a row that is sent as this one.
    func number(ofSent sent: Int64) -> Int64 {
        var number = sent
        for skipped in numbers {
            guard skipped <= number else { break }
            number += 1
        }
        return number
    }
}
