import Protobuf
import RelationAPI
import RelationModel

/// A row that was refused, as a line of JSON that can be repaired and imported again.
///
/// It is the FriendRow, with the member `refused`, which an import passes over.
enum RefusedRow {
    /// The member that says why a row was refused.
    private static let member = "refused"

    struct SyntaxError: Error, CustomStringConvertible {
        let description: String
    }

    /// The line of a row that the server refused.
    static func line(_ row: FriendRow, _ result: ImportRowResult) throws -> String {
        let text: String
        do throws(MessageError) {
            text = try row.json()
        } catch {
            throw Failure("row \(result.rowNumber) cannot be written: \(error)")
        }
        let code = result.code?.rawValue ?? 0
        let why =
            "{\"row\":\(result.rowNumber),\"code\":\(code),"
            + "\"name\":\(JSONText.quoted(result.code?.name ?? "")),"
            + "\"info\":\(JSONText.quoted(result.info))}"
        let comma = text == "{}" ? "" : ","
        return "\(text.dropLast())\(comma)\"\(member)\":\(why)}"
    }

    /// The line of a row that never was one: its text, and why.
    static func line(_ line: BrokenLine) -> String {
        "{\"text\":\(JSONText.quoted(line.text)),\"\(member)\":{"
            + "\"place\":\(JSONText.quoted(line.location)),"
            + "\"reason\":\(JSONText.quoted(line.reason))}}"
    }

    /// The row in a line of JSON, without the member `refused`.
    static func friendRow(in line: String) -> Result<FriendRow, SyntaxError> {
        do throws(CodecError) {
            var text = line
            if line.contains(member), case .object(let members) = try JSONValue(parsing: line) {
                text = JSONText(.object(members.filter { $0.key != member })).compact
            }
            return .success(try read(text))
        } catch {
            return .failure(SyntaxError(description: error.message))
        }
    }

    private static func read(_ text: String) throws(CodecError) -> FriendRow {
        do throws(MessageError) {
            return try FriendRow(json: text)
        } catch {
            throw CodecError(.invalidJSON, error.description)
        }
    }
}

/// The file of refused rows: each is found again by reading on in the file that it comes from.
///
/// Results come in the order of the rows. So one more look at the file finds all, and nothing is
/// kept.
struct RefusedFile {
    private let output: LineWriter

    /// - Parameter isGoingOn: Whether the rows of an import before are kept.
    init(_ path: String, isGoingOn: Bool) throws {
        output = try LineWriter(path, isGoingOn: isGoingOn)
    }

    func add(_ line: BrokenLine) throws {
        try output.write(RefusedRow.line(line) + "\n")
    }

    func close() throws {
        try output.close()
    }

    /// Takes the refusals of the rows of one file.
    struct Part {
        private let output: LineWriter
        private let rows: any RowReader<FriendRow>
        private var number: Int64 = 0

        init(of file: RefusedFile, _ rows: any RowReader<FriendRow>) {
            output = file.output
            self.rows = rows
        }

        mutating func add(_ result: ImportRowResult) throws {
            while number < result.rowNumber, let next = try rows.next() {
                guard case .row(let row) = next else { continue }
                number += 1
                guard number == result.rowNumber else { continue }
                try output.write(try RefusedRow.line(row, result) + "\n")
            }
        }
    }
}
