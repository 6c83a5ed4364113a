import Protobuf
import RelationAPI
import RelationModel

/// One event as a line for people.
struct ChangeLine {
    let text: PlainText

    init(_ event: ChangeEvent, for receivers: [String], _ clock: EventClock) {
        var parts: [PlainText] = ["\(clock.text(event.timeMs))"]
        if !receivers.isEmpty { parts.append("\(receivers.joined(separator: ",")) <-") }
        if !event.userID.isEmpty { parts.append("\(event.userID)") }
        if event.sequence > 0 { parts.append("#\(event.sequence)") }
        parts.append("\((event.kind.name ?? "\(event.kind.rawValue)").trimmed("CHANGE_KIND_"))")
        if event.syncType != .unspecified {
            parts.append(
                "\((event.syncType.name ?? "").trimmed("SYNC_TYPE_").lowercased())")
        }
        parts += event.items.filter(\.isKnown).map(Self.words)
        text = parts.joined(" ")
    }

    private static func words(_ item: ChangeItem) -> PlainText {
        var words: [PlainText] = []
        if let group = item.group { words.append("group=\(group.name)") }
        if !item.oldGroupName.isEmpty { words.append("was=\(item.oldGroupName)") }
        if !item.addedUserIDs.isEmpty {
            words.append("+\(item.addedUserIDs.joined(separator: ","))")
        }
        if !item.removedUserIDs.isEmpty {
            words.append("-\(item.removedUserIDs.joined(separator: ","))")
        }
        if !item.userID.isEmpty { words.append("\(item.userID)") }
        if let friend = item.friendEntry, !friend.remark.isEmpty {
            words.append("remark=\(friend.remark)")
        }
        if let application = item.application {
            words.append(
                """
                \((application.pendencyType.name ?? "").trimmed("PENDENCY_TYPE_").lowercased()),\
                \(application.statusWord)
                """)
        }
        words += item.fields.map { "\($0)" }
        if item.readTimeMs > 0 { words.append("read=\(item.readTimeMs)") }
        if let permission = item.permission {
            words.append("\(item.clientAppID):\(permission.name)")
        }
        return "[\(words.joined(" "))]"
    }
}

extension ChangeEvent {
    /// Whether this program knows the kind of the event, and the part of the state that it reports.
    var isKnown: Bool { kind.isKnown && syncType.isKnown }
}

extension ChangeItem {
    /// Whether this program knows the side of the application, or the type of the subscription.
    fileprivate var isKnown: Bool {
        (application?.pendencyType.isKnown ?? true)
            && (subscription?.subscribeType.isKnown ?? true)
    }
}

extension FriendApplication {
    /// The state in one word; one that this program does not know is an end.
    fileprivate var statusWord: String {
        let status = status ?? .unhandled
        return status.name.map { $0.trimmed("APPLICATION_STATUS_").lowercased() } ?? "ended"
    }
}

extension String {
    fileprivate func trimmed(_ prefix: String) -> Substring {
        hasPrefix(prefix) ? dropFirst(prefix.count) : self[...]
    }
}
