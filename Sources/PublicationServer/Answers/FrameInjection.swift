import FileProviderCore
import Foundation
import Publication
import Synchronization

/// Where the page's script goes in a chapter: right behind the start tag of `head`, or else of `html` or `body`, so that
/// it runs before anything of the chapter does.
struct FrameInjection: Sendable {
    /// The place is looked for in the first 64 KiB.
    static let window = 64 << 10

    /// How the bytes of a document stand for characters.
    private enum Encoding {
        /// An encoding in which markup is ASCII.
        case ascii
        case utf16(isBigEndian: Bool)
    }

    /// Whether browsers parse the document as XML.
    let isXML: Bool

    enum Place: Equatable {
        /// Behind so many bytes, with the script in the document's encoding.
        case found(Int, script: Data)
        /// More of the document has to be seen.
        case open
        /// There is none: a document without a root, or in an encoding in which markup is not ASCII.
        case none
    }

    /// - Parameters:
    ///   - start: The first bytes of the document.
    ///   - isAll: Whether no further ones are looked at.
    func place(in start: Data, isAll: Bool) -> Place {
        if start.count < 4, !isAll { return .open }
        let bytes = Array(start)
        guard let encoding = Self.encoding(of: bytes) else { return .none }
        switch encoding {
        case .ascii:
            let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            return place(in: Array(bytes.dropFirst(mark)), isAll: isAll, behind: mark, width: 1) { Data($0.utf8) }
        case .utf16(let isBigEndian):
            let units = Self.units(of: bytes, isBigEndian: isBigEndian)
            let mark = units.first == 0xFEFF ? 1 : 0
            // Markup is ASCII; one byte for each unit keeps the places.
            let shadow = units.dropFirst(mark).map { $0 < 0x80 ? UInt8($0) : 0x80 }
            return place(in: shadow, isAll: isAll, behind: mark, width: 2) { Self.utf16($0, isBigEndian: isBigEndian) }
        }
    }

    private func place(
        in markup: [UInt8], isAll: Bool, behind mark: Int, width: Int, spelt: (String) -> Data
    ) -> Place {
        switch offset(in: markup, isAll: isAll) {
        case .found(let offset):
            .found((mark + offset) * width, script: spelt(isXML ? FrameScript.xhtml : FrameScript.html))
        case .open: .open
        case .none: .none
        }
    }

    // MARK: Markup

    private enum Offset {
        case found(Int)
        case open
        case none
    }

    private func offset(in markup: [UInt8], isAll: Bool) -> Offset {
        var scanner = HTMLScanner(markup, isXML: isXML)
        /// The offset behind everything before the first tag.
        var start = 0
        var root: Int?
        while let found = scanner.next() {
            switch found {
            case .declaration(let end): if root == nil { start = end }
            case .end: break
            case .start(let tag):
                switch tag.name.split(separator: ":").last ?? "" {
                case "html" where !(isXML && tag.isSelfClosing): root = root ?? tag.range.upperBound
                case "head" where root != nil || !isXML: return .found(tag.range.upperBound)
                case "body" where root == nil && !isXML: return .found(tag.range.upperBound)
                default: return last(root, start)
                }
            }
        }
        return isAll ? last(root, start) : .open
    }

    /// HTML may leave out all tags; XML without `html` is no chapter.
    private func last(_ root: Int?, _ start: Int) -> Offset {
        if let root { return .found(root) }
        return isXML ? .none : .found(start)
    }

    // MARK: Encodings

    /// By the byte order mark, or a first character `<` of two bytes; nil for UTF-32.
    private static func encoding(of bytes: [UInt8]) -> Encoding? {
        let start = Array(bytes.prefix(4))
        if start == [0xFF, 0xFE, 0, 0] || start == [0, 0, 0xFE, 0xFF] || start.filter({ $0 == 0 }).count > 2 {
            return nil
        }
        if start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0, 0x3C]) { return .utf16(isBigEndian: true) }
        if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0x3C, 0]) { return .utf16(isBigEndian: false) }
        return .ascii
    }

    private static func utf16(_ text: String, isBigEndian: Bool) -> Data {
        var data = Data(capacity: 2 * text.utf8.count)
        for unit in text.utf16 {
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            data.append(isBigEndian ? high : low)
            data.append(isBigEndian ? low : high)
        }
        return data
    }

    private static func units(of bytes: [UInt8], isBigEndian: Bool) -> [UInt16] {
        stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
    }
}

/// Passes a document on, with the page's script in it. Holds back the bytes before the script's place.
final class FrameInjectionSink: ByteSink {
    private enum Stage {
        /// - Parameter next: How many bytes have to be there before the place is looked for again.
        case searching(Data, next: Int)
        case passing
    }

    private let base: any ByteSink
    private let injection: FrameInjection
    private let stage = Mutex(Stage.searching(Data(), next: 1024))

    /// - Parameter base: Receives no announcement.
    init(_ base: any ByteSink, _ injection: FrameInjection) {
        self.base = base
        self.injection = injection
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        // Calls are sequential, so the base need not be called under the lock.
        guard let held = take(bytes) else { return try base.write(bytes) }
        return held.isEmpty ? .ready : try held.withUnsafeBytes { try base.write($0) }
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }

    /// Sends what is held back still. Call it after the last byte.
    func finish() async throws {
        let rest = stage.withLock { stage -> Data in
            guard case .searching(let data, _) = stage else { return Data() }
            stage = .passing
            return injection.inserting(into: data, isAll: true) ?? data
        }
        if !rest.isEmpty { try await base.send(rest) }
    }

    /// Returns what goes out now; nil for `bytes` themselves.
    private func take(_ bytes: UnsafeRawBufferPointer) -> Data? {
        stage.withLock { stage -> Data? in
            guard case .searching(var data, let next) = stage else { return nil }
            data.append(contentsOf: bytes)
            let isAll = data.count >= FrameInjection.window
            guard isAll || data.count >= next else {
                stage = .searching(data, next: next)
                return Data()
            }
            guard let changed = injection.inserting(into: data, isAll: isAll) else {
                stage = .searching(data, next: 2 * data.count)
                return Data()
            }
            stage = .passing
            return changed
        }
    }
}

extension FrameInjection {
    /// Returns the document's start with the script, or as it is if there is no place; nil if more has to be seen.
    fileprivate func inserting(into start: Data, isAll: Bool) -> Data? {
        let window = isAll ? start.prefix(Self.window) : start
        switch place(in: window, isAll: isAll) {
        case .open: return nil
        case .none: return start
        case .found(let offset, let script): return start.prefix(offset) + script + start.dropFirst(offset)
        }
    }
}
