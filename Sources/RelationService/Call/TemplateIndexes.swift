import Memory
import Protobuf
import RelationCore

/// The numbers of the endings of an answer, as its rule reports them one by one.
///
/// They stand in the memory of the call.
struct TemplateIndexes {
    private let numbers: UnsafeMutablePointer<UInt8>
    private let room: Int
    private var count = 0

    init(room: Int, _ arena: Arena) throws(StorageError) {
        guard let memory = arena.allocate(room) else { throw .answerIsFull }
        numbers = memory.bindMemory(to: UInt8.self, capacity: room)
        self.room = room
    }

    mutating func add(_ number: Int) {
        precondition(count < room, "no more results than names")
        (numbers + count).initialize(to: UInt8(truncatingIfNeeded: number))
        count += 1
    }

    /// The answer about `names`.
    @inline(__always)
    func answer<Response: CodedMessage>(
        _ names: UnsafeBufferPointer<Text>, _ endings: ResultTemplates, _ arena: Arena
    ) throws(StorageError) -> Encoded<Response> {
        precondition(count == names.count, "each name has a result")
        do throws(CodecError) {
            return try endings.bytes(names, arena) { Int(numbers[$0]) }
        } catch {
            throw .answerIsFull
        }
    }
}
