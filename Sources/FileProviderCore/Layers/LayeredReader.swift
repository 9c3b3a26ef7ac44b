import Foundation

/// A reader of the base whose file callers know under another path.
final class LayeredReader: FileReader {
    let path: ProviderPath
    private let base: any FileReader
    private let translated: @Sendable (any Error) -> any Error

    /// - Parameter translated: Returns the base's error as callers get it.
    init(_ base: any FileReader, path: ProviderPath, translated: @escaping @Sendable (any Error) -> any Error) {
        self.base = base
        self.path = path
        self.translated = translated
    }

    var cost: Capabilities.ReadCost { base.cost }

    func attributes() async throws -> FileReaderAttributes {
        do { return try await base.attributes() } catch { throw translated(error) }
    }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        do { return try await base.stream(part, into: sink) } catch { throw translated(error) }
    }

    func read(_ ranges: [Range<Int64>]) async throws -> [Data] {
        do { return try await base.read(ranges) } catch { throw translated(error) }
    }

    func writeSource() async throws -> any WriteSource {
        do { return try await base.writeSource() } catch { throw translated(error) }
    }

    func close() async { await base.close() }
}
