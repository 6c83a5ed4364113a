import Memory
import Protobuf
import RelationCalls
import RelationCore

/// Messages that the codec has encoded once for all, to be put together with other bytes.
///
/// `@unchecked Sendable`: the memory behind the pointers is written while the value is made, and
/// never changed or freed afterwards.
struct EncodedParts: @unchecked Sendable {
    private let parts: UnsafeBufferPointer<UnsafeRawBufferPointer>
    /// The bytes of the longest one.
    let longest: Int

    init<Part: CodedMessage>(_ messages: [Part]) {
        let parts = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(
            capacity: messages.count)
        var longest = 0
        for (index, message) in messages.enumerated() {
            let bytes = Encoding.of(message)
            let part = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
            part.copyBytes(from: bytes)
            parts.initializeElement(at: index, to: UnsafeRawBufferPointer(part))
            longest = max(longest, bytes.count)
        }
        self.parts = UnsafeBufferPointer(parts)
        self.longest = longest
    }

    @inline(__always)
    subscript(index: Int) -> UnsafeRawBufferPointer { parts[index] }
}

/// The results of an answer that are an id and one of a few endings each.
///
/// The codec has encoded the endings once for all, so an answer is put together from them and the
/// ids of the request. The bytes are those that the codec makes of the plain messages; a test
/// compares the two.
final class ResultTemplates: Sendable {
    /// The ending of a result whose id is malformed.
    static let malformed = 0

    private let results: SplicedField
    private let userID: SplicedField
    /// The fields after the id, for each ending.
    private let endings: EncodedParts

    /// - Parameters:
    ///   - response: A message whose `results` have a `user_id` as their first field.
    ///   - plain: The results without their ids; the first one is that of a malformed id.
    init<Result: CodedMessage>(_ response: Schema, _ plain: [Result]) {
        results = SplicedField(response, "results")
        userID = SplicedField(Result.schema, "user_id")
        endings = EncodedParts(plain)
    }

    /// The answer in the memory of a call.
    ///
    /// - Parameter ending: The number of the ending of each of `names`.
    /// - Throws: ``CodecError``: `outOfMemory`.
    @inline(__always)
    func bytes<Response: CodedMessage>(
        _ names: UnsafeBufferPointer<Text>, _ arena: Arena, ending number: (Int) -> Int
    ) throws(CodecError) -> Encoded<Response> {
        var room = names.count * (2 * Splice.prefixBytes + endings.longest)
        for name in names { room += name.count }
        var splice = try Splice(room: room, in: arena)
        let (results, userID, endings) = (results, userID, endings)
        for index in names.indices {
            var name = names[index]
            let number = number(index)
            let ending = endings[number]
            // Only a malformed id is longer than an answer repeats.
            if number == Self.malformed { name = name.echoed() }
            // The codec leaves out an empty id.
            let idBytes = name.isEmpty ? 0 : userID.size(of: name.count)
            splice.appendPrefix(of: results, count: idBytes &+ ending.count)
            if !name.isEmpty { splice.append(userID, short: name) }
            splice.append(short: ending)
        }
        return splice.finished()
    }
}

extension StorageError {
    /// The answer of a call does not fit into the call's memory.
    static let answerIsFull = StorageError.unanswerable(
        "the answer does not fit into the memory of its call")
}
