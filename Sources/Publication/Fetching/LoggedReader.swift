import FileProviderCore
import Foundation
import Logging

/// Writes a line for each read of a file.
final class LoggedReader: FileReader {
    private let base: any FileReader
    private let logger: Logger

    init(_ base: any FileReader, logger: Logger) {
        self.base = base
        self.logger = logger
    }

    var path: ProviderPath { base.path }
    var cost: Capabilities.ReadCost { base.cost }

    func attributes() async throws -> FileReaderAttributes { try await base.attributes() }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        try await logged("\(part)") {
            try await base.stream(part, into: sink)
        } bytes: {
            $0.count
        }
    }

    func read(_ ranges: [Range<Int64>]) async throws -> [Data] {
        try await logged(ranges.map { "\($0)" }.joined(separator: ", ")) {
            try await base.read(ranges)
        } bytes: {
            $0.reduce(0) { $0 + Int64($1.count) }
        }
    }

    func writeSource() async throws -> any WriteSource { try await base.writeSource() }

    func close() async { await base.close() }

    private func logged<Value>(
        _ part: @autoclosure () -> String, _ body: () async throws -> Value, bytes: (Value) -> Int64
    ) async throws -> Value {
        let start = ContinuousClock.now
        var metadata: Logger.Metadata = ["range": "\(LogText.shown(part()))"]
        do {
            let value = try await body()
            metadata["bytes-in"] = "\(bytes(value))"
            metadata["ms"] = "\(Int64((ContinuousClock.now - start) / .milliseconds(1)))"
            logger.debug("read \(path.shownInLog)", metadata: metadata)
            return value
        } catch {
            metadata["ms"] = "\(Int64((ContinuousClock.now - start) / .milliseconds(1)))"
            metadata["error"] = "\(error.loggedSentence)"
            logger.debug("read \(path.shownInLog)", metadata: metadata)
            throw error
        }
    }
}
