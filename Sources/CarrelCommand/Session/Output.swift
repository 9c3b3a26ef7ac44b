import Carrel
import Foundation
import LCP
import OPDSClient

/// Standard output and error. Standard output is buffered until there are enough bytes, or to the end.
final class Output: Sendable {
    private let pending = LockedValue<[UInt8]>([])

    /// Writes one line of text, without characters that would control a terminal or break the line.
    func line(_ text: String) throws { try add((text.onOneLine + "\n").utf8) }

    /// Writes one line of texts separated by tabs.
    func fields(_ texts: [String]) throws { try add((texts.map(\.onOneLine).joined(separator: "\t") + "\n").utf8) }

    /// Writes one JSON document, or one line of several.
    func json(_ value: some Encodable) throws { try add(Self.encoded(value) + Data("\n".utf8)) }

    func json(_ value: JSONValue) throws { try add(value.data + Data("\n".utf8)) }

    /// Writes an item as one JSON document, or one line of several.
    func json(_ item: ShownItem) throws {
        var line: [UInt8] = []
        item.put(into: &line)
        line.append(UInt8(ascii: "\n"))
        try add(line)
    }

    /// Writes bytes unchanged: part of a line, or of a JSON document.
    func bytes(_ bytes: some Collection<UInt8>) throws { try add(bytes) }

    /// Writes an element of the array called `name`, with which a JSON document begins.
    func element(_ value: some Encodable, isFirst: Bool, of name: String) throws {
        try add(Data((isFirst ? "{\"\(name)\":[" : ",").utf8) + Self.encoded(value))
    }

    /// Ends the array called `name` and the document, with the members of `value`, an object with at least one.
    func endDocument(_ value: some Encodable, after name: String, isEmpty: Bool) throws {
        try add(Data((isEmpty ? "{\"\(name)\":[]," : "],").utf8) + Self.encoded(value).dropFirst() + Data("\n".utf8))
    }

    /// Returns a value as JSON on one line.
    static func encoded(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    private func add(_ bytes: some Collection<UInt8>) throws {
        let full = pending.update { pending in
            pending += bytes
            return pending.count > 1 << 16
        }
        if full { try flush() }
    }

    /// - Throws: A closed pipe, which ends the command quietly, or the system's error.
    func flush() throws {
        let bytes = pending.update { pending in
            defer { pending = [] }
            return pending
        }
        try bytes.withUnsafeBytes { try Self.write($0) }
    }

    static func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard let code = writeAll(bytes, to: STDOUT_FILENO) else { return }
        if code == EPIPE { throw CommandFailure(status: .closedPipe, sentence: "The pipe was closed.") }
        throw CommandFailure(
            status: .failed, sentence: "Standard output cannot be written: \(String(cString: strerror(code))).")
    }

    /// - Returns: The value of `errno`, or `nil` if everything was written.
    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Int32? {
        var rest = bytes
        while let base = rest.baseAddress, !rest.isEmpty {
            let count = Foundation.write(file, base, rest.count)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }

    func printError(_ error: any Error) {
        struct ShownResult: Encodable {
            var domain: String
            var code: Int
            var path: String?
            var message: String
            var underlying: String?
        }
        // The problem of a licence, or of a catalogue's login, is shown by Foundation's error below it, which has a code.
        let bridged = ((error as? LCPProblem)?.underlying ?? (error as? LoginRequired)?.underlying ?? error) as NSError
        // Foundation knows neither the kind nor the cause of a driver's error.
        let driver = error as? DriverError
        let cause = (bridged.userInfo[NSUnderlyingErrorKey] as? any Error) ?? driver?.underlying
        let underlying = cause.map {
            "\(($0 as NSError).domain) \(($0 as NSError).code): \($0.sentence)"
        }
        let shown = ShownResult(
            domain: bridged.domain, code: driver?.shownCode ?? bridged.code,
            path: bridged.userInfo[NSFilePathErrorKey] as? String,
            message: error.sentence, underlying: underlying)
        // The error is already on standard error, so a failure to print it here is ignored.
        try? json(["error": shown])
        try? flush()
    }

    /// Writes one line to standard error. A closed standard error is not a failure.
    static func standardError(_ text: String) { rawStandardError(text.onOneLine + "\n") }

    /// Writes text that may control a terminal, such as the progress bar's.
    static func rawStandardError(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes { writeAll($0, to: STDERR_FILENO) }
    }
}
