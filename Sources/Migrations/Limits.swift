/// The bounds of a pull from another system.
package enum MigrationLimits {
    /// The longest answer of another system, in bytes: a page of friends with all their fields.
    static let answerBytes = 16 << 20

    /// How long an answer may let itself be waited for, in seconds.
    package static let answerSeconds: Int64 = 20

    /// The longest time that the system behind a proxy may be given for an answer, in seconds.
    package static let longestAnswerSeconds: Int64 = 60

    /// How long a connection may take, in seconds.
    static let connectSeconds: Int64 = 10

    /// The connections that are kept between calls.
    static let keptConnections = 64

    /// How often a call is made before the pull ends: with the waits below, for about two minutes.
    package static let attempts = 9

    /// How often a call about several users is made while an item of its answer has an error that
    /// may pass.
    static let itemAttempts = 3

    /// The longest wait before a call is made again, in seconds.
    static let longestWaitSeconds = 30

    /// The calls that are under way at one time.
    package static let callsAtOnce = 32

    /// The users whose rows are read, and then written, together: as many as one call for profiles
    /// names.
    package static let usersAtOnce = 100

    /// The pages of one list of one user, after which the list is taken for endless.
    static let pages = 10_000

    /// How often a list is read again that changes between its pages.
    static let listAttempts = 3

    /// The friends whose fields one call asks for.
    static let friendsAtOnce = 100

    /// The follows of a page.
    static let followsAtOnce = 1_000

    /// The blacklisted users of a page.
    static let blacklistedAtOnce = 500

    /// How long a signature that the pull makes is good, in seconds: 30 days.
    static let signatureSeconds: Int64 = 2_592_000

    /// The longest text of another system that an error shows.
    static let shownBytes = 200

    /// The longest user id of TIM, in bytes.
    static let timUserIDBytes = 32

    /// The users of a page of RongCloud's list of all users.
    static let rongCloudUsersAtOnce = 100

    /// The friends, and the blacklisted users, of a page of RongCloud.
    static let rongCloudPage = 100

    /// The lowest code of RongCloud that is about a user and not about the call.
    static let rongCloudUserCodes: Int64 = 20_000

    /// The users that a migration takes: of a file of accounts, a dump, or a list of all users.
    static let accounts = 20_000_000

    /// The longest document of a dump, in bytes: MongoDB's longest, as JSON.
    static let documentBytes = 64 << 20

    /// How deep a document of a dump may be.
    static let documentDepth = 64

    /// The bytes of a dump that are read together.
    static let pieceBytes = 1 << 18

    /// The latest time of a dump: the end of the year 9999.
    static let latestMilliseconds: Int64 = 253_402_300_799_999

    /// The connections of a proxy, with those that a client has given up while their request waits
    /// for its answer: a further one is closed.
    static let proxyConnections = 512

    /// The longest body that a proxy takes, in bytes.
    static let proxiedBytes = 1 << 20

    /// The bytes of a body that is too long that a proxy reads and drops, so that the client reads
    /// why; the connection of a longer one ends.
    static let droppedBytes = 16 << 20

    /// How long a body may take to arrive at a proxy, in seconds.
    static let bodySeconds: Int64 = 60

    /// How long a connection of a proxy may do nothing, in seconds.
    static let idleSeconds: Int64 = 60

    /// The requests of a proxy that are made to the new system at one time: those of one user are
    /// made one after the other.
    static let shadowQueues = 16

    /// The requests that wait behind each of them.
    static let shadowCallsOfQueue = 512

    /// The bytes of all requests that wait, with their answers.
    static let shadowBytes = 64 << 20

    /// How far the times of two systems may be apart that did one change, in seconds.
    static let nearSeconds: Int64 = 60

    /// The most differences of one request that are reported.
    static let differencesOfCall = 100

    /// The longest nick, face URL and custom value of an app, in bytes.
    package static let longTextBytes: UInt32 = 1_024

    /// The longest remark of an app, in bytes.
    package static let remarkBytes: UInt32 = 512

    /// The longest wording of an app, in bytes.
    package static let wordingBytes: UInt32 = 256

    /// The longest location of an app in words, in characters.
    package static let locationCharacters: UInt32 = 256

    /// How long after 1970 a time of Nakama still means none, in milliseconds: its tables have the
    /// beginning of that year in the zone of the database.
    static let noTimeMilliseconds: Int64 = 86_400_000

    /// The longest locale, in bytes.
    static let localeBytes: UInt32 = 35

    /// The most friends and blacklisted users of one user of an app.
    package static let listUsers: UInt32 = 10_000

    /// The most waiting applications of one user of an app in each direction.
    package static let applications: UInt32 = 1_000
}
