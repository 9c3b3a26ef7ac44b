import FileProviderCore
import Foundation

/// Parses a listing as it arrives, in pieces that may be cut anywhere.
///
/// Returns no name that could lead out of the folder (``FTPEntry/isName(_:)``). Counts such names, and lines that
/// cannot be read, so that the caller can report what is missing from the listing.
protocol FTPListing: Sendable {
    /// The incomplete line at the end of the last piece.
    var lines: FTPLines { get set }
    /// The lines that could not be read.
    var unreadable: FTPUnreadableLines { get set }
    /// The items that are left out because no path can hold their names.
    var unusable: UnusableNames { get set }

    /// Reads a line, given without its end.
    mutating func read(_ line: Span<UInt8>) -> FTPLineContent
    /// Called after the last line.
    mutating func readEnd()
}

/// What is in a line of a listing.
enum FTPLineContent {
    case entry(FTPEntry)
    /// A heading, a sum, an empty line.
    case noEntry
    case unreadable
}

extension FTPListing {
    mutating func readEnd() {}

    /// The entries of the lines that end in `bytes`.
    ///
    /// - Throws: `URLError(.cannotParseResponse)` when a line is longer than ``FTPLines/maxLength``; the listing cannot
    ///   be read on.
    mutating func parse(_ bytes: UnsafeRawBufferPointer) throws -> [FTPEntry] {
        try entries { lines, body in try lines.take(bytes, each: body) }
    }

    /// The entry of a last line without an end.
    mutating func finish() throws -> [FTPEntry] {
        let entries = try entries { lines, body in try lines.finish(each: body) }
        readEnd()
        return entries
    }

    private mutating func entries(_ give: (inout FTPLines, (Span<UInt8>) -> Void) throws -> Void) throws -> [FTPEntry] {
        var found: [FTPEntry] = []
        // Taken out, for the lines are read by a method that changes `self`.
        var lines = self.lines
        self.lines = FTPLines()
        try give(&lines) { line in
            switch read(line) {
            case .noEntry: break
            case .unreadable: unreadable.add(line)
            case .entry(let entry):
                if entry.role != .item { break }
                switch FTPEntry.kind(ofName: entry.name, line) {
                case .usable: found.append(entry)
                // Every folder has these two.
                case .dots where entry.type != .regular && entry.type != .symbolicLink: break
                case .dots, .unusable: unusable.add(nameBytes: entry.name)
                case .cutOff: unreadable.add(line)
                }
            }
        }
        self.lines = lines
        return found
    }
}

/// Cuts a stream of bytes at its line ends, LF or CRLF.
struct FTPLines: Sendable {
    /// The longest line in bytes, its end not counted.
    static let maxLength = 64 << 10
    private var rest: [UInt8] = []

    /// Gives each line that ends in `bytes` to `each` and keeps what follows the last end.
    mutating func take(_ bytes: UnsafeRawBufferPointer, each: (Span<UInt8>) -> Void) throws {
        var remaining = bytes.bindMemory(to: UInt8.self)
        while let start = remaining.baseAddress, let end = memchr(start, 0x0A, remaining.count) {
            let length = UnsafeRawPointer(end) - UnsafeRawPointer(start)
            let piece = UnsafeBufferPointer(rebasing: remaining[..<length])
            remaining = UnsafeBufferPointer(rebasing: remaining[(length + 1)...])
            try Self.check(rest.count + length, end: 1)
            if rest.isEmpty {
                try give(piece.span, to: each)
            } else {
                rest += piece
                try give(rest.span, to: each)
                rest.removeAll(keepingCapacity: true)
            }
        }
        try Self.check(rest.count + remaining.count, end: 1)
        rest += remaining
    }

    /// Gives the last line to `each` where it has no end.
    mutating func finish(each: (Span<UInt8>) -> Void) throws {
        if !rest.isEmpty { try give(rest.span, to: each) }
        rest = []
    }

    private func give(_ line: Span<UInt8>, to each: (Span<UInt8>) -> Void) throws {
        let end = !line.isEmpty && line[line.count - 1] == UInt8(ascii: "\r") ? 1 : 0
        try Self.check(line.count, end: end)
        each(line.extracting(0..<line.count - end))
    }

    /// - Parameter end: The bytes of `length` that may belong to the end of the line.
    private static func check(_ length: Int, end: Int) throws {
        guard length > maxLength + end else { return }
        throw FileError.make(
            .cannotParseResponse, url: nil,
            sentence: "The server's listing has a line of more than \(maxLength) bytes, which is too long.")
    }
}

/// How many lines of a listing gave nothing and should have, and the first of them.
struct FTPUnreadableLines: Sendable, Hashable {
    private(set) var count = 0
    /// At most 200 bytes of it.
    private(set) var first: [UInt8] = []

    mutating func add(_ line: Span<UInt8>) {
        if count == 0 { first = line.bytes(0..<min(line.count, 200)) }
        count += 1
    }

    /// `URLError(.cannotParseResponse)` with a sentence that shows the first line; nil where there is none.
    func error(url: URL?) -> URLError? {
        guard count > 0 else { return nil }
        let shown = String(decoding: first.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
        return FileError.make(
            .cannotParseResponse, url: url,
            sentence:
                "The server's listing cannot be read: \(count == 1 ? "one line" : "\(count) lines"), first “\(shown)”.")
    }
}
