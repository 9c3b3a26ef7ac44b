import Foundation

/// Goes through the elements of a message; what nobody asks for is passed over.
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

    /// The first element, which has to have this name.
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

    /// Calls `body` for each element directly inside the open one, which it reads or not, and goes over the end of the
    /// open one.
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

    /// The text directly inside the open element, up to its end.
    func text() throws -> String {
        let depth = scanner.open.count
        var text: [UInt8] = []
        while scanner.open.count >= depth {
            if case .text(let more) = try scanner.next(keepsText: scanner.open.count == depth) {
                // Most texts are in one piece, which is not copied.
                if text.isEmpty { text = more } else { text.append(contentsOf: more) }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The texts of the elements called `name` directly inside the open one.
    func texts(of name: String) throws -> [String] {
        var texts: [String] = []
        try eachChild { if $0.name == name { texts.append(try text()) } }
        return texts
    }

    /// Reads to the end of the message.
    /// - Returns: What was noticed in it.
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
    /// When the message was written, if its root says so in a usable way.
    func timestamp(of tag: Tag) -> Double? {
        guard let text = tag["timestamp"] else { return nil }
        let value = MessageNumber.timestamp(text).map(MessageNumber.rounded)
        if value == nil { warn("The timestamp “\(StagedName.shown(text))” is none.") }
        return value
    }

    /// What an attribute says by `yes` or `true`, or by their opposites; nil where it is missing or says something
    /// else.
    func flag(_ name: String, of tag: Tag) -> Bool? {
        guard let text = tag[name] else { return nil }
        let value = MessageValue.flag(text)
        if value == nil { warn("“\(name)” is neither yes nor no: “\(StagedName.shown(text))”.") }
        return value
    }

    /// What an attribute says, in the form that `read` gives it; nil where it is missing or `read` does not know it.
    func value<Value>(_ name: String, of tag: Tag, _ read: (String) -> Value?) -> Value? {
        guard let text = tag[name] else { return nil }
        let value = read(text)
        if value == nil { warn("“\(name)” is left as it was, because “\(StagedName.shown(text))” cannot be read.") }
        return value
    }
}
