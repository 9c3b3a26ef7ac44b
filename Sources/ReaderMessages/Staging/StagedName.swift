public import FileProviderCore
public import Foundation

/// Checks names from a peer: of staged documents, and paths of books below a library's folder.
public enum StagedName {
    /// The reason for refusing a name.
    public struct Refusal: LocalizedError, Hashable, Sendable {
        /// The name, as the peer gave it.
        public let name: String
        /// The problem with the name.
        public let reason: String

        /// The name and the reason, safe to print.
        public var errorDescription: String? { "The name “\(StagedName.shown(name))” is refused: \(reason)." }
    }

    /// Checks that `name` is allowed for a staged document: one part, nothing that a storage interprets, and not a file
    /// of the protocol.
    /// - Throws: ``Refusal``.
    public static func checkDocument(_ name: String) throws {
        try check(part: name, of: name)
        if isReserved(name) { throw Refusal(name: name, reason: "the protocol reserves it") }
    }

    /// Returns the path of a book below `root`, from a peer's name. Checks each part; `/` separates parts.
    /// - Throws: ``Refusal``.
    public static func bookPath(_ name: String, below root: ProviderPath) throws -> ProviderPath {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !name.isEmpty, parts.count <= 32 else {
            throw Refusal(name: name, reason: name.isEmpty ? "it is empty" : "it has too many parts")
        }
        return try parts.reduce(root) { path, part in
            try check(part: String(part), of: name)
            return try path.appending(String(part))
        }
    }

    /// Whether the protocol reserves `name`, ignoring case.
    public static func isReserved(_ name: String) -> Bool {
        let name = name.lowercased()
        return reserved.contains(name) || name.hasSuffix(".tmp") || TemporaryName.matches(name)
    }

    /// Returns `name` cut to the length of a line, without characters that control a terminal.
    public static func shown(_ name: String) -> String { LogText.shown(name, limit: 120) }

    private static let reserved: Set<String> =
        Set(ReaderCommand.Kind.allCases.map(\.fileName))
        .union([
            ConnectedMessage.fileName, CommandStatus.fileName, CommandStatus.cancelFileName, "html_response.html",
            "backup.xml",
            "library.sqlite",
        ])

    private static func check(part: String, of name: String) throws {
        func refuse(_ reason: String) -> Refusal { Refusal(name: name, reason: reason) }
        if part.isEmpty { throw refuse("a part of it is empty") }
        if part == "." || part == ".." { throw refuse("it has a part that leads elsewhere") }
        if part.utf8.count > 255 { throw refuse("a part of it is longer than 255 bytes") }
        if part.contains(where: { $0 == "/" || $0 == "\\" }) { throw refuse("it contains a path separator") }
        guard part.unicodeScalars.allSatisfy(LogText.isHarmless) else {
            throw refuse("it contains control characters")
        }
        if part.hasSuffix(".") || part.hasSuffix(" ") { throw refuse("it ends in a dot or a space") }
        if isDrive(part) { throw refuse("it begins with a drive letter") }
    }

    private static func isDrive(_ part: String) -> Bool {
        let start = Array(part.utf8.prefix(2))
        return start.count == 2 && start[1] == UInt8(ascii: ":") && (start[0] | 0x20 >= 0x61)
            && (start[0] | 0x20 <= 0x7A)
    }
}
