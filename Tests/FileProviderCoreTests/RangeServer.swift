import FileProviderCore
import Foundation
import ProviderDoubles

/// A storage of one file that takes ranges, and does with each request what a test wants.
final class RangeServer: Sendable {
    private struct State: Sendable {
        var asked: [Range<Int64>] = []
        var answered = 0
        var active = 0
        var maxActive = 0
        var sent: Int64 = 0
    }

    static let content = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3 ^ $0 >> 12) })

    /// A request, as it comes in.
    struct Request: Sendable {
        /// From 0 on.
        let index: Int
        let range: Range<Int64>
        /// Requests that are answered at this moment, this one included.
        let active: Int
    }

    /// Gives the version of the file, which is nil where the answer does not tell it.
    typealias Answer = @Sendable (Request) async throws -> String?

    private let state = LockedValue(State())
    /// Bytes that the sink has; a test that has the first answer stop tells them.
    let delivered = LockedValue(0)
    private let ranges: ConcurrentRanges?
    private let holdsFirst: Bool
    private let answer: Answer
    /// Told before each piece of each answer but the first how many bytes it has sent.
    private let progress: @Sendable (_ server: RangeServer, _ request: Request, _ sent: Int) async throws -> Void

    /// - Parameter holdsFirst: Whether the first answer stops after 48 KiB until there was a second one, and the third
    ///   one does not begin before the first one is over.
    init(
        ranges: ConcurrentRanges? = ConcurrentRanges(maxCount: 4, minSize: 32 << 10, maxSize: 64 << 10),
        holdsFirst: Bool = true, answer: @escaping Answer = { _ in "1" },
        progress: @escaping @Sendable (RangeServer, Request, Int) async throws -> Void = { _, _, _ in }
    ) {
        self.ranges = ranges
        self.holdsFirst = holdsFirst
        self.answer = answer
        self.progress = progress
    }

    /// What was asked for so far.
    var asked: [Range<Int64>] { state.value.asked }
    /// Requests that were refused, or whose first bytes were sent.
    var answered: Int { state.value.answered }
    var active: Int { state.value.active }
    var maxActive: Int { state.value.maxActive }
    var sent: Int64 { state.value.sent }

    func reader() throws -> RangedFileReader {
        RangedFileReader(path: try ProviderPath("/f"), cost: .request) { [self] part, version, sink, note in
            let size = Int64(Self.content.count)
            let range = part.resolved(size: size)
            let request = state.update { state in
                defer { state.asked.append(range) }
                state.active += 1
                state.maxActive = max(state.maxActive, state.active)
                return Request(index: state.asked.count, range: range, active: state.active)
            }
            defer { state.update { $0.active -= 1 } }
            let attributes: FileReaderAttributes
            let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: size)
            do {
                if holdsFirst, request.index > 1 { try await eventually { delivered.value > 96 << 10 } }
                let validator = try await answer(request)
                attributes = FileReaderAttributes(
                    size: size, validator: validator, concurrentRanges: validator == nil ? nil : ranges)
                try note(attributes)
                try sink.begin(extent)
            } catch {
                state.update { $0.answered += 1 }
                throw error
            }
            for start in stride(from: Int(range.lowerBound), to: Int(range.upperBound), by: 16 << 10) {
                try Task.checkCancellation()
                let sent = start - Int(range.lowerBound)
                if request.index > 0 {
                    try await progress(self, request, sent)
                } else if holdsFirst, sent >= 48 << 10 {
                    try await eventually { answered > 1 }
                }
                let piece = Self.content[start..<min(start + 16 << 10, Int(range.upperBound))]
                state.update { $0.sent += Int64(piece.count) }
                let flow = try piece.withUnsafeBytes { try sink.write($0) }
                if sent == 0 { state.update { $0.answered += 1 } }
                if flow == .wait { try await sink.waitUntilReady() }
            }
            return (extent, attributes)
        }
    }
}
