import Foundation

/// Configurations by name, as an app keeps them in a file: `{"connections": {"NAME": {"url": …}}}`.
///
/// `NAME:path` names an item, with the path as plain text below the configuration's folder. Keys other than
/// `connections` are left to the app.
public struct NamedConnections: Sendable, Hashable, Codable {
    /// The configurations by name.
    public var connections: [String: ProviderConfiguration]

    /// Creates a value with any names; ``check(registry:)`` finds the unusable ones.
    public init(_ connections: [String: ProviderConfiguration] = [:]) {
        self.connections = connections
    }

    /// The most bytes of a file to read, 1 MiB.
    public static let maxFileSize = 1 << 20

    /// Reads the local file `file`. Relative names of certificate files count from its folder.
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

    /// Whether `text` may be a name: ASCII letters, digits and `+ - . _`, a letter or digit first.
    public static func isName(_ text: some StringProtocol) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter || first.isNumber else { return false }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-._".contains($0)) }
    }

    /// Checks that each name can be told from a path and from a URL.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` that names the first unusable one: it is invalid, or a registered
    ///   scheme.
    public func check(registry: ProviderRegistry = .shared) throws {
        for name in connections.keys.sorted() {
            if !Self.isName(name) {
                throw FileError.make(
                    .fileReadCorruptFile, path: name,
                    sentence: "“\(name)” cannot name a connection; use letters, digits and + - . _.")
            }
            if registry.hasScheme(name) {
                throw FileError.make(
                    .fileReadCorruptFile, path: name,
                    sentence: "“\(name)” is a scheme; a connection needs another name.")
            }
        }
    }

    /// Returns the configuration of the item at `location`, `NAME:path`; a slash in front of the path changes nothing.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` if there is no such connection;
    ///   `CocoaError(.fileReadInvalidFileName)`.
    public func configuration(of location: String) throws -> ProviderConfiguration {
        let name = location.prefix { $0 != ":" }
        guard let found = connections[String(name)] else {
            let names = connections.keys.sorted().joined(separator: ", ")
            let known = names.isEmpty ? "none is saved" : "there are: \(names)"
            throw FileError.make(
                .fileReadNoSuchFile, path: location, sentence: "There is no connection “\(name)”; \(known).")
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
    /// Expands `~/` to the home folder, and counts relative names from `folder`.
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
