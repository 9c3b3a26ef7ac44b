/// Receives the outcome each time a watch asked its storage: the error if the storage is away and the watch waits for it,
/// else `nil`. An error that ends a watch is thrown by ``FileWatch/next()`` alone. The watch goes on once this returns.
package typealias WatchOutcome = @Sendable ((any Error)?) async -> Void
