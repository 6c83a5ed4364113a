import Memory
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Testing

@testable import RelationCalls
@testable import RelationService

/// The events of one user after a sequence, as ListChanges returns them.
struct ListedChanges {
    /// Nil if the log does not reach back.
    private(set) var events: [(sequence: Int64, ChangeRecord)]? = []

    init(of user: UserID, after sequence: Int64, _ harness: ServiceHarness, pageSize: Int) throws {
        var request = ListChangesRequest()
        request.userID = user.text
        request.sinceSequence = sequence
        request.pageSize = Int32(pageSize)
        var last = sequence
        repeat {
            var page: [(sequence: Int64, ChangeRecord)] = []
            try harness.read(request, ChangeHandlers.list) { response in
                let response = try #require(response)
                request.pageToken = response.nextPageToken
                if response.resync {
                    events = nil
                    try #require(response.events.isEmpty && response.nextPageToken.isEmpty)
                }
                page = try Arena.temporary { (arena) throws(CodecError) in
                    try response.events.map { (event) throws(CodecError) in
                        // An answer is the stored event with its key, so it can be read as either.
                        let sequence = try event.decoded(arena).sequence
                        let record = try event.withBytes { (bytes) throws(CodecError) in
                            try Coder(ChangeRecord.self).read(bytes, arena)
                        }
                        return (sequence, record)
                    }
                }
                try #require(response.sequence >= last)
            }
            last = page.last?.sequence ?? last
            events?.append(contentsOf: page)
        } while !request.pageToken.isEmpty
    }
}
