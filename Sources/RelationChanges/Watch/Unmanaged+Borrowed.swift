/// Objects that their owners keep while they are used.
extension Unmanaged {
    /// Calls `body` with the object without counting it; its owner must keep it meanwhile.
    ///
    /// The standard library's own function loses the type of an error.
    @inline(__always)
    func borrowed<Result, Failure>(
        _ body: (Instance) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outcome = _withUnsafeGuaranteedRef { object -> Swift.Result<Result, Failure> in
            do throws(Failure) {
                return .success(try body(object))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}
