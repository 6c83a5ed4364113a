import RelationCore
import Storage
import StorageRocks

extension RocksStore {
    /// The store in `folder`.
    ///
    /// A loss that was accepted stands in the rows when this returns.
    ///
    /// - Parameter tell: Gets what a person should know of it.
    /// - Throws: ``Failure``, which says what to do.
    static func opened(
        _ folder: String, _ options: RocksOptions = RocksOptions(), tell: (String) -> Void
    ) throws -> RocksStore {
        do throws(StorageError) {
            let store = try RocksStore(folder: folder, options)
            for notice in store.notices { tell("the data folder \(folder): \(notice)") }
            if let loss = store.loss {
                try Losses.keep(loss, in: store)
                store.forgetLoss()
            }
            return store
        } catch {
            throw Failure(refusal(of: folder, error))
        }
    }

    private static func refusal(of folder: String, _ error: StorageError) -> String {
        switch error.code {
        case .locked: "the data folder \(folder) is in use by another server"
        case .lostWrites:
            """
            the data folder \(folder) has lost writes: \(error.message). Nothing was changed. Put \
            back what is missing, or go on without it, once, with: \
            relationd serve --data \(folder) --accept-loss
            """
        case .exposed:
            """
            the data folder \(folder) is open to others: \(error.message). Run the server as the \
            user who owns all of it, or take their rights away with: chmod -R go= \(folder)
            """
        case .corrupted:
            """
            the data folder \(folder) is damaged, and cannot be opened: \(error.message). Put back \
            the files that are missing or broken, or the whole folder from a copy
            """
        default: error.message
        }
    }
}
