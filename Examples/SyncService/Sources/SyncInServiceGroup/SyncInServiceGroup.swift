public import Logging
public import ServiceLifecycle
public import Sync

/// All that an app needs whose services are run by swift-service-lifecycle.
extension SyncService: @retroactive Service {}

/// Keeps pairs of folders in step, beside whatever other services an app has, until the task is cancelled.
///
/// - Parameter endsAtSignals: Whether SIGTERM and SIGINT cancel the group, too. Each pair is left whole, and goes on
///   where it was with the next start.
public func runGroup(_ services: [any Service], endsAtSignals: Bool = true, logger: Logger) async throws {
    let configuration = ServiceGroupConfiguration(
        services: services, cancellationSignals: endsAtSignals ? [.sigterm, .sigint] : [], logger: logger)
    try await ServiceGroup(configuration: configuration).run()
}
