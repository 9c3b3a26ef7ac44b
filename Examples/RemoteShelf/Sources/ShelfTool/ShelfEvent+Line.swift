import Carrel
import Shelf

extension ShelfEvent {
    /// The event in a line.
    var line: String {
        switch self {
        case .added(let book): "added \(book.path): \(book.line)"
        case .changed(let book): "changed \(book.path): \(book.line)"
        case .moved(let book, let from): "moved \(from) -> \(book.path)"
        case .removed(_, let path): "removed \(path)"
        case .refused(let file): "refused \(file.path): \(file.sentence)"
        case .postponed(let path, let sentence): "postponed \(path): \(sentence)"
        case .interrupted(let location, let sentence): "interrupted \(location): \(sentence)"
        case .resumed(let location): "resumed \(location)"
        case .withheld(let location, let count): "withheld \(location): \(count) books are missing and stay for now"
        }
    }
}

extension ShelfBook {
    /// Title and authors.
    fileprivate var line: String {
        let authors = metadata.authors.map(\.name.string).joined(separator: ", ")
        return metadata.title.string + (authors.isEmpty ? "" : " by \(authors)")
    }
}

extension String {
    /// One line of bearable length without what would steer a terminal: control characters and changes of direction
    /// (UAX #9).
    var plain: String {
        let scalars = unicodeScalars.prefix(2000).map { scalar in
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: "?" as Unicode.Scalar
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
