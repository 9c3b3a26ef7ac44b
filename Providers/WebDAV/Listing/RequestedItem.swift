import FileProviderCore

/// Finds the responses of a multi-status that are the requested item, and those that are directly in it.
///
/// Servers write one path in many ways: with another host behind a proxy, other escapes, other case. In doubt, the href
/// of the item itself decides, because its path is known. A response that is neither the item nor in it is ignored: it
/// is no item, and is not removed.
struct RequestedItem {
    enum Location: Equatable {
        case itself
        /// In it, under this name.
        case child([UInt8])
        /// In it, under a name that no path can hold.
        case unusable([UInt8])
        case elsewhere
    }

    private let names: [[UInt8]]
    /// How many names the folder has that relative hrefs are counted from.
    private let folder: Int
    /// How many of the last names a proxy cannot have rewritten.
    private let kept: Int
    /// The item as the server names it; nil until it was seen.
    private var own: (names: [[UInt8]], isRewritten: Bool)?
    /// How the server writes its own address, where the item's href shows that it differs from this side's.
    private(set) var base: HrefBase?
    /// Whether the server leaves out the slash in front of its paths.
    private var isRootless = false
    /// Whether a question mark in an href belongs to a name, because the item's own href has no query; nil until that
    /// was seen.
    private var keepsQuery: Bool?
    /// Whether the item's own href ends in two slashes.
    private var endsTwice = false
    /// The common start of the hrefs of direct children, if they are written like the item's own.
    private var prefix: [UInt8]?
    private var isFirst = true
    /// The names that the listing has given so far.
    var listed = ListedNames()
    /// How the server encodes its hrefs, as far as is known.
    private(set) var encoding: HrefEncoding

    /// - Parameters:
    ///   - path: From the server's root on.
    ///   - isFolder: Whether the request's URL ended in a slash.
    ///   - kept: How many of the last names stay the same behind a proxy; 0 where even the last may be another.
    ///   - encoding: What other answers have taught.
    init(path: ProviderPath, isFolder: Bool, kept: Int, encoding: HrefEncoding) {
        names = path.components.map { Array($0) }
        folder = isFolder ? names.count : max(0, names.count - 1)
        self.kept = kept
        self.encoding = encoding
    }

    /// Whether the item itself was among the responses.
    var wasSeen: Bool { own != nil }
    /// Whether the server calls the item by another path than this side does.
    var isRewritten: Bool { own?.isRewritten == true }

    /// Whether the answer begins with another item and has nothing in this one: it may be about another folder.
    private(set) var isDoubtful = false

    /// Returns the place of the item of `response`.
    mutating func location(of response: DAVResponse) -> Location {
        let location = find(response)
        if location == .elsewhere, isFirst { isDoubtful = true }
        if case .child = location { isDoubtful = false }
        isFirst = false
        return location
    }

    private mutating func find(_ response: DAVResponse) -> Location {
        let href = WebDAVHref.withSlashes(response.href)[...]
        if let prefix, href.starts(with: prefix), let name = plainName(href.dropFirst(prefix.count)) {
            return .child(name)
        }
        let counted = isRootless ? nil : folder
        guard let taken = WebDAVHref(href, folder: counted, keepsQuery: keepsQuery ?? false) else { return .elsewhere }
        if taken.isHere {
            own = own ?? (names, false)
            keepsQuery = keepsQuery ?? !href.contains(UInt8(ascii: "?"))
            return .itself
        }
        if own == nil, recogniseAsWritten(href) || recognise(taken, href: href, isCollection: response.isCollection) {
            keepsQuery = keepsQuery ?? !href.contains(UInt8(ascii: "?"))
            endsTwice = href.suffix(2).elementsEqual("//".utf8)
            base = HrefBase(origin: WebDAVHref.origin(in: href), from: names, to: own?.names ?? names)
            return .itself
        }
        let base = own?.names ?? names
        guard let found = taken.decoded(encoding, in: names) ?? taken.decoded(.once, in: names) else {
            return taken.unusableName(encoding, in: names, below: base).map { .unusable($0) } ?? .elsewhere
        }
        if WebDAVHref.areAlike(found, base) {
            return own != nil && !endsTwice && href.suffix(2).elementsEqual("//".utf8) ? .unusable([]) : .itself
        }
        if let name = found.last, WebDAVHref.areAlike(found.dropLast(), base) { return .child(name) }
        return .elsewhere
    }

    /// The names from the item down to what `href` names; nil where that is neither the item nor below it. For answers
    /// in which the item itself need not be named: nothing is learnt.
    func names(downTo href: [UInt8]) -> [[UInt8]]? {
        guard let taken = WebDAVHref(WebDAVHref.withSlashes(href)[...], folder: folder, keepsQuery: true),
            let found = taken.decoded(encoding, in: names) ?? taken.decoded(.once, in: names),
            WebDAVHref.areAlike(found.prefix(names.count), names)
        else { return nil }
        return Array(found.dropFirst(names.count))
    }

    /// The only name in `rest`, a slash at its end left out; nil where it takes a closer look.
    private func plainName(_ rest: ArraySlice<UInt8>) -> [UInt8]? {
        let name = rest.last == UInt8(ascii: "/") ? rest.dropLast() : rest
        guard !name.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }),
            let decoded = WebDAVHref.decode(name, encoding), WebDAVHref.isName(decoded)
        else { return nil }
        return decoded
    }

    /// Whether an href is the item's own in one of the forms that RFC 4918 does not know: with a question mark that
    /// belongs to a name, or without the slash in front.
    private mutating func recogniseAsWritten(_ href: ArraySlice<UInt8>) -> Bool {
        let hasMark = href.contains(UInt8(ascii: "?"))
        let isBare = isFirst && WebDAVHref.path(in: href).first != UInt8(ascii: "/")
        guard hasMark || isBare, let whole = WebDAVHref(href, folder: isBare ? nil : folder, keepsQuery: true) else {
            return false
        }
        let order = [encoding] + HrefEncoding.allCases.filter { $0 != encoding }
        let exact = order.filter { whole.decoded($0, in: names).map { WebDAVHref.areAlike($0, names) } == true }
        guard !names.isEmpty, let first = exact.first else { return false }
        (encoding, own, keepsQuery) = (first, (names, false), true)
        // Where both readings are the same, nothing is learnt.
        isRootless = isBare && WebDAVHref(href, folder: folder, keepsQuery: true)?.decoded(first, in: names) != names
        return true
    }

    /// Whether an href is the item's own; learns from it when it is.
    private mutating func recognise(_ taken: WebDAVHref, href: ArraySlice<UInt8>, isCollection: Bool) -> Bool {
        let order = [encoding] + HrefEncoding.allCases.filter { $0 != encoding }
        let exact = order.filter { taken.decoded($0, in: names) == names }
        if let first = exact.first {
            encoding = first
            own = (names, false)
            // Relative hrefs have no beginning in common.
            guard WebDAVHref.path(in: href).first == UInt8(ascii: "/"), !href.contains(UInt8(ascii: "?")) else {
                return true
            }
            prefix = href.last == UInt8(ascii: "/") ? Array(href) : href + [UInt8(ascii: "/")]
            return true
        }
        let readings = order.compactMap { reading in taken.decoded(reading, in: names).map { (reading, $0) } }
        if let (reading, _) = readings.first(where: { WebDAVHref.areAlike($0.1, names) }) {
            encoding = reading
            own = (names, false)
            return true
        }
        if let mark = href.lastIndex(of: UInt8(ascii: "#")), let rest = WebDAVHref(href[..<mark], folder: folder),
            rest.decoded(encoding, in: names) == names
        {
            own = (names, false)
            return true
        }
        return recogniseRewritten(readings, isCollection: isCollection)
    }

    /// Behind a proxy that rewrites paths, nothing but its place as the first response says that an href is the item's
    /// own.
    private mutating func recogniseRewritten(_ readings: [(HrefEncoding, [[UInt8]])], isCollection: Bool) -> Bool {
        // Of a file, at least the name has to be right.
        let kept = isCollection ? kept : max(1, kept)
        let fitting = readings.first { _, found in
            WebDAVHref.areAlike(found.suffix(kept), names.suffix(kept)) && found.suffix(kept).count == kept
                && !WebDAVHref.areAlike(found.dropLast(), names)
        }
        guard isFirst, let (reading, found) = fitting else { return false }
        encoding = reading
        own = (found, true)
        return true
    }
}
