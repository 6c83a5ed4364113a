import Protobuf
import RelationAPI
import RelationCore
import RelationModel

extension WriteEffects {
    /// The message about what a write would make.
    init(_ written: WrittenEffects) {
        self.init()
        rows = written.rows.map { row in
            var effect = RowEffect()
            effect.appID = row.app
            effect.table = row.table
            effect.ownerUserID = row.owner
            effect.key = row.key
            effect.deleted = row.isDeleted
            effect.bytes = row.bytes
            return effect
        }
        events = written.events.map { event in
            var effect = EventEffect()
            effect.userID = event.user
            effect.sequence = event.sequence
            effect.kind = event.kind.name ?? "\(event.kind.rawValue)"
            effect.itemCount = event.items
            return effect
        }
        cut = written.isCut
        rowCount = written.rowCount
        rowBytes = written.rowBytes
        eventCount = written.eventCount
    }
}
