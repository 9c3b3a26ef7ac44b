import Foundation

/// Reads the elements of a message and skips those that the caller doesn't read.
final class MessageReader {
    typealias Tag = MessageScanner.Tag

    let fileName: String
    let limits: MessageLimits
    private var scanner: MessageScanner
    private(set) var notes = MessageNotes()

    /// - Throws: ``MessageFailure``.
    init(_ data: Data, limit: Int, fileName: String, coding: MessageCoding) throws {
        self.fileName = fileName
        limits = coding.limits
        scanner = try MessageScanner(
            MessageBytes(data, limit: limit, fileName: fileName), fileName: fileName, limits: coding.limits,
            readsLegacyForms: coding.readsLegacyForms)
    }

    /// Returns the first element, which must have this name.
    func root(_ name: String) throws -> Tag {
        while true {
            guard case .start(let tag) = try scanner.next() else { continue }
            guard tag.name == name else {
                throw malformed("it begins with “\(StagedName.shown(tag.name))” and not with “\(name)”")
            }
            notes.timestampText = tag["timestamp"]
            return tag
        }
    }

    /// Calls `body` for each child of the open element, whether it reads the child or not, and consumes the end of the
    /// open element.
    func eachChild(_ body: (Tag) throws -> Void) throws {
        while true {
            switch try scanner.next() {
            case .start(let tag):
                let depth = scanner.open.count
                try body(tag)
                try leave(depth)
            case .text: continue
            case .end, .finished: return
            }
        }
    }

    /// Returns the text directly inside the open element, up to its end.
    func text() throws -> String {
        let depth = scanner.open.count
        var text: [UInt8] = []
        while scanner.open.count >= depth {
            if case .text(let more) = try scanner.next(keepsText: scanner.open.count == depth) {
                // Most texts consist of one piece, which is not copied.
                if text.isEmpty { text = more } else { text.append(contentsOf: more) }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the texts of the children called `name` of the open element.
    func texts(of name: String) throws -> [String] {
        var texts: [String] = []
        try eachChild { if $0.name == name { texts.append(try text()) } }
        return texts
    }

    /// Reads to the end of the message.
    /// - Returns: The notes about the message.
    func finish() throws -> MessageNotes {
        while true {
            if case .finished = try scanner.next() { break }
        }
        for sentence in scanner.mended.sentences { warn(sentence) }
        return notes
    }

    private func leave(_ depth: Int) throws {
        while scanner.open.count >= depth { _ = try scanner.next() }
    }

    func warn(_ sentence: String) { notes.warn(sentence) }

    func malformed(_ reason: String) -> MessageFailure {
        MessageFailure(.malformed, fileName: fileName, reason: reason + ".")
    }

    func hostile(_ reason: String) -> MessageFailure {
        MessageFailure(.hostile, fileName: fileName, reason: reason + ".")
    }
}

// MARK: Values

extension MessageReader {
    /// Returns the time at which the message was written, if its root has a usable timestamp.
    func timestamp(of tag: Tag) -> Double? {
        guard let text = tag["timestamp"] else { return nil }
        let value = MessageNumber.timestamp(text).map(MessageNumber.rounded)
        if value == nil { warn("The timestamp “\(StagedName.shown(text))” is not a valid time.") }
        return value
    }

    /// Returns an attribute's value `yes` or `true`, or their opposites; `nil` if it is missing or has another value.
    func flag(_ name: String, of tag: Tag) -> Bool? {
        guard let text = tag[name] else { return nil }
        let value = MessageValue.flag(text)
        if value == nil { warn("“\(name)” is neither yes nor no: “\(StagedName.shown(text))”.") }
        return value
    }

    /// Returns an attribute's value as parsed by `read`; `nil` if it is missing or can't be parsed.
    func value<Value>(_ name: String, of tag: Tag, _ read: (String) -> Value?) -> Value? {
        guard let text = tag[name] else { return nil }
        let value = read(text)
        if value == nil { warn("“\(name)” was not changed, because “\(StagedName.shown(text))” cannot be read.") }
        return value
    }
}
