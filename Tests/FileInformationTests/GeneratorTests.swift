import FileInformation
import FileProviderCore
import Foundation
import LocalFileProvider
import MemoryFileProvider
import ProviderDoubles
import Testing

/// A storage that makes thumbnails itself, of some of its files, and knows no properties.
private final class PaintingProvider: ForwardingProvider, ExtendedFileProvider {
    static let type = "Painting"
    let underlying: any FileProvider = MemoryFileProvider()

    func providesThumbnail(path: ProviderPath) -> Bool { path.fileExtension == "odd" || path.fileExtension == "text" }
    func providedThumbnail(path: ProviderPath, request: ThumbnailRequest) async throws -> Thumbnail {
        guard path.fileExtension == "odd" else { throw CocoaError(.featureUnsupported) }
        return Thumbnail(data: Data("native".utf8), mediaType: "image/png", width: request.dimension, height: 1)
    }
}

@Suite struct GeneratorTests {
    private static let counting = FileInformationGenerator(
        name: "texts", fileExtensions: ["TEXT"], mediaTypes: ["text/plain"],
        properties: { reader in
            var properties = FileProperties()
            properties["length"] = .integer(try await reader.attributes().size)
            return properties
        },
        thumbnail: { _, request in
            Thumbnail(data: Data("made".utf8), mediaType: "image/png", width: request.dimension, height: 1)
        })

    @Test func `properties keep their order and give them up one by one`() {
        var properties = FileProperties()
        properties["b"] = "one"
        properties["a"] = 2
        properties["b"] = [1, 2.5, true]
        #expect(properties.keys == ["b", "a"])
        #expect(properties["b"]?.description == "1, 2.5, yes")
        #expect(properties.dictionary["a"] as? Int64 == 2)
        properties["b"] = nil
        #expect(properties.keys == ["a"] && properties.dictionary.count == 1)
    }

    @Test func `the name alone tells whether something may be had`() throws {
        let provider = MemoryFileProvider()
        for name in ["/a.pdf", "/b/C.EPUB", "/x.cbz"] {
            #expect(
                provider.propertiesOfFileSupported(path: try ProviderPath(name), generators: .withBuiltInGenerators()))
        }
        for name in ["/a.txt", "/pdf", "/.pdf", "/a.pdf.gz"] {
            #expect(
                !provider.propertiesOfFileSupported(path: try ProviderPath(name), generators: .withBuiltInGenerators()))
            #expect(
                !provider.thumbnailOfFileSupported(path: try ProviderPath(name), generators: .withBuiltInGenerators()))
        }
        #expect(!provider.propertiesOfFileSupported(path: "/../a.pdf"))
    }

    @Test func `a generator of one's own serves its type on any provider, and goes before the built-in ones`()
        async throws
    {
        let provider = MemoryFileProvider()
        let path = try ProviderPath("a.text")
        try await provider.writeContents(path: path, contents: Data("four".utf8))
        let generators = FileInformationGenerators.withBuiltInGenerators()
        #expect(
            await fileError { try await provider.propertiesOfFile(path: path, generators: generators) }
                == .featureUnsupported)
        generators.register(Self.counting)
        #expect(try await provider.propertiesOfFile(path: path, generators: generators)["length"] == 4)
        #expect(try await provider.thumbnailOfFile(path: path, dimension: 9, generators: generators).width == 9)
        let pdf = FileInformationGenerator(name: "own", fileExtensions: ["pdf"], properties: { _ in FileProperties() })
        generators.register(pdf)
        #expect(generators.forProperties(of: try ProviderPath("a.pdf"))?.name == "own")
        #expect(generators.forThumbnail(of: try ProviderPath("a.pdf"))?.name == "PDF")
    }

    @Test func `a generator whose package trait is missing refuses with the trait's name`() async throws {
        let trait = MissingTrait(name: "Sound", purpose: "plays sound")
        let sounds = FileInformationGenerator(
            name: "sounds", fileExtensions: ["snd"], mediaTypes: ["audio/basic"], missingTrait: trait)
        let generators = FileInformationGenerators([sounds])
        let provider = MemoryFileProvider()
        let path = try ProviderPath("a.snd")
        try await provider.writeContents(path: path, contents: Data("four".utf8))
        #expect(!provider.thumbnailOfFileSupported(path: path, generators: generators))
        let error = await #expect(throws: CocoaError.self) {
            _ = try await provider.thumbnailOfFile(path: path, generators: generators)
        }
        #expect(error?.code == .featureUnsupported && error?.missingTrait == trait && error?.sentence == trait.sentence)
    }

    @Test func `entering the built-in generators twice changes nothing`() {
        let generators = FileInformationGenerators.withBuiltInGenerators()
        let count = generators.all.count
        generators.registerBuiltInGenerators()
        #expect(generators.all.count == count && count > 3)
    }

    @Test func `what the server says counts where the name tells nothing`() async throws {
        let generators = FileInformationGenerators([Self.counting])
        let typed = ReadOnlyProvider {
            try CountingReader(Data("four".utf8), $0.string, mimeType: "Text/Plain; charset=utf-8")
        }
        #expect(try await typed.propertiesOfFile(path: ProviderPath("noname"), generators: generators)["length"] == 4)
        let untyped = ReadOnlyProvider { try CountingReader(Data("four".utf8), $0.string) }
        #expect(
            await fileError { try await untyped.propertiesOfFile(path: ProviderPath("noname"), generators: generators) }
                == .featureUnsupported)
    }

    @Test func `a storage that makes thumbnails is asked first, and the file where it has none`() async throws {
        let provider = PaintingProvider()
        for name in ["a.odd", "a.text"] {
            try await provider.writeContents(path: ProviderPath(name), contents: Data("x".utf8))
        }
        let generators = FileInformationGenerators([Self.counting])
        let native = try await provider.thumbnailOfFile(
            path: ProviderPath("a.odd"), dimension: 7, generators: generators)
        #expect(native.data == Data("native".utf8) && native.width == 7)
        let made = try await provider.thumbnailOfFile(path: ProviderPath("a.text"), generators: generators)
        #expect(made.data == Data("made".utf8))
        #expect(
            try await provider.propertiesOfFile(path: ProviderPath("a.text"), generators: generators)["length"] == 1)
        #expect(provider.thumbnailOfFileSupported(path: try ProviderPath("a.odd"), generators: generators))
        #expect(!provider.propertiesOfFileSupported(path: try ProviderPath("a.odd"), generators: generators))
    }

    @Test func `the completion forms give properties with their keys, or the error`() async throws {
        FileInformationGenerators.shared.register(Self.counting)
        let provider = MemoryFileProvider()
        try await provider.writeContents(path: ProviderPath("a.text"), contents: Data("four".utf8))
        let (length, keys): (Int64?, [String]) = await withCheckedContinuation { continuation in
            provider.propertiesOfFile(path: "/a.text") { dictionary, keys, error in
                continuation.resume(returning: (error == nil ? dictionary["length"] as? Int64 : nil, keys))
            }
        }
        #expect(length == 4 && keys == ["length"])
        let width = await withCheckedContinuation { continuation in
            provider.thumbnailOfFile(path: "/a.text", dimension: 5) { thumbnail, _ in
                continuation.resume(returning: thumbnail?.width)
            }
        }
        #expect(width == 5)
        let code = await withCheckedContinuation { continuation in
            provider.thumbnailOfFile(path: "/missing.text") { thumbnail, error in
                continuation.resume(returning: thumbnail == nil ? (error as? CocoaError)?.code : nil)
            }
        }
        #expect(code == .fileReadNoSuchFile)
        #expect(
            provider.thumbnailOfFileSupported(path: "/a.text") && provider.propertiesOfFileSupported(path: "/a.text"))
    }

    @Test func `a folder and a missing file are what they are`() async throws {
        let provider = MemoryFileProvider()
        try await provider.createFolder(path: ProviderPath("d.pdf"))
        let generators = FileInformationGenerators.withBuiltInGenerators()
        #expect(
            await fileError { try await provider.propertiesOfFile(path: ProviderPath("d.pdf"), generators: generators) }
                == .fileReadUnknown
        )
        #expect(
            await fileError { try await provider.thumbnailOfFile(path: ProviderPath("no.pdf"), generators: generators) }
                == .fileReadNoSuchFile)
    }
}
