/// The collections of OpenIM that have relations.
package struct OpenIMDump: Sendable {
    package let users: DumpFile
    package let friends: DumpFile
    package let blacks: DumpFile?
    package let requests: DumpFile?

    package init(
        users: DumpFile, friends: DumpFile, blacks: DumpFile?, requests: DumpFile?
    ) {
        (self.users, self.friends) = (users, friends)
        (self.blacks, self.requests) = (blacks, requests)
    }
}
