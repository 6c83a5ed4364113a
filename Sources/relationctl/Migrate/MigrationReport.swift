import Glibc
import Migrations
import Protobuf

/// The values that a migration leaves out: each as a line of a file, and the counts of each kind.
struct MigrationReport {
    private let file: LineWriter?
    private let words: PlainText
    /// The things that were reported, by kind.
    private(set) var counts: KindCounts
    /// The length of the file.
    private(set) var bytes: Int64
    private var shown = 0

    /// - Parameters:
    ///   - path: The file of the lines; nil shows the first ones only.
    ///   - words: The words before each thing.
    init(_ path: String?, isGoingOn: Bool, _ words: PlainText = "left out") throws {
        self.words = words
        (counts, bytes) = (KindCounts(), 0)
        file = try path.map { try LineWriter($0, isGoingOn: isGoingOn) }
    }

    /// A report that goes on from a state of the comparison: later lines are removed.
    ///
    /// - Throws: ``Failure`` if the file is shorter than it was there.
    init(_ path: String?, from state: ComparisonState, _ words: PlainText) throws {
        self.words = words
        (counts, bytes) = (state.counts, state.reportBytes)
        guard let path else {
            file = nil
            return
        }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
            guard status.st_size >= bytes, truncate(path, off_t(bytes)) == 0 else {
                throw Failure("\(path): is not the report that was begun: remove the state")
            }
        }
        file = try LineWriter(path, isGoingOn: true)
    }

    var isEmpty: Bool { counts.total == 0 }

    mutating func add(_ losses: [MigrationLoss]) throws {
        var lines = ""
        for loss in losses {
            count(loss)
            let parts = [
                ("user", loss.user), ("kind", loss.kind), ("other", loss.other),
                ("field", loss.field), ("rule", loss.rule),
            ].filter { !$0.1.isEmpty }.map { "\"\($0.0)\":\(JSONQuote.text($0.1))" }
            lines += "{" + parts.joined(separator: ",") + "}\n"
        }
        try file?.write(lines)
        if file != nil { bytes += Int64(lines.utf8.count) }
    }

    private mutating func count(_ loss: MigrationLoss) {
        counts.add(loss)
        guard file == nil, shown < Limits.shownLosses else { return }
        shown += 1
        let other = loss.other.isEmpty ? "" : " \(loss.other)"
        let field = loss.field.isEmpty ? "" : " \(loss.field)"
        StandardError.print(
            "\(words): user \(loss.user): \(loss.kind)\(other)\(field) \(loss.rule)")
    }

    func close() throws {
        try file?.close()
    }

    /// Says how much was left out, by kinds.
    func explain() {
        for (kind, count) in counts.kinds.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            StandardError.print("\(words): \(count) × \(kind)")
        }
    }
}
