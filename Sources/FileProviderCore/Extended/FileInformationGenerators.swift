import Foundation
import Synchronization

/// A reader of properties, or a maker of thumbnails, for one kind of file, on any provider.
///
/// It takes the place of `LocalFileInformationGenerator` in the older FileProvider interface.
public struct FileInformationGenerator: Sendable {
    /// Reads properties. The caller closes the reader.
    public typealias ReadProperties = @Sendable (_ reader: any FileReader) async throws -> FileProperties
    /// Makes a thumbnail. The caller closes the reader.
    public typealias MakeThumbnail =
        @Sendable (_ reader: any FileReader, _ request: ThumbnailRequest) async throws -> Thumbnail

    /// A name for messages, such as `images`.
    public let name: String
    /// In lower case, without the dot.
    public let fileExtensions: Set<String>
    /// In lower case, without parameters: for files that only the server's media type identifies.
    public let mediaTypes: Set<String>
    /// Nil if such files have no properties.
    public let properties: ReadProperties?
    /// Nil if such files have nothing to show.
    public let thumbnail: MakeThumbnail?
    /// One sentence saying why this build cannot read this kind of file, or nil if it can.
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

/// The generators that an app knows: a separate list or ``shared``. Safe to use from any thread.
public final class FileInformationGenerators: Sendable {
    /// The process's list; `Carrel` enters the built-in generators together with the built-in providers.
    public static let shared = FileInformationGenerators()

    private let generators = Mutex<[FileInformationGenerator]>([])

    /// Creates a list apart from ``shared``. For the same kind of file, the first generator is used.
    public init(_ generators: [FileInformationGenerator] = []) {
        self.generators.withLock { $0 = generators }
    }

    /// Enters a generator in front of the others: for the same kind of file, the last one registered is used.
    public func register(_ generator: FileInformationGenerator) { generators.withLock { $0.insert(generator, at: 0) } }

    /// Enters generators behind the others: for the same kind of file, an app's own ones are still used. Leaves out
    /// generators whose names are registered, so that entering them twice changes nothing.
    public func registerLast(_ more: [FileInformationGenerator]) {
        generators.withLock { all in
            for generator in more where !all.contains(where: { $0.name == generator.name }) { all.append(generator) }
        }
    }

    /// In the order in which they are asked.
    public var all: [FileInformationGenerator] { generators.withLock { $0 } }

    /// Returns the generator that reads properties of files with this name.
    public func forProperties(of path: ProviderPath) -> FileInformationGenerator? {
        first(for: path) { $0.properties != nil }
    }

    /// Returns the generator that makes thumbnails of files with this name.
    public func forThumbnail(of path: ProviderPath) -> FileInformationGenerator? {
        first(for: path) { $0.thumbnail != nil }
    }

    /// Returns the first generator for the file in `reader` that passes `isFit`: by the file's name, else by its media
    /// type.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` if there is none, with ``MissingTrait`` below it if that is the
    ///   reason.
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
            sentence: obstacle?.obstacle
                ?? "“\(path)” has no \(what): this kind of file is not supported.",
            underlying: obstacle?.missingTrait)
    }

    private func first(for path: ProviderPath, where isFit: (FileInformationGenerator) -> Bool)
        -> FileInformationGenerator?
    {
        guard let name = path.fileExtension else { return nil }
        return all.first { $0.fileExtensions.contains(name) && isFit($0) }
    }
}
