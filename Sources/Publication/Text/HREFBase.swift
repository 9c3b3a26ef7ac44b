/// The place of a document in a publication's container, to which the references in it are relative
/// (EPUB 3.3, sections 4.2.3 and 4.2.5).
struct HREFBase: Hashable, Sendable {
    /// The folders above the document, decoded.
    let folders: [String]

    /// The root, to which references in META-INF are relative.
    static let root = HREFBase(folders: [])

    /// Returns the folder of the document at `href`, which ``resolve(_:)`` returned.
    static func folder(of href: String) -> HREFBase {
        HREFBase(folders: resource(of: href).split(separator: "/").dropLast().map { HREF.decoded($0) })
    }

    /// Returns the address that `reference` means: relative to the container's root and percent-encoded, or the web
    /// address itself.
    ///
    /// Ignores white space around it. Backslashes count as slashes, and a `%` that encodes nothing as itself, because
    /// books contain them.
    /// - Returns: Nil if it is empty, leads out of the container, or has another scheme than `http` and `https`.
    func resolve(_ reference: String) -> String? {
        let reference = MarkupText.trimmed(reference)
        guard !reference.isEmpty else { return nil }
        if let scheme = HREF.scheme(of: reference) {
            return scheme == "http" || scheme == "https" ? HREF.encoded(reference, .whole) : nil
        }
        let suffixStart =
            reference.utf8.firstIndex { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "?") } ?? reference.endIndex
        guard let path = path(String(reference[..<suffixStart])) else { return nil }
        return path + HREF.encoded(String(reference[suffixStart...]), .whole)
    }

    /// Whether an address that ``resolve(_:)`` returned is outside the container, on the web.
    static func isRemote(_ href: String) -> Bool { HREF.scheme(of: href) != nil }

    /// `href` without its query and fragment.
    static func resource(of href: String) -> String {
        isRemote(href) ? String(href.prefix { $0 != "#" }) : String(href.prefix { $0 != "#" && $0 != "?" })
    }

    /// Returns the path that `reference` is if nothing in it is encoded; nil if it leads out of the container.
    func literal(_ reference: String) -> String? {
        var parts = reference.hasPrefix("/") ? [] : folders
        for part in reference.utf8.split(whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) {
            switch String(Substring(part)) {
            case ".": continue
            case "..": if parts.popLast() == nil { return nil }
            case let name: parts.append(name)
            }
        }
        guard parts.reduce(0, { $0 + $1.utf8.count + 1 }) <= 8 << 10 else { return nil }
        return parts.isEmpty ? nil : parts.joined(separator: "/")
    }

    /// Nil for folders too, and for the document itself, which is not known here.
    private func path(_ text: String) -> String? {
        let slashed = text.utf8.contains(UInt8(ascii: "\\")) ? text.replacing("\\", with: "/") : text
        guard !slashed.hasPrefix("//") else { return nil }
        var parts = slashed.hasPrefix("/") ? [] : folders
        var endsInName = false
        // By bytes: a combining mark after a slash must not hide it.
        for part in slashed.utf8.split(separator: UInt8(ascii: "/")) {
            let name = HREF.decoded(Substring(part))
            endsInName = name != "." && name != ".."
            switch name {
            case ".": continue
            case "..": if parts.popLast() == nil { return nil }
            default:
                guard HREF.isName(name) else { return nil }
                parts.append(name)
            }
        }
        // No file system has longer ones; a book that repeats a long folder in each of its links would fill the memory.
        guard endsInName, !slashed.hasSuffix("/"), parts.reduce(0, { $0 + $1.utf8.count + 1 }) <= 8 << 10 else {
            return nil
        }
        return parts.map { HREF.encoded($0, .name) }.joined(separator: "/")
    }
}
