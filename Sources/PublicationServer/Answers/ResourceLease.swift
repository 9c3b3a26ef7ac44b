import FileProviderCore
import Publication

/// A resource for the time of one answer. Closed when the answer is sent, or else when the last reference to it is gone:
/// an answer whose client is gone is never sent.
final class ResourceLease: Sendable {
    let resource: any Resource
    private let isClosed = LockedValue(false)

    init(_ resource: any Resource) { self.resource = resource }

    deinit {
        if isClosed.value { return }
        Task { [resource] in await resource.close() }
    }

    func close() async {
        isClosed.update { $0 = true }
        await resource.close()
    }

    /// Runs `body`, then closes the resource, also if `body` throws.
    func closing(after body: (any Resource) async throws -> Void) async throws {
        do {
            try await body(resource)
            await close()
        } catch {
            await close()
            throw error
        }
    }
}
