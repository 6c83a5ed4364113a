/// Why a page cannot be read, in words for people.
package struct AdminRequestError: Error, CustomStringConvertible {
    package let description: String
}
