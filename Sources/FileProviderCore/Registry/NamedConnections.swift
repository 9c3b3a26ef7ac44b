import Foundation

/// Configurations by name, as an app keeps them in a file: `{"connections": {"NAME": {"url": …}}}`.
///
/// `NAME:path` then names an item, with the path as plain text below the configuration's folder. Other keys beside
/// `connections` are left to the app.
public struct NamedConnections: Sendable, Hashable, Codable {
    /// The configurations by name.
    public var connections: [String: ProviderConfiguration]

    /// Takes every name; ``check(registry:)`` tells which ones cannot be used.
    public init(_ connections: [String: ProviderConfiguration] = [:]) {
        self.connections = connections
    }

    /// The most bytes of a file that is read, 1 MiB.
    public static let maxFileSize = 1 << 20

    /// Reads `file`, a path of this machine. Names of certificate files that are relative count from its folder.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` and its like; `CocoaError(.fileReadTooLarge)`;
    ///   `CocoaError(.fileReadCorruptFile)` with a sentence that repeats no value; as ``check(registry:)``.
    public static func load(from file: String, registry: ProviderRegistry = .shared) async throws -> NamedConnections {
        let data = try await SmallFile.read(file, limit: maxFileSize)
        var all: NamedConnections
        do { all = try JSONDecoder().decode(NamedConnections.self, from: data) } catch {
            throw FileError.make(.fileReadCorruptFile, path: file, sentence: damage(of: file, error), underlying: error)
        }
        try all.check(registry: registry)
        let folder = (file as NSString).deletingLastPathComponent
        all.connections = all.connections.mapValues { $0.resolvingFiles(from: folder) }
        return all
    }

    /// Whether `text` may stand in front of the colon: ASCII letters, digits and `+ - . _`, a letter or digit first.
    public static func isName(_ text: some StringProtocol) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter || first.isNumber else { return false }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-._".contains($0)) }
    }

    /// Looks whether each name can be told from a path and from a URL.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` naming the first that cannot: it is no name, or a registered
    ///   scheme.
    public func check(registry: ProviderRegistry = .shared) throws {
        for name in connections.keys.sorted() {
            if !Self.isName(name) {
                throw FileError.make(
                    .fileReadCorruptFile, path: name,
                    sentence: "“\(name)” is no name for a connection: letters, digits and + - . _ are.")
            }
            if registry.hasScheme(name) {
                throw FileError.make(
                    .fileReadCorruptFile, path: name,
                    sentence: "“\(name)” is a scheme; a connection needs another name.")
            }
        }
    }

    /// The configuration of the item that `location`, `NAME:path`, names; a slash in front of the path changes nothing.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` when there is no such connection;
    ///   `CocoaError(.fileReadInvalidFileName)`.
    public func configuration(of location: String) throws -> ProviderConfiguration {
        let name = location.prefix { $0 != ":" }
        guard let found = connections[String(name)] else {
            let known = connections.keys.sorted().joined(separator: ", ")
            throw FileError.make(
                .fileReadNoSuchFile, path: location,
                sentence: "There is no connection “\(name)”; there \(known.isEmpty ? "is none" : "are: \(known)").")
        }
        return found.appending(try ProviderPath(String(location.dropFirst(name.count + 1))))
    }

    private static func damage(of file: String, _ error: any Error) -> String {
        let shape = "“\(file)” is not what it should be, {\"connections\": {\"NAME\": {\"url\": …}}}"
        guard let error = error as? DecodingError, !error.codingPosition.isEmpty else { return shape + "." }
        return "\(shape); at \(error.codingPosition): \(error.context?.debugDescription ?? "")"
    }
}

extension ProviderConfiguration {
    /// `~/` is the home folder.
    fileprivate func resolvingFiles(from folder: String) -> ProviderConfiguration {
        func absolute(_ path: String?) -> String? {
            path.map {
                $0.hasPrefix("/")
                    ? $0 : $0.hasPrefix("~/") ? NSString(string: $0).expandingTildeInPath : folder + "/" + $0
            }
        }
        var own = self
        own.trust.authorities = absolute(trust.authorities)
        own.trust.clientCertificate = absolute(trust.clientCertificate)
        own.trust.clientKey = absolute(trust.clientKey)
        own.trust.identities = trust.identities.compactMap { absolute($0) }
        own.trust.knownHosts = trust.knownHosts?.compactMap { absolute($0) }
        own.cache.folder = absolute(cache.folder)
        return own
    }
}
