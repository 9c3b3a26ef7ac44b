import Carrel
import Foundation
import Shelf
import ShelfServer
import WebServer

/// What is served and how: from a configuration file, from flags, or from both.
struct ShelfSettings {
    /// A folder of books.
    struct Source {
        var location: String
        var name: String?
        /// Where the configuration file has it; nil for an argument.
        var place: String?
    }

    private enum Access: String, CaseIterable { case everyone, users }
    private enum ProxyFields: String, CaseIterable {
        case xForwarded = "x-forwarded"
        case forwarded
    }
    private enum Removal: String, CaseIterable { case cautious, immediate }

    private static let largest = 1 << 20

    /// The configuration file; nil without one.
    var file: String?
    var folder: String?
    var sources: [Source] = []
    /// Reading apps keep the address, so the port is the same in each run.
    var server = ShelfServerConfiguration(port: 8_180)
    /// Whether the file says who may use the shelf.
    var hasAccess = false
    var keyFile: String?
    var metricsTokenFile: String?
    var isHiddenIncluded = false
    var removal = RemovalPolicy.cautious

    /// Returns the settings of a configuration file, with `locations` instead of its sources if there are any.
    ///
    /// - Parameter verb: For messages.
    /// - Throws: A usage error after all mistakes were reported.
    static func read(_ file: String?, locations: [String], verb: String) async throws -> ShelfSettings {
        var settings = ShelfSettings()
        if let file { settings = try await read(file, verb) }
        if !locations.isEmpty { settings.sources = locations.map { Source(location: $0) } }
        return settings
    }

    private static func read(_ file: String, _ verb: String) async throws -> ShelfSettings {
        let json: JSONValue
        do { json = try JSONValue(data: try await SmallFile.read(file, limit: largest), maximumSize: largest) } catch {
            throw CommandFailure.usage("The configuration file “\(file)” cannot be read: \(error.sentence)")
        }
        guard let members = json.objectValue else {
            throw CommandFailure.usage("The configuration file “\(file)” has to be a JSON object.")
        }
        let mistakes = SettingsReader.Mistakes()
        var settings = ShelfSettings()
        settings.file = file
        settings.take(SettingsReader(members, mistakes))
        guard let first = mistakes.sentences.first else { return settings }
        for sentence in mistakes.sentences { Output.standardError("carrel: \(verb) \(file): \(sentence)") }
        throw CommandFailure(status: .usage, sentence: "\(file): \(first)", isSaid: true)
    }

    // MARK: The file's members

    private mutating func take(_ reader: SettingsReader) {
        folder = reader.string("folder").map { resolved($0) }
        takeSources(reader)
        server.title = reader.string("title") ?? server.title
        server.host = reader.string("host") ?? server.host
        server.port = reader.integer("port", in: 0...65_535) ?? server.port
        server.publicURL = reader.string("publicURL").flatMap { text in
            if let url = URL(string: text) { return url }
            reader.note("publicURL", "“\(text)” is not a URL.")
            return nil
        }
        server.hosts = reader.strings("hosts") ?? []
        server.trustedProxies = reader.strings("trustedProxies") ?? []
        if let fields: ProxyFields = reader.choice("proxyFields") {
            server.proxyFields = fields == .forwarded ? .forwarded : .xForwarded
        }
        if let access: Access = reader.choice("access") {
            server.access = access == .everyone ? .everyone : .users
            hasAccess = true
        }
        server.allowsRegistration = reader.bool("allowsRegistration") ?? false
        server.allowsScripts = reader.bool("allowsScripts") ?? false
        keyFile = reader.string("keyFile").map { resolved($0) }
        metricsTokenFile = reader.string("metricsTokenFile").map { resolved($0) }
        takeCache(reader)
        takeLimits(reader)
        isHiddenIncluded = reader.bool("hidden") ?? false
        if let policy: Removal = reader.choice("removal") { removal = policy == .immediate ? .immediate : .cautious }
        reader.finish()
    }

    private mutating func takeSources(_ reader: SettingsReader) {
        for (value, object, path) in reader.list("sources") ?? [] {
            if let text = value.stringValue, !text.isEmpty {
                sources.append(Source(location: resolved(location: text), place: path))
            } else if let object {
                let name = object.string("name")
                if let location = object.string("location") {
                    sources.append(
                        Source(location: resolved(location: location), name: name, place: path + ".location"))
                } else if !object.has("location") {
                    object.note("location", "this is missing.")
                }
                object.finish()
            } else {
                reader.note(path, "this has to be a location, or an object with “location” and “name”.")
            }
        }
    }

    private mutating func takeCache(_ reader: SettingsReader) {
        guard let cache = reader.object("cachesFiles") else { return }
        let folder = cache.string("folder")
        let size = cache.bytes("size", least: (text: "1M", bytes: 1 << 20))
        if let folder {
            var files = FileCache(folder: URL(filePath: resolved(folder)))
            files.capacity = size ?? files.capacity
            server.cachesFiles = files
        } else if !cache.has("folder") {
            cache.note("folder", "this is missing.")
        }
        cache.finish()
    }

    private mutating func takeLimits(_ reader: SettingsReader) {
        server.maxPageWidth = reader.integer("maxPageWidth", in: 1...4_096) ?? server.maxPageWidth
        server.concurrentPictures = reader.integer("concurrentPictures", in: 1...64) ?? server.concurrentPictures
        server.limits.connections = reader.integer("connections", in: 1...1_000_000) ?? server.limits.connections
        server.limits.idleTime = reader.duration("idleTimeout", in: 0.1...86_400) ?? server.limits.idleTime
        guard let logins = reader.object("loginLimits") else { return }
        server.loginLimits.perAddress = logins.integer("perAddress", in: 1...1_000_000) ?? server.loginLimits.perAddress
        server.loginLimits.perName = logins.integer("perName", in: 1...1_000_000) ?? server.loginLimits.perName
        server.loginLimits.perNameOverall =
            logins.integer("perNameOverall", in: 1...1_000_000) ?? server.loginLimits.perNameOverall
        server.loginLimits.window = logins.duration("window", in: 1...86_400) ?? server.loginLimits.window
        logins.finish()
    }

    /// A path of the file counts from the file's folder.
    private func resolved(_ path: String) -> String {
        guard !path.hasPrefix("/"), let file else { return path }
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        return folder.appending(path: path).standardizedFileURL.path(percentEncoded: false)
    }

    /// So does a folder on this machine.
    private func resolved(location text: String) -> String {
        text.contains(":") && !text.hasPrefix("./") && !text.hasPrefix("../") ? text : resolved(text)
    }

    // MARK: Using them

    /// Returns the providers of the sources, to which nothing has been sent yet.
    ///
    /// - Parameter isNameOnly: Whether the locations only say which shelf, and nothing will be sent to them.
    /// - Throws: A usage error that says where the location is; errors of the providers.
    func operands(_ session: Session, isNameOnly: Bool = false) async throws -> [Operand] {
        if sources.isEmpty {
            throw CommandFailure.usage("Which folder? Give a location, or a configuration file with “sources”.")
        }
        do {
            return try await session.operands(sources.map(\.location), isNameOnly: isNameOnly)
        } catch let error as LocatedError {
            let source = sources.first { LocationText.withoutSecrets($0.location) == error.location }
            guard let file, let place = source?.place else { throw error }
            throw LocatedError(location: "\(file): \(place)", cause: error.cause, status: error.status)
        }
    }

    /// Returns the shelf's folder on this machine.
    ///
    /// - Parameter given: Takes precedence over the file's.
    func folder(given: String?, _ operands: [Operand], _ session: Session) -> URL {
        if let folder = given ?? folder { return URL(filePath: folder) }
        return ShelfFolderOptions.folder(of: shelfSources(operands), session)
    }

    /// Returns the content of `keyFile`; `nil` if there is no such setting, or the file is still to be made.
    func existingKey() async throws -> Data? {
        guard let keyFile else { return nil }
        do { return try await SmallFile.read(keyFile, limit: 4 << 10, isSecret: true) } catch
            where error.isNoSuchFile
        { return nil }
    }

    /// Returns a usage error that names the configuration file, if there is one.
    func failure(_ sentence: String) -> CommandFailure {
        CommandFailure.usage((file.map { "\($0): " } ?? "") + sentence)
    }

    func shelfSources(_ operands: [Operand]) -> [ShelfSource] {
        zip(operands, sources).map { ShelfSource(provider: $0.provider, root: $0.path, name: $1.name) }
    }
}
