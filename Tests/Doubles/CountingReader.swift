package import FileProviderCore
package import Foundation
package import SampleBooks
import Synchronization

/// A file in memory, of any size with holes, that counts what is asked of it, and waits, fails or lies when it is told
/// to.
package final class CountingReader: FileReader {
    /// What goes wrong.
    package enum Fault: Sendable {
        case none
        /// Every request from this one on, counted from 0, fails with a lost connection.
        case lost(from: Int)
        /// Every request but the first delivers half of its bytes and claims to be done.
        case short
    }

    package let path: ProviderPath
    package let cost: Capabilities.ReadCost
    private let content: SparseData
    private let mimeType: String?
    private let validator: String?
    private let fault: Fault
    /// Waited for at each request but the first.
    private let hold: (@Sendable () async throws -> Void)?
    private let state = Mutex((requests: [Range<Int64>](), sizeRequests: 0, closings: 0))

    package init(
        _ content: SparseData, cost: Capabilities.ReadCost = .request, fault: Fault = .none, name: String = "book.epub",
        mimeType: String? = nil, validator: String? = nil, hold: (@Sendable () async throws -> Void)? = nil
    ) throws {
        self.content = content
        self.cost = cost
        self.fault = fault
        self.mimeType = mimeType
        self.validator = validator
        self.hold = hold
        path = try ProviderPath(name)
    }

    /// - Parameter pause: How long each request but the first takes.
    package convenience init(
        _ data: Data, cost: Capabilities.ReadCost = .request, fault: Fault = .none, pause: Duration = .zero,
        name: String = "book.epub",
        mimeType: String? = nil, validator: String? = nil
    ) throws {
        let wait: @Sendable () async throws -> Void = { try await Task.sleep(for: pause) }
        try self.init(
            SparseData(data), cost: cost, fault: fault, name: name, mimeType: mimeType, validator: validator,
            hold: pause == .zero ? nil : wait)
    }

    /// The ranges asked for, in order.
    package var requests: [Range<Int64>] { state.withLock { $0.requests } }

    /// Bytes asked for.
    package var bytes: Int64 { requests.reduce(0) { $0 + Int64($1.count) } }

    /// How often the size was asked for before any read had told it.
    package var sizeRequests: Int { state.withLock { $0.sizeRequests } }

    /// Requests as a server counts them, among them one for the size that comes before any read.
    package var trips: Int { state.withLock { $0.requests.count + min($0.sizeRequests, 1) } }

    package var isClosed: Bool { state.withLock { $0.closings > 0 } }

    package func attributes() async throws -> FileReaderAttributes {
        state.withLock { if $0.requests.isEmpty { $0.sizeRequests += 1 } }
        return FileReaderAttributes(size: content.count, validator: validator, mimeType: mimeType)
    }

    package func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        var range = part.resolved(size: content.count)
        let index = state.withLock { state in
            state.requests.append(range)
            return state.requests.count - 1
        }
        if isClosed { throw FileError.make(.fileReadUnknown, path: path) }
        if case .lost(let first) = fault, index >= first {
            throw FileError.make(URLError.Code.networkConnectionLost, url: nil, sentence: "The connection was lost.")
        }
        if case .short = fault, index > 0 { range = range.lowerBound..<range.lowerBound + Int64(range.count / 2) }
        if index > 0 { try await hold?() }
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: content.count)
        try sink.begin(extent)
        // An odd size, so that pieces end within headers too.
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 16_381) {
            try Task.checkCancellation()
            let piece = content.bytes(start..<min(start + 16_381, range.upperBound))
            if try piece.withUnsafeBytes({ try sink.write($0) }) == .wait { try await sink.waitUntilReady() }
        }
        return extent
    }

    package func close() async { state.withLock { $0.closings += 1 } }
}
