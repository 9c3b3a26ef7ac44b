/// A failure of the cache's own storage; the medium may still work. Leaves the cache only as an underlying error.
struct StorageFailure: Error {
    let cause: any Error
}
