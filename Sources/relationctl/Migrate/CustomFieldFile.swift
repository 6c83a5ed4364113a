import Migrations
import Protobuf
import RelationAPI
import RelationModel
import TextFiles

/// A file of custom fields, each as a message of the contract in JSON on a line.
///
/// No system tells the definitions of its fields, so an administrator copies them.
enum CustomFieldFile {
    /// - Parameter path: The file; nil stands for no fields.
    /// - Throws: ``Failure`` if the file cannot be read, or a line is not a field.
    static func fields(_ path: String?) throws -> CustomFields {
        guard let path else { return CustomFields([]) }
        var reader = LineReader(try InputFile.opened(path))
        var fields: [CustomFieldMessage] = []
        while let line = try reader.next() {
            guard fields.count < MigrationLimits.customFields else {
                throw Failure("\(line.location): is one field too many")
            }
            let field: CustomFieldMessage
            do throws(MessageError) {
                field = try CustomFieldMessage(json: line.text)
            } catch {
                throw Failure("\(line.location): is not a CustomField: \(error)")
            }
            guard field.owner == .profile || field.owner == .friend else {
                throw Failure("\(line.location): has no owner")
            }
            let isKnown = fields.contains {
                $0.owner == field.owner && $0.key.utf8.elementsEqual(field.key.utf8)
            }
            guard !isKnown else {
                throw Failure("\(line.location): key is \(field.key), as in a line above")
            }
            fields.append(field)
        }
        return CustomFields(fields)
    }
}
