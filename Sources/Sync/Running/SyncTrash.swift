import FileProviderCore
import Foundation

/// What was replaced and removed, in a folder of each side: one folder for each run, with the tree below it as it was.
struct SyncTrash: Sendable {
    private let folders: Sides<SyncFolder>
    private let age: TimeInterval?
    private let run: String
    private let capabilities: Sides<Capabilities>

    private static let style = Date.ISO8601FormatStyle(dateSeparator: .dash, timeSeparator: .omitted)

    /// What was thrown away before was thrown away just now, on a machine whose clock was not set. It is kept.
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

    /// Moves an item into the trash, and back when it is not what it was expected to be.
    ///
    /// - Throws: ``ChangedMeanwhile``; `CocoaError(.fileNoSuchFile)` when it is gone.
    func put(_ path: ProviderPath, on side: SyncSide, expecting expected: SyncItem) async throws {
        let provider = folders[side].provider
        let original = folders[side].path(of: path)
        let capabilities = capabilities[side]
        // A copy does not tell by itself which version it is of.
        if capabilities[.moving] == .derived {
            try await folders[side].check(path, is: expected, precision: capabilities.timePrecision ?? 0)
        }
        let location = try await free(top(side).appending(run).appending(path), in: provider) { location in
            try await provider.moveItem(path: original, to: location)
        }
        // Moved away together with whatever somebody wrote there at the last moment: that comes back, and nothing
        // cancels it.
        try await withCancellationShield {
            let failure: any Error
            do {
                let item = SyncItem(try await provider.attributesOfItem(path: location))
                if item?.isMoved(from: expected, capabilities) == true { return }
                failure = ChangedMeanwhile(path: path)
            } catch { failure = error }
            do { try await provider.moveItem(path: location, to: original) } catch let error where error.isFileExists {
                // Somebody has written there again. What was moved stays in the trash.
            }
            throw failure
        }
    }

    /// Has `body` use `location`, or one like it that is free, whose folders are made.
    private func free(
        _ location: ProviderPath, in provider: any FileProvider, _ body: (ProviderPath) async throws -> Void
    ) async throws -> ProviderPath {
        var location = location
        for number in 2...100 {
            do {
                do { try await body(location) } catch let error where !error.isFileExists && !error.concernsEveryItem {
                    // The folder of this run is not there yet, or was not, which FTP servers tell so that nobody can be
                    // sure once another step has made it. What else it may be shows again.
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

    /// Removes what has been in the trash for longer than the options say.
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
                // Nothing was ever thrown away.
            } catch let error where !error.isCancellation {
                // The run is done, and tells of all that it did.
                report.fail(FolderSyncReport.Item(side, try ProviderPath(SyncOptions.trashName), error))
            }
        }
    }
}
