import RelationAccess
import RelationAdmission

/// The target of a request: its service and its command, and the query that opens them.
struct TIMTarget {
    /// Where the API begins.
    static let root = "/v4/"

    let service: String
    let command: String
    /// The parameters of the query; of one that comes twice, the first.
    private let query: [String: [UInt8]]

    /// Nil if a part is malformed.
    init?(_ target: [UInt8]) {
        guard target.count <= TIMLimits.targetBytes else { return nil }
        let parts = target.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let path = String(decoding: parts[0], as: UTF8.self)
        let names = path.dropFirst(Self.root.count)
            .split(separator: "/", omittingEmptySubsequences: false)
        service = names.first.map(String.init) ?? ""
        command = names.count == 2 ? String(names[1]) : ""
        var query: [String: [UInt8]] = [:]
        for pair in (parts.count > 1 ? parts[1] : []).split(separator: UInt8(ascii: "&")) {
            let halves = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let value = Self.decoded(halves.count > 1 ? halves[1] : []) else { return nil }
            let name = String(decoding: halves[0], as: UTF8.self)
            if query[name] == nil { query[name] = value }
        }
        self.query = query
    }

    /// The credentials in the query.
    ///
    /// - Throws: 60012, 60006 or 60025.
    func credentials() throws(TIMError) -> TIMCredentials {
        guard let number = query["sdkappid"], !number.isEmpty else { throw .noApp }
        let app = number.withUnsafeBytes { AppNumberText.read($0) }
        guard let app else { throw .badApp }
        if let type = query["contenttype"], !type.elementsEqual("json".utf8) {
            throw .query("the contenttype is not json")
        }
        guard let identifier = query["identifier"], !identifier.isEmpty,
            let name = String(validating: identifier, as: UTF8.self)
        else { throw .missing("the URL has no identifier") }
        guard let signature = query["usersig"], !signature.isEmpty else {
            throw .missing("the URL has no usersig")
        }
        // It becomes a field of the calls that are made for the request.
        guard signature.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .signature(.malformed)
        }
        return TIMCredentials(app: app, identifier: name, signature: signature)
    }

    /// The bytes that percent signs and digits stand for; nil if a sign has no digits.
    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var next = text.startIndex
        while next < text.endIndex {
            if text[next] == UInt8(ascii: "%") {
                guard next + 2 < text.endIndex,
                    let high = Character(Unicode.Scalar(text[next + 1])).hexDigitValue,
                    let low = Character(Unicode.Scalar(text[next + 2])).hexDigitValue
                else { return nil }
                bytes.append(UInt8(high << 4 | low))
                next += 3
            } else {
                bytes.append(text[next])
                next += 1
            }
        }
        return bytes
    }
}

/// The caller of a request, by the query of its target.
struct TIMCredentials: Sendable {
    let app: UInt32
    let identifier: String
    let signature: [UInt8]

    /// The fields that the calls for the request carry.
    var metadata: [(name: String, value: String)] {
        [
            ("authorization", "TIMAdmin " + String(decoding: signature, as: UTF8.self)),
            ("x-app-id", "\(app)"),
            // A server that looks at no signature takes the name from here.
            ("x-tim-identifier", identifier),
        ]
    }
}
