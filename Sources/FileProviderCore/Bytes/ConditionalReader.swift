import Foundation

/// A reader that compares the version of its file before the first read, for storages that cannot do so themselves.
final class ConditionalReader: FileReader {
    private let base: any FileReader
    private let options: ReadOptions
    private let isChecked = LockedValue(false)

    init(_ base: any FileReader, options: ReadOptions) {
        self.base = base
        self.options = options
    }

    var path: ProviderPath { base.path }
    var cost: Capabilities.ReadCost { base.cost }

    /// - Throws: As ``ReadOptions/check(_:of:url:)``, here and in every read.
    func attributes() async throws -> FileReaderAttributes {
        let attributes = try await base.attributes()
        if isChecked.value { return attributes }
        try options.check(attributes.validator, of: path)
        isChecked.update { $0 = true }
        return attributes
    }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        try await check()
        return try await base.stream(part, into: sink)
    }

    func read(_ ranges: [Range<Int64>]) async throws -> [Data] {
        try await check()
        return try await base.read(ranges)
    }

    func writeSource() async throws -> any WriteSource {
        try await check()
        return try await base.writeSource()
    }

    func close() async { await base.close() }

    private func check() async throws {
        if !isChecked.value { _ = try await attributes() }
    }
}
