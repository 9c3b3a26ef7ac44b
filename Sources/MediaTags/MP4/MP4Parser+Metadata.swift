import FileProviderCore
import Foundation

extension MP4Parser {
    /// Reads chapters in `chpl`, tags in `meta`, and the texts of QuickTime beside them.
    mutating func readUserData(_ content: Range<Int64>) async throws {
        var position = content.lowerBound
        while let box = try await box(at: position, before: content.upperBound) {
            position = box.content.upperBound
            switch box.type {
            case "meta": try await readMetadata(box.content)
            case "chpl": try await readChapterList(box.content)
            case let type where type.hasPrefix("©"):
                // Length and language, two bytes each, then the text.
                guard let name = Self.names[type], box.content.count > 4 else { continue }
                let bytes = try await window.start(of: box.content, limit: MediaDescription.maxTextLength)
                description.add(name, bytes.big(0, 2).map { MediaText.guessed(bytes.dropFirst(4).prefix(Int($0))) })
            default: break
            }
        }
    }

    /// In QuickTime files `meta` is a plain box, elsewhere it begins with a version.
    mutating func readMetadata(_ content: Range<Int64>) async throws {
        guard content.count >= 8 else { return }
        let start = try await window.start(of: content, limit: 8)
        var position = content.lowerBound + (start.dropFirst(4).elementsEqual("hdlr".utf8) ? 0 : 4)
        while let box = try await box(at: position, before: content.upperBound) {
            position = box.content.upperBound
            if box.type == "ilst" { try await readItems(box.content) }
        }
    }

    private mutating func readItems(_ content: Range<Int64>) async throws {
        var position = content.lowerBound
        while let item = try await box(at: position, before: content.upperBound) {
            position = item.content.upperBound
            if item.type == "----" {
                try await readFreeItem(item.content)
            } else if item.type == "covr" || Self.names[item.type] != nil {
                try await readValues(of: item.type, content: item.content)
            }
        }
    }

    private mutating func readValues(of type: String, content: Range<Int64>) async throws {
        var position = content.lowerBound
        while let box = try await box(at: position, before: content.upperBound) {
            position = box.content.upperBound
            guard box.type == "data", box.content.count > 8 else { continue }
            let kind = try await window.bytes(box.content.lowerBound..<box.content.lowerBound + 4).big(1, 3) ?? 0
            let value = box.content.lowerBound + 8..<box.content.upperBound
            if type == "covr" {
                addCover(value, kind: kind)
            } else if value.count <= MediaDescription.maxTextLength, let name = Self.names[type] {
                description.add(
                    name,
                    Self.text(of: try await window.bytes(value), kind: kind, isPair: ["trkn", "disk"].contains(type)))
            }
        }
    }

    private mutating func addCover(_ value: Range<Int64>, kind: Int64) {
        let start = window.peek(value.lowerBound..<min(value.upperBound, value.lowerBound + 12))
        let type = start.flatMap { MediaPicture.mediaType(of: $0) } ?? Self.pictureTypes[kind]
        description.add(MediaPicture(.range(value), mediaType: type, isFrontCover: true))
    }

    /// Returns a value of the kind `kind`: 1 is UTF-8, 2 UTF-16, 21 and 22 are whole numbers. In a pair, the number is
    /// followed by the total.
    private static func text(of bytes: ArraySlice<UInt8>, kind: Int64, isPair: Bool) -> String? {
        if isPair {
            guard let number = bytes.big(2, 2), number > 0 else { return nil }
            let count = bytes.big(4, 2) ?? 0
            return count > 0 ? "\(number)/\(count)" : "\(number)"
        }
        switch kind {
        case 0, 1: return MediaText.guessed(bytes)
        case 2: return MediaText.utf16(bytes)
        case 21, 22: return bytes.count <= 8 ? bytes.big(0, bytes.count).map(String.init) : nil
        default: return nil
        }
    }

    /// Reads an item with a free-form name, such as `com.apple.iTunes` `NARRATOR`.
    private mutating func readFreeItem(_ content: Range<Int64>) async throws {
        var name: String?
        var position = content.lowerBound
        while let box = try await box(at: position, before: content.upperBound) {
            position = box.content.upperBound
            guard box.content.count <= MediaDescription.maxTextLength else { continue }
            if box.type == "name" { name = MediaText.guessed(try await window.bytes(box.content).dropFirst(4)) }
            guard box.type == "data", let name, box.content.count > 8 else { continue }
            let bytes = try await window.bytes(box.content)
            description.add(
                name.uppercased(), Self.text(of: bytes.dropFirst(8), kind: bytes.big(1, 3) ?? 0, isPair: false))
        }
    }

    /// Reads the list that Nero introduced: a count in one byte, then for each chapter its start in units of 100 ns,
    /// the length of its title in one byte, and the title. From version 1 on, four bytes precede the count.
    private mutating func readChapterList(_ content: Range<Int64>) async throws {
        let bytes = try await window.start(of: content, limit: 128 << 10)
        var offset = bytes.first == 0 ? 4 : 8
        guard let count = bytes.big(offset, 1) else { return }
        offset += 1
        var chapters: [MediaChapter] = []
        for _ in 0..<count {
            guard let start = bytes.big(offset, 8), let length = bytes.big(offset + 8, 1) else { break }
            let title = bytes.dropFirst(offset + 9).prefix(Int(length))
            chapters.append(MediaChapter(start: Double(start) / 10_000_000, title: MediaText.guessed(title)))
            offset += 9 + Int(length)
        }
        description.chapters = chapters.inOrder
    }

    private static let pictureTypes: [Int64: String] = [
        12: "image/gif", 13: "image/jpeg", 14: "image/png", 27: "image/bmp",
    ]

    private static let names = [
        "©nam": "TITLE", "©ART": "ARTIST", "aART": "ALBUMARTIST", "©alb": "ALBUM", "©wrt": "COMPOSER",
        "©nrt": "NARRATOR",
        "©aut": "AUTHOR", "©day": "DATE", "©gen": "GENRE", "©st3": "SUBTITLE", "desc": "DESCRIPTION",
        "ldes": "LONGDESCRIPTION",
        "©des": "DESCRIPTION", "©cmt": "COMMENT", "©pub": "PUBLISHER", "cprt": "COPYRIGHT", "©cpy": "COPYRIGHT",
        "trkn": "TRACKNUMBER",
        "disk": "DISCNUMBER", "sonm": "TITLESORT", "soal": "ALBUMSORT", "soar": "ARTISTSORT", "soaa": "ALBUMARTISTSORT",
        "©mvn": "SERIES", "©mvi": "SERIES-PART",
    ]
}
