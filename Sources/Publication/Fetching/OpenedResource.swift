import FileProviderCore
import Foundation
import Synchronization

/// A file that is opened at the first access, and kept open until it is closed or let go.
final class OpenedResource: ConfirmableResource {
    typealias Open = @Sendable () async throws -> any FileReader
    /// Compares what a reader returned with a length that was known before; if the read was redirected, with the length
    /// that the medium itself reports.
    typealias Check = @Sendable (_ reader: any FileReader, _ length: Int64?) async throws -> Void

    let link: Link
    private let readers: OpenReaders
    private let locations: [Open]
    private let check: Check
    private let opened = Mutex<(any FileReader)?>(nil)

    /// - Parameters:
    ///   - readers: The readers of the fetcher, which closes those that it opened.
    ///   - locations: Where the file may be: the first place that exists is read. Opened at the first access, and again
    ///     after an access that failed.
    init(_ link: Link, readers: OpenReaders, locations: [Open], check: @escaping Check = { _, _ in }) {
        self.link = link
        self.readers = readers
        self.locations = locations
        self.check = check
    }

    func length() async throws -> Int64 {
        try await withReader { try await $0.attributes().size }
    }

    func validator() async throws -> ResourceValidator? {
        let attributes = try await withReader { try await $0.attributes() }
        return ResourceValidator(length: attributes.size, tag: attributes.validator)
    }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        try await withReader { try await $0.stream(range, into: sink) }
    }

    func confirm(insteadOf length: Int64) async throws {
        try await withReader { try await check($0, length) }
    }

    func close() async {
        let reader = opened.withLock { $0.take() }
        await reader?.close()
    }

    private func withReader<Value: Sendable>(_ body: (any FileReader) async throws -> Value) async throws -> Value {
        if readers.isClosed { throw FileError.closedPublication(link.href) }
        do {
            if let reader = opened.withLock({ $0 }) { return try await body(reader) }
            var missing: (any Error)?
            for open in locations {
                do {
                    return try await keep(open(), body)
                } catch let error where error.isNoSuchFile || error.isFolder {
                    missing = missing ?? error
                }
            }
            throw missing ?? FileError.make(.fileReadNoSuchFile, path: link.href)
        } catch {
            throw readers.isClosed ? FileError.closedPublication(link.href, during: error) : error
        }
    }

    /// Keeps `reader` if `body` succeeds: some providers report a missing file only at the first read.
    private func keep<Value: Sendable>(
        _ reader: any FileReader, _ body: (any FileReader) async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await body(reader)
            try await check(reader, nil)
            let isKept = opened.withLock { opened in
                guard opened == nil, readers.add(reader) else { return false }
                opened = reader
                return true
            }
            if !isKept { await reader.close() }
            return value
        } catch {
            await reader.close()
            throw error
        }
    }
}

extension Error {
    /// Whether a folder was found in place of a file.
    var isFolder: Bool { ((self as? CocoaError)?.underlying as? POSIXError)?.code == .EISDIR }
}
