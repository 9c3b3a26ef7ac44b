import CurlTransport
import FileProviderCore
import Foundation

/// Ends a download because the caller's version still holds.
struct NotModifiedError: Error {}

/// Ends a transfer after all wanted bytes have arrived.
struct Enough: Error {}

/// An error of the sink, kept apart from the transport's: a sink that may have written a part is not written to again.
struct SinkFailure: Error {
    let error: any Error
}

/// Shows the bytes that pass to a proof.
struct ProofTap: CopyTap {
    let proof: any HTTPBodyProof

    func pass(_ bytes: UnsafeRawBufferPointer) -> FlowState {
        proof.add(bytes)
        return .ready
    }
}

/// Passes on `count` bytes after the first `skip`, then ends the transfer.
final class Window: ByteSink {
    private let base: any ByteSink
    private let position: LockedValue<(skip: Int64, left: Int64, drain: Int64)>
    private let came: @Sendable (_ taken: Int, _ seen: Int) -> Void

    /// - Parameter drain: How many bytes behind the wanted ones are let by before the transfer is ended.
    init(
        _ base: any ByteSink, skip: Int64, count: Int64, drain: Int64,
        came: @escaping @Sendable (_ taken: Int, _ seen: Int) -> Void
    ) {
        self.base = base
        position = LockedValue((skip, count < 0 ? .max : count, drain))
        self.came = came
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        var (skip, left, drain) = position.value
        let skipped = Int(min(skip, Int64(bytes.count)))
        let taken = Int(min(left, Int64(bytes.count - skipped)))
        skip -= Int64(skipped)
        left -= Int64(taken)
        let beyond = bytes.count - skipped - taken
        drain -= Int64(beyond)
        position.update { [skip, left, drain] in $0 = (skip, left, drain) }
        var flow = FlowState.ready
        if taken > 0 {
            do { flow = try base.write(UnsafeRawBufferPointer(rebasing: bytes[skipped..<(skipped + taken)])) } catch {
                throw SinkFailure(error: error)
            }
        }
        came(taken, bytes.count)
        if beyond > 0, drain < 0 { throw Enough() }
        return flow
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
}

extension FilePart {
    /// The value of a `Range` header (RFC 9110, section 14.1.2); nil for the whole file.
    var headerValue: String? {
        switch self {
        case .whole, .from(0): nil
        case .from(let offset): "bytes=\(offset)-"
        case .range(let range): "bytes=\(range.lowerBound)-\(max(range.lowerBound, range.upperBound - 1))"
        case .suffix(let count): "bytes=-\(max(1, count))"
        }
    }

    /// The bytes to use of an answer: how many to skip at its start, and how many to take, −1 for all.
    func aim(in answer: FileExtent) -> (skip: Int64, count: Int64) {
        if answer.size < 0 {
            return switch self {
            case .whole: (0, -1)
            case .from(let offset): (max(0, offset), -1)
            case .range(let range): (range.lowerBound, Int64(range.count))
            case .suffix: (.max, 0)
            }
        }
        let wanted = resolved(size: answer.size).clamped(to: answer.offset..<(answer.offset + answer.count))
        return (wanted.lowerBound - answer.offset, Int64(wanted.count))
    }
}

/// A `Content-Range` (RFC 9110, section 14.4): `bytes 0-4/100`, `bytes */100`.
struct ContentRange {
    var bytes: Range<Int64>?
    var size: Int64?

    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/")
        guard parts.count == 2 else { return nil }
        size = Int64(parts[1])
        if parts[1] != "*", (size ?? -1) < 0 { return nil }
        let ends = parts[0].split(separator: "-").compactMap { Int64($0) }
        if ends.count == 2, ends[0] >= 0, ends[1] >= ends[0], ends[1] < .max { bytes = ends[0]..<(ends[1] + 1) }
    }
}
