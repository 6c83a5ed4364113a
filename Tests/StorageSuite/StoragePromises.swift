/// The promises of `Store`, for each engine's own tests to check one by one.
///
/// The list is a global constant, since an enum with the module's name would hide the module.
package let storagePromises: [Promise] =
    readingPromises + scanningPromises + writingPromises + savepointPromises + sharingPromises
