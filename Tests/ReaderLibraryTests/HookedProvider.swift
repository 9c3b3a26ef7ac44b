import FileProviderCore
import Foundation
import ProviderDoubles

/// A storage in which something happens when a file is opened, read or closed.
final class HookedProvider: ForwardingProvider {
    /// A moment in the life of a reader.
    enum Moment: Sendable, CaseIterable {
        case opening
        case reading
        case closing
    }

    static var type: String { "Hooked" }

    let underlying: any FileProvider
    fileprivate let hook: @Sendable (Moment) throws -> Void

    /// - Parameter hook: Called before the file is opened, after its bytes were given and after it was closed; what it
    ///   throws at the end is lost.
    init(_ base: any FileProvider, _ hook: @escaping @Sendable (Moment) throws -> Void) {
        underlying = base
        self.hook = hook
    }

    func open(path: ProviderPath) async throws -> any FileReader {
        try hook(.opening)
        return HookedReader(try await underlying.open(path: path), of: self)
    }
}

private final class HookedReader: FileReader {
    private let base: any FileReader
    private let provider: HookedProvider

    init(_ base: any FileReader, of provider: HookedProvider) {
        self.base = base
        self.provider = provider
    }

    var path: ProviderPath { base.path }
    var cost: Capabilities.ReadCost { base.cost }

    func attributes() async throws -> FileReaderAttributes { try await base.attributes() }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let extent = try await base.stream(part, into: sink)
        try provider.hook(.reading)
        return extent
    }

    func read(_ ranges: [Range<Int64>]) async throws -> [Data] { try await base.read(ranges) }
    func writeSource() async throws -> any WriteSource { try await base.writeSource() }

    func close() async {
        await base.close()
        // Closing tells no errors.
        try? provider.hook(.closing)
    }
}
