internal import Storage

/// The way of a store from an older format to that of this program.
///
/// 1. A backup of the older format is made.
/// 2. The file `FORMAT` says that the rows are on their way, so that no older program opens them.
/// 3. The steps run, each part in a transaction of its own.
/// 4. The file `FORMAT` says the new format.
///
/// A process that ends in the midst of it goes on at its next start. After the second point that
/// needs no backup: it is there, and the rows are half changed.
struct Upgrade {
    let store: RocksStore
    let folder: DataFolder
    let steps: [FormatStep]
    let notify: @Sendable (UpgradeNote) -> Void

    /// - Throws: ``StorageError``; the next opening goes on.
    func run() throws(StorageError) {
        let current = StoreFormat.current.number
        var format = folder.format
        if format.next == nil {
            try save(format)
            format.next = current
            try folder.write(format)
        }
        for step in steps where step.number > format.number {
            try step.run(in: store, notify)
        }
        // The rows are on the device before the file says so.
        try store.flush()
        try folder.write(.current)
        store.ownBackups?.setFormat(.current)
        notify(.ended(format: current))
    }

    private func save(_ format: StoreFormat) throws(StorageError) {
        guard let backups = store.ownBackups else {
            throw StorageError(
                .foreign,
                "the data folder \(folder.path) holds format \(format.number): relationd serve "
                    + "upgrades it to format \(StoreFormat.current.number), after a backup")
        }
        notify(.savesFirst(format: format.number))
        let now = MarkKeeper.nowMs()
        // The rules of this program do not count rows of another format.
        let making = backups.begin(at: now) { (_) throws(StorageError) in [] }
        guard let making else {
            throw StorageError(.failed, "a backup was made in this second; start again")
        }
        while true {
            guard let entry = try making.step(at: now).entry else { continue }
            return notify(.saved(entry.name))
        }
    }
}
