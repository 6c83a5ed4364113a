/// The bounds of what is counted.
package enum MeterLimits {
    /// Bytes that a processor fetches together with a changed number: two lines of 64.
    static let lineBytes = 128

    /// The longest value of a label; the rest is cut off.
    ///
    /// Names of methods, threads and files of the engine are shorter.
    package static let labelBytes = 120
}
