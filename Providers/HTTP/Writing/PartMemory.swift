import FileProviderCore
import Foundation

/// Memory for one part of an upload, mapped apart and given back to the system with the last use of it: what the usual
/// allocator keeps of pieces this large, for each thread, would be several parts more.
final class PartMemory: @unchecked Sendable {
    // Unchecked: one upload fills it, one step at a time, and nothing writes to it after that.
    private let bytes: UnsafeMutableRawBufferPointer
    private var count = 0
    private var isGivenAway = false

    /// - Throws: `CocoaError` with the cause below it, when the system has no more.
    init(_ size: Int) throws {
        let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let start, start != MAP_FAILED else { throw FileError.make(errno: errno, path: .root, writing: true) }
        bytes = UnsafeMutableRawBufferPointer(start: start, count: size)
    }

    deinit {
        if !isGivenAway { munmap(bytes.baseAddress, bytes.count) }
    }

    func append(_ data: Data) {
        data.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: bytes[count...]))
        count += data.count
    }

    /// Takes what the source has now; nil when all is filled.
    func fill(from source: any ByteSource, _ flag: CancellationFlag) throws -> SourceStep? {
        while count < bytes.count {
            try flag.check()
            let step = try source.read(
                into: UnsafeMutableRawBufferPointer(rebasing: bytes[count..<min(count + (1 << 20), bytes.count)]))
            guard case .bytes(let more) = step else { return step }
            count += more
        }
        return nil
    }

    /// Returns the filled bytes, which own the memory from now on.
    func take() -> Data {
        guard count > 0, let start = bytes.baseAddress else { return Data() }
        isGivenAway = true
        let size = bytes.count
        return Data(bytesNoCopy: start, count: count, deallocator: .custom { start, _ in munmap(start, size) })
    }
}
