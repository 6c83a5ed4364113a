import Protobuf

/// An event in the form of CloudEvents 1.0, as JSON.
package struct CloudEvent: Sendable {
    /// The content type of one event, in the structured mode.
    package static let contentType = "application/cloudevents+json; charset=utf-8"
    /// The content type of a list of events.
    package static let batchContentType = "application/cloudevents-batch+json; charset=utf-8"

    /// The name of the event, which no other of its source has; equal in each attempt.
    package var id: String
    /// Where it happened: a URI reference, such as `/apps/chat`.
    package var source: String
    /// The kind, such as `relation.v1.change.add_friend`.
    package var type: String
    /// The user to whom it happened; nil if it is none's.
    package var subject: String?
    /// When it happened, since 1970.
    package var timeMilliseconds: Int64
    /// Further attributes: names of lower-case letters and digits, with their values.
    package var extensions: [(name: String, value: String)] = []
    /// The content, which is JSON already; empty for none.
    package var data: [UInt8]

    package init(
        id: String, source: String, type: String, subject: String?, timeMilliseconds: Int64,
        data: [UInt8]
    ) {
        self.id = id
        self.source = source
        self.type = type
        self.subject = subject
        self.timeMilliseconds = timeMilliseconds
        self.data = data
    }

    /// The kind of a change, whose name in the contract is in capitals, such as `ADD_FRIEND`.
    package static func type(ofChange name: String) -> String {
        "relation.v1.change.\(name.lowercased())"
    }

    /// The event that says: events are lost, since the log was trimmed before they were delivered.
    ///
    /// The receiver reads the present state by calls. Data is
    /// `{"afterPosition":"…","toPosition":"…"}`.
    package static func trimmed(
        id: String, source: String, timeMilliseconds: Int64, after: Int64, to: Int64
    ) -> CloudEvent {
        CloudEvent(
            id: id, source: source, type: "relation.v1.trimmed", subject: nil,
            timeMilliseconds: timeMilliseconds,
            data: Array(#"{"afterPosition":"\#(after)","toPosition":"\#(to)"}"#.utf8))
    }

    /// The event as an object of JSON.
    package func json() -> [UInt8] {
        var text = #"{"specversion":"1.0","id":\#(JSONQuote.text(id))"#
        text += #","source":\#(JSONQuote.text(source)),"type":\#(JSONQuote.text(type))"#
        if let subject { text += #","subject":\#(JSONQuote.text(subject))"# }
        text += #","time":"\#(TimeText.text(ofMilliseconds: timeMilliseconds))""#
        for (name, value) in extensions {
            text += #","\#(name)":\#(JSONQuote.text(value))"#
        }
        guard !data.isEmpty else { return Array("\(text)}".utf8) }
        var bytes = Array(text.utf8)
        bytes += #","datacontenttype":"application/json","data":"#.utf8
        bytes += data
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    /// The list of events, each of which is an object of JSON already.
    package static func batch(_ events: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(events.reduce(2) { $0 + $1.count + 1 })
        bytes.append(UInt8(ascii: "["))
        for (index, event) in events.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += event
        }
        bytes.append(UInt8(ascii: "]"))
        return bytes
    }
}
