/// Says that a command line ends before the command that would do something.
///
/// The program answers it with the help of the command that it has.
struct MissingCommand: Error {}
