import Storage
import StorageSuite

/// One operation on a store, with everything that it needs, so that every engine can take it.
enum StorageStep: Sendable {
    enum Action: Sendable {
        case set(Key, [UInt8])
        case remove(Key)
        case read([Key])
        case prefetch([Key])
        case scan(KeyRange, ScanOrder, limit: Int)
        case savepoint
        /// Goes back to the savepoint at this index among those that stand; later ones are dropped.
        case rollback(Int)
    }

    case write([Action], fails: Bool)
    case read([Action])
    case reopen
}

/// The answer to a step.
enum StorageAnswer: Equatable, Sendable {
    case values([[UInt8]?])
    case rows([Row])
    case failed(StorageError.Code)
}

/// A random history: few keys, so that changes meet, with bytes that are hard to sort.
struct StorageHistory {
    private var numbers: SeededNumbers
    static let partitions = [
        Partition(app: 1, name: [0x61]), Partition(app: 1, name: [0x61, 0x61]),
        Partition(app: 1, name: [0xFF]), Partition(app: 2, name: [0x61]),
    ]

    init(seed: UInt64) {
        numbers = SeededNumbers(seed: seed)
    }

    mutating func next() -> StorageStep {
        switch number(100) {
        case 0..<2: .reopen
        case 2..<30: .read((0...number(4)).map { _ in read() })
        case 30..<34: .write(actions(), fails: true)
        default: .write(actions(), fails: false)
        }
    }

    private mutating func actions() -> [StorageStep.Action] {
        var savepoints = 0
        return (0...number(60)).map { _ in
            switch number(20) {
            case 0..<8: return .set(key(), value())
            case 8..<12: return .remove(key())
            case 12: return .prefetch(keys())
            case 13..<15:
                savepoints += 1
                return .savepoint
            case 15 where savepoints > 0:
                let back = number(savepoints)
                savepoints = back + 1
                return .rollback(back)
            default: return read()
            }
        }
    }

    private mutating func read() -> StorageStep.Action {
        if number(2) == 0 { return .read(keys()) }
        let range = KeyRange(
            in: partition(), from: suffix(), to: number(3) == 0 ? [0xFF] : suffix())
        let limit = number(3) == 0 ? number(5) : 1000
        return .scan(range, number(2) == 0 ? .ascending : .descending, limit: limit)
    }

    private mutating func keys() -> [Key] {
        let count = number(200) == 0 ? 3000 : number(20)
        return (0..<count).map { _ in key() }
    }

    private mutating func key() -> Key {
        Key(partition(), suffix: suffix())
    }

    private mutating func partition() -> Partition {
        StorageHistory.partitions[number(StorageHistory.partitions.count)]
    }

    private mutating func suffix() -> [UInt8] {
        (0..<number(5)).map { _ in [0, 1, 0x7F, 0x80, 0xFE][number(5)] }
    }

    private mutating func value() -> [UInt8] {
        let count = number(50) == 0 ? 20_000 : number(120)
        return (0..<count).map { _ in UInt8(number(256)) }
    }

    private mutating func number(_ bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &numbers)
    }
}
