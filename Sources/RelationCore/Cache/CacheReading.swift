/// How full a part of the read cache is, and how often it answered.
package struct CacheReading: Equatable, Sendable {
    package var entries = 0
    package var bytes = 0
    package var mostBytes = 0
    package var found: UInt64 = 0
    package var notFound: UInt64 = 0
    package var evictions: UInt64 = 0
}
