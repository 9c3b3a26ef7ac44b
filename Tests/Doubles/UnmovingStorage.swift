package import FileProviderCore
import Foundation

/// A storage that moves nothing, and copies nothing by itself.
package final class UnmovingStorage: ForwardingProvider {
    package static let type = "Unmoving"
    package let underlying: any FileProvider
    /// Runs before each write of a file, which fails if it throws.
    package let beforeWriting = LockedValue<@Sendable (ProviderPath) async throws -> Void>({ _ in })

    package init(_ underlying: any FileProvider) {
        self.underlying = underlying
    }

    package func capabilities() async throws -> Capabilities {
        var capabilities = try await underlying.capabilities()
        for ability in [Capabilities.Ability.moving, .serverSideCopying, .atomicFolderCopying, .appending] {
            capabilities[ability] = .unavailable
        }
        return capabilities
    }

    package func pass<Value: Sendable>(_ call: String, _ path: ProviderPath, _ body: () async throws -> Value)
        async throws -> Value
    {
        if call == "write" { try await beforeWriting.value(path) }
        return try await body()
    }

    package func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        throw FileError.unsupported("move", by: Self.type, path: path)
    }

    package func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try await copyThroughThisMachine(path: path, to: destination, overwrite: overwrite, progress: progress)
    }
}
