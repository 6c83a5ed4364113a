import HTTP2
import Memory
import Protobuf
import RPC

/// A status in the words of Connect: a JSON object, and a status of HTTP.
enum ConnectError {
    /// The object `{"code": …, "message": …, "details": […]}`.
    ///
    /// - Parameter forms: The JSON of the messages that details may hold, which people read.
    static func json(_ status: Status, _ forms: DetailForms) -> String {
        var text = "{\"code\":\"\(status.code.connectName)\""
        if !status.message.isEmpty {
            text += ",\"message\":" + JSONQuote.text(status.message)
        }
        let details = details(in: status.details)
        if !details.isEmpty {
            let list = details.map { detail in json(detail, forms) }
            text += ",\"details\":[" + list.joined(separator: ",") + "]"
        }
        return text + "}"
    }

    /// The last message of a stream: the status if it is an error, and the trailers.
    static func endOfStream(_ status: Status, _ trailers: Metadata, _ forms: DetailForms) -> String
    {
        var members: [String] = []
        if status.code != .ok { members.append("\"error\":" + json(status, forms)) }
        if !trailers.isEmpty {
            var names: [String] = []
            var values: [String: [String]] = [:]
            for (name, value) in trailers.entries {
                if values[name] == nil { names.append(name) }
                values[name, default: []].append(value.fieldText)
            }
            let fields = names.map { name in
                let list = (values[name] ?? []).map(JSONQuote.text)
                return JSONQuote.text(name) + ":[" + list.joined(separator: ",") + "]"
            }
            members.append("\"metadata\":{" + fields.joined(separator: ",") + "}")
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    private static func json(_ detail: Detail, _ forms: DetailForms) -> String {
        var text = "{\"type\":" + JSONQuote.text(detail.type)
        let value = detail.value.withUnsafeBytes { Base64.text($0) }
        text += ",\"value\":\"\(value)\""
        if let debug = forms.json(detail.type, detail.value) { text += ",\"debug\":" + debug }
        return text + "}"
    }

    /// One `google.protobuf.Any` of a `google.rpc.Status`.
    private struct Detail {
        var type = ""
        var value: [UInt8] = []
    }

    private static func details(in status: [UInt8]) -> [Detail] {
        status.withUnsafeBytes { bytes in
            fields(of: bytes, 3).map { any in
                let type = fields(of: any, 1).first.map { String(decoding: $0, as: UTF8.self) }
                let name = (type ?? "").split(separator: "/").last ?? ""
                let value = fields(of: any, 2).first.map { Array($0) } ?? []
                return Detail(type: String(name), value: value)
            }
        }
    }

    /// The payloads of the fields with that number; none if the bytes are not a message, which
    /// those that we made are.
    private static func fields(
        of message: UnsafeRawBufferPointer, _ number: UInt32
    ) -> [UnsafeRawBufferPointer] {
        var walk = FieldWalk(message)
        var found: [UnsafeRawBufferPointer] = []
        while let field = try? walk.next() {
            if field.number == number, case .bytes(let bytes) = field.value { found.append(bytes) }
        }
        return found
    }
}

extension Metadata.Value {
    /// The value as a field has it: bytes are in base64.
    var fieldText: String {
        switch self {
        case .text(let text): text
        case .binary(let bytes): bytes.withUnsafeBytes { Base64.text($0) }
        }
    }
}

extension Status.Code {
    /// The name of the code in Connect.
    var connectName: StaticString {
        switch self {
        case .ok: "ok"
        case .cancelled: "canceled"
        case .unknown: "unknown"
        case .invalidArgument: "invalid_argument"
        case .deadlineExceeded: "deadline_exceeded"
        case .notFound: "not_found"
        case .alreadyExists: "already_exists"
        case .permissionDenied: "permission_denied"
        case .resourceExhausted: "resource_exhausted"
        case .failedPrecondition: "failed_precondition"
        case .aborted: "aborted"
        case .outOfRange: "out_of_range"
        case .unimplemented: "unimplemented"
        case .internalError: "internal"
        case .unavailable: "unavailable"
        case .dataLoss: "data_loss"
        case .unauthenticated: "unauthenticated"
        }
    }

    /// The status of HTTP that Connect gives the code.
    var httpStatus: StaticString {
        switch self {
        case .ok: "200"
        case .cancelled: "499"
        case .unknown, .internalError, .dataLoss: "500"
        case .invalidArgument, .failedPrecondition, .outOfRange: "400"
        case .deadlineExceeded: "504"
        case .notFound: "404"
        case .alreadyExists, .aborted: "409"
        case .permissionDenied: "403"
        case .resourceExhausted: "429"
        case .unimplemented: "501"
        case .unavailable: "503"
        case .unauthenticated: "401"
        }
    }
}
