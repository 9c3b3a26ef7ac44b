import CLinux
import FileProviderCore
import Foundation

/// Copies the bytes of one open file, and its attributes, into another that is empty.
///
/// Shares blocks if the file system can; else the kernel copies the bytes; else they go through memory. Holes stay
/// holes.
struct ContentCopy {
    let source: LocalContext
    let target: LocalContext
    let isMove: Bool
    let calls: KernelCalls
    let flag: CancellationFlag
    let progress: ProgressReporter

    /// Bytes to copy, or to wait for the disk, in one call, so that cancelling takes effect soon.
    private static let piece: Int64 = 2 << 20
    /// The most bytes that the disk may be behind: enough to keep it busy beside other writers (8 MiB took 1.8 times as
    /// long), and few for the final fsync(2).
    private static let window: Int64 = 64 << 20
    /// Bytes up to which copying through memory costs less than the setup of a copy in the kernel.
    static let small: Int64 = 64 << 10

    /// The progress of the copy and of the disk.
    private struct State {
        var offset: Int64 = 0
        /// The offsets up to which the disk was asked to write, and up to which it has.
        var started: Int64 = 0
        var written: Int64 = 0
        /// Whether the original ended before its size, as files that the kernel makes up do.
        var isAtEnd = false
    }

    /// Copies content, permissions, extended attributes and modification time.
    ///
    /// - Parameter before: The status of the original when it was opened.
    /// - Throws: `CocoaError(.fileReadUnknown)` with `ESTALE` below it if it changed meanwhile; no more than its old
    ///   size is read.
    func copy(_ file: FileDescriptor, _ before: ItemStatus, to copy: FileDescriptor) throws {
        if before.size == 0 {
            // Files that the kernel makes up seem to be empty. One that is not any more may grow without end.
            var state = State()
            while !state.isAtEnd {
                try pump(file, to: copy, upTo: state.offset + Self.piece, &state)
                try checkUnchanged(file, before: before)
            }
        } else if calls.contains(.clone), carrel_clone(file.raw, copy.raw) == 0 {
            progress.advance(by: before.size)
        } else {
            try copyBytes(file, before, to: copy)
        }
        try checkUnchanged(file, before: before)
        try AttributeCopy(source: source, target: target, isMove: isMove).copy(file, before, to: copy)
    }

    private func checkUnchanged(_ file: FileDescriptor, before: ItemStatus) throws {
        guard try ItemStatus(of: file, source).isSameVersion(as: before) else { throw source.changed }
    }

    private func copyBytes(_ file: FileDescriptor, _ before: ItemStatus, to copy: FileDescriptor) throws {
        let hasHoles = before.isSparse && calls.contains(.dataAndHoles)
        var state = State()
        while state.offset < before.size, !state.isAtEnd {
            var end = before.size
            if hasHoles {
                let data = nextData(of: file, in: state.offset..<before.size)
                progress.advance(by: data.lowerBound - state.offset)
                state.offset = data.lowerBound
                end = data.upperBound
            }
            try copyRange(file, to: copy, upTo: end, state: &state)
        }
        // A hole at the end has no bytes that would make the file as long as the original.
        if hasHoles, !state.isAtEnd { try target.check(ftruncate(copy.raw, off_t(before.size))) }
    }

    /// Returns the next stretch that is not a hole; an empty one at the end if there is none. If the kernel cannot say,
    /// all the rest.
    private func nextData(of file: FileDescriptor, in range: Range<Int64>) -> Range<Int64> {
        let start = carrel_next_data(file.raw, range.lowerBound)
        if start < 0 { return errno == ENXIO ? range.upperBound..<range.upperBound : range }
        let end = carrel_next_hole(file.raw, start)
        guard range.contains(start), end > start else {
            return start >= range.upperBound ? range.upperBound..<range.upperBound : range
        }
        return start..<min(end, range.upperBound)
    }

    private func copyRange(_ file: FileDescriptor, to copy: FileDescriptor, upTo end: Int64, state: inout State) throws
    {
        if end - state.offset <= Self.small { return try pump(file, to: copy, upTo: end, &state) }
        while state.offset < end {
            try flag.check()
            let wanted = min(Self.piece, end - state.offset)
            let count =
                calls.contains(.copyFileRange)
                ? carrel_copy_file_range(file.raw, copy.raw, state.offset, Int(wanted)) : -1
            if count > 0 {
                try advance(by: Int64(count), copy: copy, state: &state)
                continue
            }
            // Some pairs of file systems cannot, and the end of some of the kernel's own files shows only in a read.
            let cannot =
                !calls.contains(.copyFileRange)
                || [EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EPERM, EBADF, ETXTBSY].contains(errno)
            guard count == 0 || cannot else { throw target.error() }
            return try pump(file, to: copy, upTo: end, &state)
        }
    }

    private func pump(_ file: FileDescriptor, to copy: FileDescriptor, upTo end: Int64, _ state: inout State) throws {
        let buffer = TransferBuffer(count: Int(min(Int64(LocalReader.piece), end - state.offset)))
        while state.offset < end {
            try flag.check()
            let part = buffer.first(Int(min(Int64(buffer.bytes.count), end - state.offset)))
            let count = try file.read(into: part, at: state.offset, path: source.path)
            if count == 0 {
                state.isAtEnd = true
                return
            }
            try copy.write(UnsafeRawBufferPointer(rebasing: part[..<count]), at: state.offset, path: target.path)
            try advance(by: Int64(count), copy: copy, state: &state)
        }
    }

    // MARK: The disk

    /// Starts the disk on every piece, and waits if it is too far behind. The kernel gathers small files itself.
    private func advance(by count: Int64, copy: FileDescriptor, state: inout State) throws {
        state.offset += count
        progress.advance(by: count)
        guard state.offset - state.started >= Self.piece else { return }
        _ = carrel_start_writeback(copy.raw, state.started, state.offset - state.started)
        state.started = state.offset
        while state.started - state.written > Self.window {
            try flag.check()
            let count = min(Self.piece, state.started - state.written)
            // This call takes the disk's errors away from fsync(2), so they have to be reported here.
            if carrel_finish_writeback(copy.raw, state.written, count) != 0, [EIO, ENOSPC, EDQUOT].contains(errno) {
                throw target.error()
            }
            state.written += count
        }
    }
}
