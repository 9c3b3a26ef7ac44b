import FileProviderCore
import Foundation

/// The trash of each side: one folder per run holds the replaced and removed items in their original tree.
struct SyncTrash: Sendable {
    private let folders: Sides<SyncFolder>
    private let age: TimeInterval?
    private let run: String
    private let capabilities: Sides<Capabilities>

    private static let style = Date.ISO8601FormatStyle(dateSeparator: .dash, timeSeparator: .omitted)

    /// An older date means that the machine's clock was not set. Such folders are kept.
    private static let first = Date(timeIntervalSince1970: 1_704_067_200)

    init(_ folders: Sides<SyncFolder>, options: SyncOptions, capabilities: Sides<Capabilities>) {
        self.folders = folders
        self.capabilities = capabilities
        age = options.trashAge
        run = Date().formatted(Self.style)
    }

    private func top(_ side: SyncSide) throws -> ProviderPath {
        try folders[side].path.appending(
            capabilities[side].listsEveryName ? SyncOptions.trashName : SyncOptions.plainTrashName)
    }

    /// Moves an item into the trash, and back if it is not the expected version.
    ///
    /// - Throws: ``ChangedMeanwhile``; `CocoaError(.fileNoSuchFile)` if it is gone.
    func put(_ path: ProviderPath, on side: SyncSide, expecting expected: SyncItem) async throws {
        let provider = folders[side].provider
        let original = folders[side].path(of: path)
        let capabilities = capabilities[side]
        // A copy does not show which version it was made from.
        if capabilities[.moving] == .derived {
            try await folders[side].check(path, is: expected, precision: capabilities.timePrecision ?? 0)
        }
        let location = try await free(top(side).appending(run).appending(path), in: provider) { location in
            try await provider.moveItem(path: original, to: location)
        }
        // The move may have taken a version written at the last moment. That is moved back, even if the task is
        // cancelled.
        try await withCancellationShield {
            let failure: any Error
            do {
                let item = SyncItem(try await provider.attributesOfItem(path: location))
                if item?.isMoved(from: expected, capabilities) == true { return }
                failure = ChangedMeanwhile(path: path)
            } catch { failure = error }
            do { try await provider.moveItem(path: location, to: original) } catch let error where error.isFileExists {
                // The place has been taken again. The moved item stays in the trash.
            }
            throw failure
        }
    }

    /// Calls `body` with `location`, or a free name like it, after creating its folders.
    private func free(
        _ location: ProviderPath, in provider: any FileProvider, _ body: (ProviderPath) async throws -> Void
    ) async throws -> ProviderPath {
        var location = location
        for number in 2...100 {
            do {
                do { try await body(location) } catch let error where !error.isFileExists && !error.concernsEveryItem {
                    // The folder of this run may not exist yet. FTP servers report that in a way that is ambiguous once
                    // another step has created it. Any other problem shows again in the second try.
                    try await provider.createFolderWithParents(path: location.parent ?? .root)
                    try await body(location)
                }
                return location
            } catch let error where error.isFileExists && number < 100 {
                location = try (location.parent ?? .root).appending(
                    nameBytes: Array(location.nameBytes) + Array(" \(number)".utf8))
            }
        }
        return location
    }

    /// Removes items that have been in the trash for longer than the options allow.
    func sweep(_ report: inout FolderSyncReport) async throws {
        guard let age else { return }
        for side in SyncSide.allCases {
            let provider = folders[side].provider
            do {
                for item in try await provider.contentsOfDirectory(path: top(side)) {
                    guard let date = try? Self.style.parse(item.name), date.timeIntervalSinceNow < -age,
                        date > Self.first
                    else { continue }
                    try await provider.removeItem(path: item.path, recursive: true)
                }
            } catch let error where error.isNoSuchFile {
                // There is no trash yet.
            } catch let error where !error.isCancellation {
                // The run is done and reports all its steps.
                report.fail(FolderSyncReport.Item(side, try ProviderPath(SyncOptions.trashName), error))
            }
        }
    }
}
