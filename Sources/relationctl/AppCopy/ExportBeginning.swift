import RelationAPI

/// The rows with which an export begins: its moment, its app, and the app's custom fields.
struct ExportBeginning {
    private(set) var point = ExportPoint()
    private(set) var app = ExportedApp()
    private(set) var customFields: [CustomFieldMessage] = []

    /// - Throws: ``Failure`` if the file cannot be read, or has a line that is not a row.
    init(_ file: ExportFile) throws {
        var lines = ExportLines(file)
        var isFirst = true
        while let line = try lines.next() {
            let row = try ExportAppResponse(line: line.text, at: line.location)
            switch row.row {
            case .point(let point): if isFirst { self.point = point }
            case .app(let app): self.app = app
            case .customField(let field): customFields.append(field)
            case .account: return
            default: break
            }
            isFirst = false
        }
    }
}
