import Carrel
import Foundation

/// Standard output and error. Bytes wait until there are enough of them, or for the end.
final class Output: Sendable {
    let isJSON: Bool
    private let pending = Locked(Data())

    init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    /// One line of text. What a name could do to a terminal is taken out of it there.
    func line(_ text: String) throws {
        let isTerminal = isatty(1) == 1
        let shown = isTerminal ? String(text.map { $0.unicodeScalars.contains { $0.value < 32 || $0.value == 127 } ? "?" : $0 }) : text
        try add(Data((shown + "\n").utf8))
    }

    /// One JSON document, or one line of several.
    func json(_ value: some Encodable) throws { try add(Self.encoder.encode(value) + Data("\n".utf8)) }

    func json(_ value: JSONValue) throws { try add(value.data + Data("\n".utf8)) }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    private func add(_ data: Data) throws {
        let full = pending.update { pending in
            pending += data
            return pending.count > 1 << 16
        }
        if full { try flush() }
    }

    /// - Throws: A closed pipe, which ends the command quietly, or the system's error.
    func flush() throws {
        let data = pending.update { pending in
            defer { pending = Data() }
            return pending
        }
        try data.withUnsafeBytes { try Self.write($0) }
    }

    static func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while let base = rest.baseAddress, !rest.isEmpty {
            let count = Foundation.write(1, base, rest.count)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno == EPIPE {
                throw CommandFailure(status: .closedPipe, sentence: "The pipe was closed.")
            } else if errno != EINTR {
                throw FileError.make(errno: errno, path: .root, writing: true)
            }
        }
    }

    func printError(_ error: any Error) {
        struct Shown: Encodable {
            var domain: String
            var code: Int
            var path: String?
            var message: String
            var underlying: String?
        }
        let bridged = error as NSError
        let underlying = (bridged.userInfo[NSUnderlyingErrorKey] as? any Error).map { "\(($0 as NSError).domain) \(($0 as NSError).code): \($0.sentence)" }
        let shown = Shown(
            domain: bridged.domain, code: bridged.code, path: bridged.userInfo[NSFilePathErrorKey] as? String, message: error.sentence,
            underlying: underlying)
        // The error itself stands on standard error already; nothing is left to do when this cannot be printed.
        try? json(["error": shown])
        try? flush()
    }

    static func standardError(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
