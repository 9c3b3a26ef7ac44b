/// The cache's own storage did not do its part; the medium may well. Never leaves the cache but as its cause.
struct StorageFailure: Error {
    let cause: any Error
}
