import RelationCore
import RelationModel

extension AddSource.Keywords {
    /// The keywords that an app of these settings takes.
    init(_ settings: AppSettings) {
        self = settings.keepsTIMValues ? .texts : .letters
    }
}
