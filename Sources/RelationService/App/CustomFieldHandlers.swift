import Memory
import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// The calls of AppService about the fields that an app adds to profiles and to friends.
enum CustomFieldHandlers {
    static func register(in router: Router) {
        router.write(AppMethods.defineCustomFields, define)
        router.read(AppMethods.listCustomFields, list)
        router.write(AppMethods.retireCustomField, retire)
    }

    /// The identity of a field.
    private struct FieldKey: Hashable {
        let owner: CustomFieldOwner
        let key: ExactText
    }

    static func define(
        _ request: DefineCustomFieldsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<DefineCustomFieldsResponse> {
        violations.count(request.items.count, "items", 1...Limits.defineCustomFieldsItems)
        var items = FriendItemValidator<FieldKey, CustomField>(
            duplicate: Reason.CustomField.duplicate)
        for message in request.items {
            var field = CustomField(message.owner, message.key, message.valueType)
            field.isReadable = !message.adminReads
            field.isWritable = !message.adminWrites
            items.add(field, for: FieldKey(owner: message.owner, key: ExactText(message.key)))
        }
        let named = request.items
        var work = Work<DefineCustomFieldsResponse>.each(items.prepared) {
            (field, ledger) throws(StorageError) in
            try CustomFieldRules.define(field, in: ledger)
        } answering: { outcomes in
            var response = DefineCustomFieldsResponse()
            response.results = zip(named, outcomes).map { CustomFieldResult($0.owner, $0.key, $1) }
            return response
        }
        AppRules.keys(of: call.app.id, into: &work.keys)
        return work
    }

    static func list(
        _ request: ListCustomFieldsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListCustomFieldsResponse> {
        violations.known(request.owner, "owner")
        let id = call.app.id
        let (owner, hasRetired) = (request.owner, request.withRetired)
        let query = "ListCustomFields \(mark: call.app) \(owner.rawValue) \(hasRetired)"
        let page = KeyedPage(request.pageSize, request.pageToken, of: query, &violations)
        return Reading { (transaction) throws(StorageError) in
            let listed = try CustomFieldRules.list(
                of: id, owner == .unspecified ? nil : owner, withRetired: hasRetired,
                in: transaction)
            let shown = page.cut(listed) { field in
                var key: [UInt8] = []
                key.append(bigEndian: UInt32(field.position))
                return key
            }
            var response = ListCustomFieldsResponse()
            response.fields = shown.rows.map { CustomFieldMessage($0.record) }
            response.nextPageToken = shown.nextToken
            response.totalSize = Int32(listed.count)
            return response
        }
    }

    static func retire(
        _ request: RetireCustomFieldRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<RetireCustomFieldResponse> {
        let (owner, key) = (request.owner, request.key)
        var work = Work<RetireCustomFieldResponse>.each([
            ValidatedItem<String, FriendStatus>.value(key)
        ]) {
            (key, ledger) throws(StorageError) in
            try CustomFieldRules.retire(key, of: owner, in: ledger)
        } answering: { outcomes in
            var response = RetireCustomFieldResponse()
            response.result = CustomFieldResult(owner, key, outcomes[0])
            return response
        }
        AppRules.keys(of: call.app.id, into: &work.keys)
        return work
    }
}

extension CustomFieldResult: ChangeMessage {
    fileprivate init(_ owner: CustomFieldOwner, _ key: String, _ outcome: FriendOutcome) {
        self.init()
        self.owner = owner
        self.key = key.echoed()
        set(outcome)
    }
}

extension CustomFieldMessage {
    init(_ record: CustomFieldRecord) {
        self.init()
        owner = record.owner
        key = record.key
        valueType = record.type
        adminReads = record.adminReads
        adminWrites = record.adminWrites
        retired = record.isRetired
    }
}
