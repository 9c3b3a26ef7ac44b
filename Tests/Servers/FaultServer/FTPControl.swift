import Foundation

/// A control connection: lines in, replies out.
final class FTPControl {
    private static let maxLength = 65_536
    private static let escape: UInt8 = 255

    let socket: FTPSocket
    private var buffer: [UInt8] = []
    private(set) var isOver = false

    init(_ socket: FTPSocket) { self.socket = socket }

    // MARK: In

    /// What came and was not taken as a line yet.
    var pending: [UInt8] { buffer }

    /// Whether there is room for more without a line being taken.
    var isFull: Bool { buffer.count >= Self.maxLength }

    /// Takes what has come, without waiting.
    func drain() {
        while !isOver && !isFull, fill(waits: false) {}
    }

    /// Forgets what has come.
    func dropPending() {
        drain()
        buffer = []
    }

    /// The next line with its end; nil when the client has gone or says more than a line may have.
    func line() -> [UInt8]? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeFirst(end + 1) }
                return Array(buffer[...end])
            }
            if isFull || isOver || !fill(waits: true) && isOver { return nil }
        }
    }

    /// Takes whatever comes next; false when the client has gone.
    func skipSomething() -> Bool {
        while buffer.isEmpty && !isOver { _ = fill(waits: true) }
        defer { buffer = [] }
        return !buffer.isEmpty
    }

    private func fill(waits: Bool) -> Bool {
        switch socket.receive(waits: waits) {
        case .bytes(let data): buffer += data
        case .nothing: return false
        case .end, .lost:
            isOver = true
            return false
        }
        return true
    }

    /// Waits without reading; false when the client goes before that.
    func wait(_ seconds: Double) -> Bool { !poll(FTPSocket.hangUp, seconds) }

    /// Whether something is there, the end too, or comes in time.
    func hasInput(within seconds: Double) -> Bool { !buffer.isEmpty || poll(Int16(POLLIN), seconds) }

    private func poll(_ events: Int16, _ seconds: Double) -> Bool {
        var entry = pollfd(fd: socket.descriptor, events: events, revents: 0)
        return Foundation.poll(&entry, 1, FTPSocket.milliseconds(seconds)) != 0
    }

    /// Whether `ABOR` waits, with or without Telnet's signals in front.
    ///
    /// The signals alone count as well: the command is on its way.
    var hasAbort: Bool {
        buffer.first == Self.escape
            || buffer.split(separator: UInt8(ascii: "\n")).contains { line in
                String(decoding: Self.unescaped(Array(line)).bytes, as: UTF8.self).uppercased() == "ABOR"
            }
    }

    /// A line without its end and without Telnet's escapes (RFC 854), and what was wrong with it.
    static func unescaped(_ line: [UInt8]) -> (bytes: [UInt8], faults: [String]) {
        var faults: [String] = []
        var rest = line[...]
        if rest.last == UInt8(ascii: "\n") {
            rest.removeLast()
            if rest.last != UInt8(ascii: "\r") { faults.append("LF without CR") }
        }
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        if rest.contains(UInt8(ascii: "\r")) { faults.append("CR inside a command") }
        if rest.contains(0) { faults.append("NUL inside a command") }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == escape else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case escape: bytes.append(escape)
            case .some(241...250): break  // A Telnet command of two bytes, such as "Interrupt Process" before ABOR.
            case .some(251...254): _ = rest.popFirst()
            default: faults.append("byte 255 not doubled")
            }
        }
        return (bytes, faults)
    }

    // MARK: Out

    /// Each byte apart when there is a pace; false when the client has gone.
    func send(_ data: Data, pace: Double?) -> Bool {
        guard let pace else { return socket.sendAll(data) }
        for byte in data {
            guard socket.sendAll(Data([byte])) else { return false }
            if pace > 0 && !wait(pace) { return false }
        }
        return true
    }
}

/// A reply's text, of one or more lines, without the last end of line.
struct FTPReply: ExpressibleByStringInterpolation {
    let lines: [Data]

    init(_ bytes: Data) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            Data(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
        }
        if lines.count > 1 && lines.last?.isEmpty == true { lines.removeLast() }
        self.lines = lines
    }

    init(_ text: String) { self.init(Data(text.utf8)) }

    init(stringLiteral text: String) { self.init(text) }

    /// The first digit says what kind it is (RFC 959, section 4.2).
    var isRefusal: Bool { [UInt8(ascii: "4"), UInt8(ascii: "5")].contains(lines[0].first) }

    /// With more lines inside where there is only one.
    func with(_ inner: [String]) -> [Data] {
        guard lines.count == 1, !inner.isEmpty, lines[0].count > 3 else { return lines }
        let code = String(decoding: lines[0].prefix(3), as: UTF8.self)
        let first = lines[0].prefix(3) + Data("-".utf8) + lines[0].dropFirst(4)
        return [first] + inner.map { Data($0.replacing("{code}", with: code).utf8) } + lines
    }
}
