import Foundation

/// A reader made of one function, for a plug-in that can fetch a part of a file and keeps no handle.
///
/// The first answer fixes the file's size and version; a later one that differs fails with a sentence.
public final class RangedFileReader: FileReader {
    /// Fetches a part of the file into a sink, and returns what it delivered with the file's attributes.
    ///
    /// It calls ``ByteSink/begin(_:)`` before the first byte. `version` is the validator of the first answer, for a
    /// conditional request.
    public typealias Fetch =
        @Sendable (_ part: FilePart, _ version: String?, _ sink: any ByteSink) async throws -> (
            FileExtent, FileReaderAttributes
        )

    /// As ``Fetch``; it also calls `note` with the attributes before the first byte, so that concurrent reads are
    /// compared with them.
    package typealias NotingFetch =
        @Sendable (
            _ part: FilePart, _ version: String?, _ sink: any ByteSink,
            _ note: @escaping @Sendable (FileReaderAttributes) throws -> Void
        ) async throws -> (FileExtent, FileReaderAttributes)

    /// The path that the file was opened by.
    public let path: ProviderPath
    /// The cost that the provider states.
    public let cost: Capabilities.ReadCost
    private let fetch: NotingFetch
    private let ask: (@Sendable () async throws -> FileReaderAttributes)?
    private let known = KnownAttributes()
    private let isClosed = LockedValue(false)

    /// - Parameter attributes: Requests size and version without reading; give it if that is cheaper than reading one
    ///   byte.
    public init(
        path: ProviderPath, cost: Capabilities.ReadCost,
        attributes: (@Sendable () async throws -> FileReaderAttributes)? = nil,
        fetch: @escaping Fetch
    ) {
        self.path = path
        self.cost = cost
        self.fetch = { part, version, sink, _ in try await fetch(part, version, sink) }
        ask = attributes
    }

    /// A reader whose answers have version and size before their bytes.
    package init(path: ProviderPath, cost: Capabilities.ReadCost, notingFetch: @escaping NotingFetch) {
        self.path = path
        self.cost = cost
        fetch = notingFetch
        ask = nil
    }

    /// - Complexity: One request if nothing was read yet.
    public func attributes() async throws -> FileReaderAttributes {
        if isClosed.value { throw FileError.closed(path) }
        if let attributes = known.attributes { return attributes }
        if let ask {
            let attributes = try await ask()
            try known.settle(attributes, path: path)
            return attributes
        }
        _ = try await stream(.range(0..<1), into: DataSink(limit: 1))
        // Set by the read before.
        guard let attributes = known.attributes else { throw FileError.make(.fileReadUnknown, path: path) }
        return attributes
    }

    /// Sends one request for `part`. The first answer settles size and version for all reads of this reader.
    ///
    /// - Throws: The storage's error; ``FileError/changedWhileReading(_:url:)`` if it answers with another version.
    public func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        if isClosed.value { throw FileError.closed(path) }
        if part.isEmpty || known.attributes.map({ part.resolved(size: $0.size).isEmpty }) == true {
            let size = try await attributes().size
            let extent = FileExtent(offset: part.resolved(size: size).lowerBound, count: 0, size: size)
            try sink.begin(extent)
            return extent
        }
        let (extent, attributes) = try await fetch(part, known.attributes?.validator, sink) { [known, path] in
            try known.settle($0, path: path)
        }
        try known.settle(attributes, path: path)
        return extent
    }

    /// Makes later reads fail. Reads under way continue; there is nothing to release.
    public func close() async { isClosed.update { $0 = true } }
}

/// What the answers so far say about a file.
private final class KnownAttributes: Sendable {
    private let store = LockedValue<FileReaderAttributes?>(nil)

    var attributes: FileReaderAttributes? { store.value }

    func settle(_ attributes: FileReaderAttributes, path: ProviderPath) throws {
        try store.update { known in
            guard let before = known else {
                known = attributes
                return
            }
            // An answer without a validator, such as that of an empty range, says nothing about the version.
            let isSame =
                before.validator == nil || attributes.validator == nil || before.validator == attributes.validator
            guard before.size == attributes.size, isSame else { throw FileError.changedWhileReading(path) }
            if before.validator == nil {
                known = attributes
            } else if attributes.concurrentRanges == nil {
                // An answer that proves less than the others.
                known?.concurrentRanges = nil
            }
        }
    }
}
