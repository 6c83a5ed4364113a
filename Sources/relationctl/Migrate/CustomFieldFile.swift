import Migrations
import Protobuf
import RelationAPI
import RelationModel
import TextFiles

/// A file of custom fields, each as a message of the contract in JSON on a line.
///
/// No system tells the definitions of its fields, so an administrator copies them.
enum CustomFieldFile {
    /// - Parameters:
    ///   - path: The file; nil stands for no fields.
    ///   - limits: The limits of the app that the migration makes: an import takes no other keys.
    /// - Throws: ``Failure`` if the file cannot be read, or names the line, the field and the rule
    ///   of a line that is not a field or that an import would refuse.
    static func fields(_ path: String?, _ limits: AppLimits) throws -> CustomFields {
        guard let path else { return CustomFields([]) }
        var reader = LineReader(try InputFile.opened(path))
        var fields: [CustomFieldMessage] = []
        while let line = try reader.next() {
            let field: CustomFieldMessage
            do throws(MessageError) {
                field = try CustomFieldMessage(json: line.text)
            } catch {
                throw Failure("\(line.location): is not a CustomField: \(error)")
            }
            let known = fields.lazy.map { (owner: $0.owner, key: $0.key) }
            if let violation = field.firstViolation(limits, among: known) {
                throw Failure(
                    "\(line.location): \(violation.field) \(violation.rule): \(field.key)")
            }
            fields.append(field)
        }
        return CustomFields(fields)
    }
}
