/// The bounds of the delivery of hooks by one server.
package enum HookLimits {
    /// Memory of the events that wait for the receivers of all hooks.
    ///
    /// An app that has some may have no more than is left free, so another app always finds room.
    package static let heldBytes = 64 << 20
    /// Events and bytes of one hook that wait; the log keeps those after them.
    package static let waitingEvents = 1_000
    package static let waitingBytes = 1 << 20
    /// Logins and logouts of one hook that wait, in memory alone; the oldest make room.
    package static let waitingStates = 1_000
    /// Logins and logouts of all apps that the driver has not looked at yet; beyond it they are
    /// dropped.
    package static let unreadStates = 10_000
    /// Events of users of one hook whose requests fail while those of others succeed.
    package static let parkedEvents = 500
    /// Requests of one hook, and of all hooks, that are under way at one time.
    package static let requestsOfHook = 4
    package static let requests = 256
    /// Ranges of delivered events above the stored position that are stored with it.
    package static let laterRanges = 100

    /// How long a server may go on for a hook without a word to the store, and how long before the
    /// end it asks for more time.
    ///
    /// A request takes ``requestMilliseconds`` at most. So none of this server is under way when
    /// another one takes the hook.
    package static let leaseMilliseconds: Int64 = 45_000
    package static let renewalMilliseconds: Int64 = 30_000
    /// How long a request may take.
    package static let requestMilliseconds: Int64 = 15_000
    /// After this time a server looks again for a hook that another server had.
    package static let retakeMilliseconds: Int64 = 15_000
    /// After this time a server takes a free hook that is beyond its fair share.
    ///
    /// It gives the other servers time to look for it.
    package static let spareMilliseconds: Int64 = 2 * retakeMilliseconds
    /// After this time a server looks again for a hook that it gave back, since its receiver was
    /// away and others needed the memory.
    package static let outageRetakeMilliseconds: Int64 = 60_000
    /// How often the position of a hook is stored at most.
    package static let storeMilliseconds: Int64 = 2_000
    /// How often the driver looks for erasures in the apps of hooks that have something in memory.
    package static let erasuresMilliseconds: Int64 = 1_000
    /// How often the driver looks for new events.
    package static let tickMilliseconds = 250
    /// How long a stop waits for requests that are under way.
    package static let stopMilliseconds = 2_000
    /// Hooks of one transaction.
    package static let hooksPerWrite = 256
    /// Failures of one hook that one transaction writes: the last ones.
    package static let failuresPerWrite = 20

    /// Connections of questions to one receiver, and to all.
    package static let askingConnectionsOfReceiver = 64
    package static let askingConnections = 512
    /// Calls of all apps that wait for hooks at one time.
    package static let questions = 2_000
    /// After so many questions without an answer in a row, a receiver is not asked for a while.
    package static let silencesBeforePause = 3
    /// A question whose call ended it is one without an answer if the receiver had at least this
    /// part of the hook's time: a half.
    ///
    /// Else a hook that hangs would never pause while all clients wait a little shorter than it
    /// may take. A client with less time says nothing about the receiver.
    package static let judgedPartOfTime: Int64 = 2
    /// The first pause, and the longest one, to which pauses grow.
    package static let firstPauseMilliseconds: Int64 = 1_000
    package static let longestPauseMilliseconds: Int64 = 60_000
    /// Receivers without an answer that are known, before those of which no call asked for long are
    /// forgotten.
    package static let silentReceivers = 1_000
    /// Hooks whose questions without an answer wait to be stored among the failures.
    package static let notedHooks = 1_000

    /// How long a receiver may take nothing before its hook is stopped: three days in which a
    /// server tried.
    package static let outageMilliseconds: Int64 = 3 * 86_400_000
    /// The longest time from one failure to the next that counts as one of failing.
    ///
    /// Pauses are an hour at most. A longer time is one in which nothing was tried: the server was
    /// stopped, its machine slept, or the store was away.
    package static let countedGapMilliseconds: Int64 = 2 * 3_600_000
    /// Users whose events the receiver refuses, without taking those of another: from so many on
    /// it is the receiver that fails.
    package static let rejectedUsers = 10
    /// Users of one hook whose first failure is stored: those that fail longest.
    package static let failingUsers = 100
    /// How long the events of one user may fail before the first of them is given up: four days.
    package static let retriesMilliseconds: Int64 = 4 * 86_400_000

    /// The codes with which a receiver may refuse a call.
    package static let refusals: ClosedRange<Int32> = 38_000...39_000
}
