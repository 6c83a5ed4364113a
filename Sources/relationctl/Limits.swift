/// The bounds of the endpoints that are read, and of what commands take.
enum Limits {
    /// Bytes of a page: all series, or all connections that a page shows, are less than one MiB.
    static let pageBytes = 16 << 20

    /// How long a page may let itself be waited for, in seconds.
    static let pageSeconds = 15

    /// How old a page of the server may be when it comes, in seconds: the server keeps it so long.
    static let pageAgeSeconds = 0.5

    /// The columns of a terminal that a page takes.
    static let terminalColumns = 80
    /// The least columns for which a page is made: a narrower terminal breaks its lines.
    static let leastColumns = 48

    /// The characters of a value of a profile that are shown: a picture in an address is longer.
    static let valueCharacters = 200

    /// The characters of a cell of a csv's first line that an error shows.
    static let cellCharacters = 64

    /// The characters of a value of the history that are shown before and after a change.
    static let historyCharacters = 60

    /// How long a key that is typed may wait to be read, in milliseconds.
    static let keyMilliseconds = 100

    /// How long a shell that completes a word waits for the server's apps, in seconds.
    static let completionSeconds = 2

    /// The most apps that a shell is offered: those of one page of the list.
    static let completedApps: Int32 = 1_000

    /// How long a call that only learns what the caller may do may take, in seconds.
    static let probeSeconds = 10

    /// The most subscriptions of a user that are looked through for another user.
    static let pairSubscriptions = 10_000

    /// The most mutual friends of a pair that are named.
    static let pairMutualFriends: Int32 = 20

    /// The most rows of each list of a user that are shown.
    static let userRows = 1_000

    /// The most friends of a graph: each of them costs a call, and a node of the picture.
    static let graphFriends = 200

    /// The most things of the contract that a name may mean and that are described in full.
    static let describedInFull = 4

    /// The most things of the contract that are listed for a name that means more.
    static let describedInShort = 60

    /// The most calls that are named for a code.
    static let explainedCalls = 12

    /// The longest file that holds requests, in bytes: four times the longest message.
    static let requestBytes = 16 << 20

    /// The longest file that keeps a token, in bytes.
    static let lineFileBytes = 65_536

    /// How many lines tell the progress of an import whose standard error is not a terminal.
    static let progressLines = 20

    /// The longest stream that an import keeps to read it more than once, in bytes: 64 GiB.
    static let streamBytes: Int64 = 64 << 30

    /// The times that a file of milliseconds has: from 1973 until 2286.
    ///
    /// An earlier one is perhaps in seconds, a later one in microseconds.
    static let likelyMilliseconds: Range<Int64> = 100_000_000_000..<10_000_000_000_000

    /// The longest file of changes that is applied, in bytes: 1 GiB.
    ///
    /// The rows that changed are kept in memory.
    static let changesBytes: Int64 = 1 << 30

    /// How far before their beginning changes are written too, in milliseconds: an hour.
    ///
    /// A call has the time at which it came. Its changes may be stored after an export that was
    /// made later, or after changes that end later. No call waits so long for the store.
    static let lateChangesMilliseconds: Int64 = 3_600_000

    /// The longest file of profiles, in bytes.
    static let profileBytes = 1 << 20

    /// The longest name of a profile, in bytes.
    static let profileNameBytes = 64

    /// The longest key that a profile keeps, in bytes: longer than any key of a server.
    static let keyBytes = 4_096

    /// The longest time that a call may be given, in seconds: a day.
    static let timeoutSeconds = 86_400

    /// The longest time for which a key may be made to end, in days: a century.
    static let keyDays = 36_500

    /// The most items that a call takes, which the server checks.
    static let itemsOfCall = 100

    /// The longest time for which a secret of a webhook stays good beside a newer one, in hours: 30
    /// days, as the server has it.
    static let oldSecretHours = 720

    /// The furthest that a webhook is sent back by hours: a year.
    static let replayHours = 8_760

    /// The most entries of a history that are listed at once.
    static let historyRows = 10_000

    /// The most ranges of records of erased users that a look at a file of an audit names.
    static let namedErasedRanges = 20

    /// The most reports that are listed at once.
    static let reportRows = 10_000

    /// The pause between two looks at a deletion, in milliseconds.
    static let deletionPauseMilliseconds = 200

    /// The silence after which a server sends a sign of life to a watch, in seconds: it says that
    /// a lost server is back.
    static let heartbeatSeconds = 15

    /// How often an export or an import of an app goes on after its connection broke.
    static let copyAttempts = 10

    /// How often an import of users or friendships goes on without progress after its stream broke.
    static let importAttempts = 5

    /// Bytes of the rows that go on one stream of an import, after something before the server took
    /// no longer request: half of what nginx takes by default.
    static let importStreamBytes = 512 << 10

    /// The fewest bytes of rows to which a stream of an import is shortened.
    static let leastImportStreamBytes = 8 << 10

    /// Rows that are handed over together on a stream that is short.
    static let shortStreamRowsAtOnce = 8

    /// Rows of an app that are handed over together.
    static let copiedRowsAtOnce = 128

    /// The longest file of export whose rows are sorted, in bytes: they are kept in memory then.
    static let sortedExportBytes: Int64 = 256 << 20

    /// Rows of an import that are handed over together: it costs less, and they take little memory.
    static let importedRowsAtOnce = 128

    /// The most lines of an import that may fail to be rows; a file with more is refused.
    static let brokenLines = 1_000

    /// The columns that a file of an import may have.
    static let columns = 256

    /// The longest name of an import, in bytes: the server takes 64, and stages add to it.
    static let importIDBytes = 56

    /// The longest name of an import of changes, in bytes: the digest of the files takes 14 more,
    /// each call adds its numbers to it, and the server takes 64.
    static let changesIDBytes = 40

    /// The users whose calls an import of changes makes at the same time.
    static let changedUsersAtOnce = 32

    /// How often the same file may be imported again while the server remembers the times before.
    static let importRounds = 20

    /// The longest word for which another one is offered, in bytes.
    static let comparedBytes = 64

    /// The most calls a second of a migration.
    static let migrationRate = 10_000

    /// The files and sockets that a proxy may have open: two for each of its connections, and more
    /// than those that it keeps.
    static let proxyFiles = 2_048

    /// The longest time between two counts of a proxy, in seconds.
    static let proxyPeriodSeconds = 86_400

    /// The longest path that a link leads to, in bytes.
    static let pathBytes = 4_096

    /// The links that are followed to a file that is not there yet.
    static let followedLinks = 40

    /// The longest wording of an application at TIM, in bytes.
    static let timWordingBytes: UInt32 = 256

    /// The kinds of things that a migration leaves out and that are counted by themselves.
    static let lossKinds = 200

    /// The most things that a migration leaves out and that are shown without a file of them.
    static let shownLosses = 100
}
