import Memory
import Protobuf

/// The parts of answers that are encoded once for all.
enum Encoding {
    /// The encoding of a small message that the program itself makes.
    static func of<M: CodedMessage>(_ message: M) -> [UInt8] {
        do throws(CodecError) {
            return try Arena.temporary { (arena) throws(CodecError) in
                try Coder(M.self).bytes(message, arena)
            }
        } catch {
            preconditionFailure("a part of an answer does not encode: \(error)")
        }
    }
}
