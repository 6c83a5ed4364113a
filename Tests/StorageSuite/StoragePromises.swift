/// The promises of `Store`, for each engine's own tests to check one by one.
///
/// An enum of the module's name would hide the module, so the list stands by itself.
package let storagePromises: [Promise] =
    readingPromises + scanningPromises + writingPromises + savepointPromises + sharingPromises
