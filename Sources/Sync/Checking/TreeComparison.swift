public import FileProviderCore
import Foundation

/// Compares two folders and everything in them, on any two providers.
///
/// Files of equal size and time count as the same unless ``comparesContent`` is set. If sizes are equal and times
/// differ, the content is compared. Names are compared byte by byte, symbolic links by their targets.
public struct TreeComparison: Sendable {
    /// The reason why the two items at a path differ.
    public enum Reason: String, Sendable, Hashable, Codable {
        /// One is a folder or a link, and the other is not.
        case type
        /// They have different sizes.
        case size
        /// They have different bytes.
        case content
        /// They are links that hold different texts.
        case linkTarget
    }

    /// The result of a comparison. Paths are relative to the two folders.
    public struct Outcome: Sendable {
        /// Files and links that are the same on both sides.
        public var same = 0
        /// Items on both sides that are not the same.
        public var different: [(path: ProviderPath, reason: Reason)] = []
        /// Items that only the first side has. The content of such a folder is not listed.
        public var onlyFirst: [ProviderPath] = []
        /// Items that only the second side has. The content of such a folder is not listed.
        public var onlySecond: [ProviderPath] = []
        /// Items that could not be compared, and folders that could not be listed in full, each with its reason.
        public var failed: [(path: ProviderPath, error: any Error)] = []

        /// Creates an empty outcome.
        public init() {}

        /// Whether no difference was found. Items that could not be compared don't count.
        public var isSame: Bool { different.isEmpty && onlyFirst.isEmpty && onlySecond.isEmpty }
    }

    /// Whether content is compared even if size and time are equal.
    public var comparesContent: Bool
    /// The number of files that are read at once on each side.
    public var transfers: Int

    /// Creates a comparison. By default it trusts sizes and times, and reads four files at once.
    public init(comparesContent: Bool = false, transfers: Int = 4) {
        self.comparesContent = comparesContent
        self.transfers = max(1, transfers)
    }

    /// Compares the items at two locations: folders with everything in them, or two files.
    ///
    /// Content is compared by a hash that both storages provide; else by a hash that one of them provides, for which
    /// the other's file is read; else by reading both files.
    ///
    /// - Throws: An error of one of the two items themselves, or an error that would also affect every other item.
    /// - Complexity: One listing per side and shared folder, both sides at once. Memory holds the differences and one
    ///   folder of each side.
    public func compare(_ first: ProviderLocation, _ second: ProviderLocation) async throws -> Outcome {
        let (one, other) = try await both {
            try await first.provider.attributesOfItem(path: first.path)
        } _: {
            try await second.provider.attributesOfItem(path: second.path)
        }
        let (capabilities, others) = (try await first.provider.capabilities(), try await second.provider.capabilities())
        let run = Run(
            first: first, second: second, kind: Self.kind(capabilities.hashKinds, others.hashKinds),
            timeStep: max(1, capabilities.timePrecision ?? 1, others.timePrecision ?? 1))
        var outcome = Outcome()
        var folders: [ProviderPath] = []
        try await compare([Met(path: .root, one: one, other: other)], run, &folders, &outcome)
        while let folder = folders.popLast() {
            try Task.checkCancellation()
            let met = try await meet(folder, run: run, outcome: &outcome)
            try await compare(met, run, &folders, &outcome)
        }
        outcome.different.sort { $0.path < $1.path }
        outcome.onlyFirst.sort()
        outcome.onlySecond.sort()
        return outcome
    }

    /// Two items of one path.
    private struct Met: Sendable {
        let path: ProviderPath
        let one: FileObject
        let other: FileObject
    }

    private struct Run: Sendable {
        let first: ProviderLocation
        let second: ProviderLocation
        /// The hash by which content is compared.
        let kind: String
        /// Seconds by which times may be apart that are the same.
        let timeStep: Double
    }

    /// A hash that both storages give, else one that one of them gives and this machine computes, else SHA-256.
    private static func kind(_ kinds: [String], _ others: [String]) -> String {
        kinds.first(where: others.contains) ?? (kinds + others).first(where: FileChecksum.computedKinds.contains)
            ?? "sha256"
    }

    /// Lists a folder of both sides, notes what only one has, and returns the rest.
    private func meet(_ folder: ProviderPath, run: Run, outcome: inout Outcome) async throws -> [Met] {
        let (ones, others) = try await both {
            await Self.listing(folder, run.first)
        } _: {
            await Self.listing(folder, run.second)
        }
        for error in [ones.error, others.error].compactMap(\.self) {
            if error.concernsEveryItem { throw error }
            outcome.failed.append((folder, error))
            // The rest of a folder is good from which only unusable names were left out.
            if error.unusableNames == nil { return [] }
        }
        var there = Dictionary(others.contents.map { ($0.path.nameBytes, $0) }) { first, _ in first }
        var met: [Met] = []
        for one in ones.contents {
            let path = try folder.appending(nameBytes: one.path.nameBytes)
            if let other = there.removeValue(forKey: one.path.nameBytes) {
                met.append(Met(path: path, one: one, other: other))
            } else {
                outcome.onlyFirst.append(path)
            }
        }
        for name in there.keys { outcome.onlySecond.append(try folder.appending(nameBytes: name)) }
        return met
    }

    private static func listing(_ folder: ProviderPath, _ location: ProviderLocation) async -> DirectoryListing {
        let path = location.path.appending(folder)
        return await location.provider.listing(path: path).checked(in: path)
    }

    /// Compares items, and notes the folders that are entered next.
    private func compare(_ met: [Met], _ run: Run, _ folders: inout [ProviderPath], _ outcome: inout Outcome)
        async throws
    {
        var unsure: [Met] = []
        for pair in met {
            if pair.one.type != pair.other.type {
                outcome.different.append((pair.path, .type))
            } else if pair.one.isDirectory {
                if pair.path.components.count < ProviderPath.maxTreeDepth {
                    folders.append(pair.path)
                } else {
                    outcome.failed.append((pair.path, FileError.tooDeep(pair.path)))
                }
            } else if pair.one.isSymbolicLink, let target = pair.one.linkTarget, let other = pair.other.linkTarget {
                if target == other { outcome.same += 1 } else { outcome.different.append((pair.path, .linkTarget)) }
            } else if !pair.one.isRegularFile {
                outcome.failed.append(
                    (
                        pair.path,
                        FileError.make(
                            .featureUnsupported, path: pair.path,
                            sentence: "“\(pair.path)” is neither a file nor a folder and was not compared.")
                    ))
            } else if let size = pair.one.size, let other = pair.other.size, size != other {
                outcome.different.append((pair.path, .size))
            } else if !comparesContent, pair.one.size != nil, pair.other.size != nil, isOfOneTime(pair, run: run) {
                outcome.same += 1
            } else {
                unsure.append(pair)
            }
        }
        for file in await contents(of: unsure, run) {
            switch file.isSame {
            case .success(true): outcome.same += 1
            case .success(false): outcome.different.append((file.path, .content))
            case .failure(let error):
                if error.concernsEveryItem { throw error }
                outcome.failed.append((file.path, error))
            }
        }
    }

    private func isOfOneTime(_ pair: Met, run: Run) -> Bool {
        guard let one = pair.one.modifiedDate, let other = pair.other.modifiedDate else { return false }
        return abs(one.timeIntervalSince(other)) < run.timeStep
    }

    /// Whether the files at one path have the same bytes.
    private struct FileComparison: Sendable {
        let path: ProviderPath
        let isSame: Result<Bool, any Error>
    }

    /// Compares the bytes of files, of a few of them at once.
    private func contents(of pairs: [Met], _ run: Run) async -> [FileComparison] {
        await withTaskGroup(of: FileComparison.self) { group in
            var compared: [FileComparison] = []
            for (index, pair) in pairs.enumerated() {
                if index >= transfers, let one = await group.next() { compared.append(one) }
                group.addTask {
                    do {
                        let (one, other) = try await both {
                            try await FileChecksum.of(pair.one.path, of: run.first.provider, kind: run.kind)
                        } _: {
                            try await FileChecksum.of(pair.other.path, of: run.second.provider, kind: run.kind)
                        }
                        return FileComparison(path: pair.path, isSame: .success(one.value == other.value))
                    } catch { return FileComparison(path: pair.path, isSame: .failure(error)) }
                }
            }
            for await one in group { compared.append(one) }
            return compared
        }
    }
}
