import RelationCore
import RelationModel
import Storage

/// The streams of consumers at this server: of each consumer the one of its reader.
///
/// The hub checks once a second whether their readers are still the present ones. So a reader that
/// another one has fenced at another server, or that opens no stream, is found soon. The
/// acknowledgements of a fenced reader are refused at any time.
struct ConsumerStreams {
    private struct Key: Hashable {
        let app: UInt32
        let name: ConsumerName
    }

    private var streams: [Key: WatchStream] = [:]

    var isEmpty: Bool { streams.isEmpty }

    /// Takes the stream of a reader, and returns the stream that has to end for it, with the number
    /// of the present reader.
    ///
    /// Of two streams of one reader the newer one goes on: its client has lost the other one.
    mutating func claim(_ stream: WatchStream) -> (former: WatchStream, present: Int64)? {
        guard let (key, reader) = Self.key(of: stream) else { return nil }
        guard let known = streams[key], known !== stream,
            let holder = known.plan?.claim?.reader
        else {
            streams[key] = stream
            return nil
        }
        // A stream that read the consumer's row before another reader came may be later here.
        guard reader >= holder else { return (stream, holder) }
        streams[key] = stream
        return (known, reader)
    }

    mutating func remove(_ stream: WatchStream) {
        guard let (key, _) = Self.key(of: stream), streams[key] === stream else { return }
        streams[key] = nil
    }

    /// The streams whose readers are no longer the present ones, each with the number of the
    /// present reader; none if the store is away.
    func fenced(in store: any Store) -> [(stream: WatchStream, present: Int64)] {
        guard !streams.isEmpty else { return [] }
        let all = Array(streams)
        let names = all.map { (app: $0.key.app, name: $0.key.name) }
        let readers = try? store.read { (transaction) throws(StorageError) in
            try Consumers.readers(of: names, in: transaction)
        }
        guard let readers else { return [] }
        return zip(all, readers).compactMap { entry, present in
            entry.value.plan?.claim?.reader == present ? nil : (entry.value, present)
        }
    }

    private static func key(of stream: WatchStream) -> (Key, reader: Int64)? {
        guard let plan = stream.plan, let claim = plan.claim else { return nil }
        return (Key(app: plan.app.id, name: claim.name), claim.reader)
    }
}
