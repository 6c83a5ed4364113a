import Memory
package import Protobuf

/// The JSON of the messages that the details of an error may hold.
package struct DetailForms: Sendable {
    private let forms: [String: JSONForm]

    package init(_ schemas: [Schema] = []) {
        forms = Dictionary(schemas.map { ($0.fullName, JSONForm($0)) }) { first, _ in first }
    }

    func json(_ type: String, _ value: [UInt8]) -> String? {
        guard let form = forms[type] else { return nil }
        let output = OutputBuffer(capacity: 256)
        let isWritten = value.withUnsafeBytes { bytes in
            do throws(CodecError) { try form.write(bytes, into: output) } catch { return false }
            return true
        }
        return isWritten ? String(decoding: output.bytes, as: UTF8.self) : nil
    }
}
