import FileProviderCore
import Foundation
import ProviderDoubles

/// A storage that copies files by itself and moves nothing.
final class CopyingStorage: ForwardingProvider {
    /// What a look tells of a version.
    enum Mark: CaseIterable {
        case tag, date, nothing
    }

    static let type = "Copying"
    let underlying: any FileProvider
    /// Runs before each copy of a file, which fails if it throws.
    let beforeCopying = LockedValue<@Sendable (ProviderPath) async throws -> Void>({ _ in })
    /// The files that were looked at, each once the look is over.
    let seen = CollectedValues<ProviderPath>()
    private let mark: Mark

    init(_ underlying: any FileProvider, mark: Mark) {
        self.underlying = underlying
        self.mark = mark
    }

    func capabilities() async throws -> Capabilities {
        var capabilities = try await underlying.capabilities()
        for ability in [Capabilities.Ability.moving, .atomicFolderCopying] { capabilities[ability] = .unavailable }
        return capabilities
    }

    func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        var item = try await underlying.attributesOfItem(path: path)
        if mark != .tag { item.entryTag = nil }
        if mark != .date { item.modifiedDate = nil }
        seen.append(path)
        return item
    }

    func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        if try await underlying.attributesOfItem(path: path).isDirectory {
            return try await copyThroughThisMachine(
                path: path, to: destination, overwrite: overwrite, progress: progress)
        }
        try await beforeCopying.value(destination)
        try await underlying.copyItem(path: path, to: destination, overwrite: overwrite, progress: progress)
    }
}
