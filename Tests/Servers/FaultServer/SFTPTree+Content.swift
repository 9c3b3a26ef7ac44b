import Foundation

/// The bytes of a file: what was written, in pages, over a pattern or over zeros that take no memory.
struct SFTPTreeContent: Sendable {
    private enum Page {
        case bytes([UInt8])
        /// A whole page of the pattern, so that an upload of it takes no memory either.
        case pattern
    }

    private static let pageSize = 65_536

    private(set) var size = 0
    /// Below it a page that is not stored is the pattern, behind it zeros.
    private var patternSize = 0
    private var pages: [Int: Page] = [:]

    init(_ data: Data = Data()) { write(Array(data), at: 0) }

    init(patternOf size: Int) {
        self.size = size
        patternSize = size
    }

    /// Fewer at the end of the file.
    func read(at offset: Int, count: Int) -> [UInt8] {
        let end = offset > size ? offset : min(size, offset + min(count, size))
        var result: [UInt8] = []
        result.reserveCapacity(end - offset)
        var position = offset
        while position < end {
            let index = position / Self.pageSize
            let start = index * Self.pageSize
            let last = min(end, start + Self.pageSize)
            if pages[index] == nil, last <= patternSize {
                result += SFTPTree.pattern(at: position, count: last - position)
            } else {
                result += page(index)[(position - start)..<(last - start)]
            }
            position = last
        }
        return result
    }

    /// As `pwrite` does: a gap becomes zeros, what is behind stays.
    mutating func write(_ bytes: [UInt8], at offset: Int) {
        if bytes.isEmpty { return }
        size = max(size, offset + bytes.count)
        var position = offset
        while position < offset + bytes.count {
            let index = position / Self.pageSize
            let start = index * Self.pageSize
            let last = min(offset + bytes.count, start + Self.pageSize)
            var page = last - position == Self.pageSize ? [UInt8](repeating: 0, count: Self.pageSize) : takePage(index)
            if page.count < last - start { page += [UInt8](repeating: 0, count: last - start - page.count) }
            page.withUnsafeMutableBytes { page in
                bytes.withUnsafeBytes { bytes in
                    UnsafeMutableRawBufferPointer(rebasing: page[(position - start)..<(last - start)])
                        .copyMemory(
                            from: UnsafeRawBufferPointer(rebasing: bytes[(position - offset)..<(last - offset)]))
                }
            }
            store(page, as: index)
            position = last
        }
    }

    mutating func truncate(to newSize: Int) {
        guard newSize < size else {
            size = newSize
            return
        }
        let index = newSize / Self.pageSize
        let rest = Array(page(index).prefix(newSize - index * Self.pageSize))
        pages = pages.filter { $0.key < index }
        patternSize = min(patternSize, index * Self.pageSize)
        if !rest.isEmpty { pages[index] = .bytes(rest) }
        size = newSize
    }

    /// As much of a page as the file has.
    private func page(_ index: Int) -> [UInt8] {
        let start = index * Self.pageSize
        let count = max(0, min(Self.pageSize, size - start))
        var bytes: [UInt8]
        switch pages[index] {
        case .bytes(let stored)?: bytes = stored
        case .pattern?: bytes = SFTPTree.pattern(at: start, count: count)
        case nil: bytes = SFTPTree.pattern(at: start, count: max(0, min(count, patternSize - start)))
        }
        if bytes.count < count { bytes += [UInt8](repeating: 0, count: count - bytes.count) }
        return bytes
    }

    /// Takes stored bytes out, so that they are changed where they are.
    private mutating func takePage(_ index: Int) -> [UInt8] {
        if case .bytes(let stored)? = pages[index] {
            pages[index] = nil
            return stored
        }
        return page(index)
    }

    private mutating func store(_ bytes: [UInt8], as index: Int) {
        let isPattern =
            bytes.count == Self.pageSize
            && SFTPTree.pattern(at: index * Self.pageSize, count: bytes.count).withUnsafeBytes { expected in
                bytes.withUnsafeBytes { expected.elementsEqualInMemory($0) }
            }
        pages[index] = isPattern ? .pattern : .bytes(bytes)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both hold the same bytes.
    func elementsEqualInMemory(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let mine = baseAddress, let theirs = other.baseAddress else { return true }
        return memcmp(mine, theirs, count) == 0
    }
}

extension SFTPTree {
    /// As long as a prime number, so that no block size comes round to where it was.
    private static let table: [UInt8] = {
        var state: UInt32 = 0x9E37_79B9
        return (0..<65_537).map { _ in
            state ^= state << 13
            state ^= state >> 17
            state ^= state << 5
            return UInt8(truncatingIfNeeded: state >> 11)
        }
    }()

    /// The pattern's bytes from there on.
    static func pattern(at offset: Int, count: Int) -> [UInt8] {
        if count == 0 { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let start = (offset + filled) % table.count
                let piece = min(count - filled, table.count - start)
                table.withUnsafeBytes { source in
                    guard let from = source.baseAddress, let to = buffer.baseAddress else { return }
                    memcpy(to + filled, from + start, piece)
                }
                filled += piece
            }
        }
    }
}
