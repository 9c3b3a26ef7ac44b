import Foundation
import Synchronization

/// What reads properties, or makes thumbnails, of one kind of file, on any provider.
///
/// It stands where the older FileProvider interface has `LocalFileInformationGenerator`.
public struct FileInformationGenerator: Sendable {
    /// Reads properties. The reader stays the caller's.
    public typealias ReadProperties = @Sendable (_ reader: any FileReader) async throws -> FileProperties
    /// Makes a thumbnail. The reader stays the caller's.
    public typealias MakeThumbnail =
        @Sendable (_ reader: any FileReader, _ request: ThumbnailRequest) async throws -> Thumbnail

    /// For messages, such as `images`.
    public let name: String
    /// In lower case, without the dot.
    public let fileExtensions: Set<String>
    /// In lower case, without parameters: for files whose names tell nothing and whose server does.
    public let mediaTypes: Set<String>
    /// Nil where there is nothing to read.
    public let properties: ReadProperties?
    /// Nil where there is nothing to show.
    public let thumbnail: MakeThumbnail?
    /// Why this kind of file is known and cannot be read here, in one sentence; nil where it can.
    public let obstacle: String?
    /// The package trait whose absence is the obstacle, if that is the reason.
    public let missingTrait: MissingTrait?

    /// A generator for the files with these extensions or media types. A missing trait is an obstacle by itself.
    public init(
        name: String, fileExtensions: Set<String>, mediaTypes: Set<String> = [], properties: ReadProperties? = nil,
        thumbnail: MakeThumbnail? = nil, obstacle: String? = nil, missingTrait: MissingTrait? = nil
    ) {
        self.name = name
        self.fileExtensions = Set(fileExtensions.map { $0.lowercased() })
        self.mediaTypes = Set(mediaTypes.map { $0.lowercased() })
        self.properties = properties
        self.thumbnail = thumbnail
        self.obstacle = obstacle ?? missingTrait?.sentence
        self.missingTrait = missingTrait
    }
}

/// The generators an app knows. A value of its own or ``shared``; safe to use from any thread.
public final class FileInformationGenerators: Sendable {
    /// The process's list; `Carrel` enters the built-in generators together with the built-in providers.
    public static let shared = FileInformationGenerators()

    private let generators = Mutex<[FileInformationGenerator]>([])

    /// A list of its own, apart from ``shared``; for the same kind of file the first one counts.
    public init(_ generators: [FileInformationGenerator] = []) {
        self.generators.withLock { $0 = generators }
    }

    /// Enters a generator, which goes before those that are there: for the same kind of file the last one counts.
    public func register(_ generator: FileInformationGenerator) { generators.withLock { $0.insert(generator, at: 0) } }

    /// Enters generators behind those that are there: for the same kind of file an app's own ones keep counting. What
    /// has the name of one that is there is left out, so that entering the same ones twice changes nothing.
    public func registerLast(_ more: [FileInformationGenerator]) {
        generators.withLock { all in
            for generator in more where !all.contains(where: { $0.name == generator.name }) { all.append(generator) }
        }
    }

    /// In the order in which they are asked.
    public var all: [FileInformationGenerator] { generators.withLock { $0 } }

    /// The generator that reads properties of files with this name.
    public func forProperties(of path: ProviderPath) -> FileInformationGenerator? {
        first(for: path) { $0.properties != nil }
    }

    /// The generator that makes thumbnails of files with this name.
    public func forThumbnail(of path: ProviderPath) -> FileInformationGenerator? {
        first(for: path) { $0.thumbnail != nil }
    }

    /// The generator that `isFit` for the file in `reader`: by its name, else by what the server says of it.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` with a sentence when there is none, and ``MissingTrait`` below it if
    ///   that is the reason.
    func find(
        for reader: any FileReader, what: String, where isFit: (FileInformationGenerator) -> Bool
    ) async throws -> FileInformationGenerator {
        let path = reader.path
        if let found = first(for: path, where: isFit) { return found }
        let type = try await reader.attributes().mimeType?.prefix { $0 != ";" }.lowercased().filter { $0 != " " } ?? ""
        let named = first(for: path) { $0.obstacle != nil }
        if named == nil, let found = all.first(where: { $0.mediaTypes.contains(type) && isFit($0) }) { return found }
        let obstacle = named ?? all.first { $0.obstacle != nil && $0.mediaTypes.contains(type) }
        throw FileError.make(
            .featureUnsupported, path: path,
            sentence: obstacle?.obstacle ?? "“\(path)” is of a kind that no \(what) can be had of.",
            underlying: obstacle?.missingTrait)
    }

    private func first(for path: ProviderPath, where isFit: (FileInformationGenerator) -> Bool)
        -> FileInformationGenerator?
    {
        guard let name = path.fileExtension else { return nil }
        return all.first { $0.fileExtensions.contains(name) && isFit($0) }
    }
}
