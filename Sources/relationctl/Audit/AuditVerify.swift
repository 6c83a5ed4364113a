import ArgumentParser
import Protobuf
import RelationAPI
import TextFiles

struct AuditVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Look whether a file of records is whole, without a server.",
        discussion: """
            It says at which record the file was changed: a field is another, records are missing, \
            or they stand in another order.
            """)

    @OptionGroup var form: DataOutput

    @Option(help: "The hash of a record that the file must have, as an export printed it.")
    var head: String?

    @Option(help: "The hash of the record after which the file begins, from the file before.")
    var after: String?

    @Argument(help: "The file, as export has written it.", completion: .file())
    var path: String

    func validate() throws {
        for hash in [head, after].compactMap(\.self) {
            let isHash = hash.utf8.count == 64 && hash.allSatisfy(\.isHexDigit)
            guard isHash else { throw ValidationError("a hash has 64 hexadecimal digits") }
        }
    }

    func run() throws {
        let input = try InputFile.opened(path)
        var check = AuditFileCheck(head: head?.lowercased(), after: after?.lowercased())
        var reader = LineReader(input)
        while let line = try reader.next() {
            guard let record = AuditRecord(line: line.text) else {
                throw Failure("\(line.location): is not a record of an audit")
            }
            if let error = check.error(of: record) { throw Failure(error) }
        }
        if let error = check.errorAtEnd { throw Failure(error) }
        try form.show("\(check.summary)\n") { _ in check.data }
    }
}

extension AuditRecord {
    /// The record that `line` has in JSON; nil if it has none.
    fileprivate init?(line: String) {
        do throws(MessageError) {
            self = try AuditRecord(json: line)
        } catch {
            return nil
        }
    }
}
