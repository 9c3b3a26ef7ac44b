import PostgresTransport

extension Fleet: FleetQueue {
    func wakes() -> AsyncStream<String> { connection.notifications(schema) }
}
