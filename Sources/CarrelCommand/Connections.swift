import Carrel
import Foundation

/// A connection that was saved under a name. It holds no secret: passwords come from `~/.netrc`, the environment or a question.
struct Connection: Codable, Hashable, Sendable {
    /// The folder that paths count from.
    var url: String
    /// PEM files, as the flags `--cacert`, `--client-cert` and `--client-key` name them.
    var cacert: String?
    var clientCert: String?
    var clientKey: String?
    var insecure: Bool?
    var allowClearPassword: Bool?
}

/// The configuration file: `{"connections": {"NAME": {"url": "davs://user@host/base/"}}}`.
struct Connections: Codable, Hashable, Sendable {
    var connections: [String: Connection] = [:]

    /// What may stand in front of the colon of `NAME:path`; a scheme is of the same form.
    static func isName(_ text: Substring) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter || first.isNumber else { return false }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-._".contains($0)) }
    }

    /// `$CARREL_CONFIG`, else `carrel/config.json` in `$XDG_CONFIG_HOME` or `~/.config`. Source: XDG Base Directory Specification.
    static func file(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        if let file = environment["CARREL_CONFIG"], !file.isEmpty { return file }
        // A relative folder is to be ignored, says the specification.
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder + "/carrel/config.json" }
        return (environment["HOME"] ?? "") + "/.config/carrel/config.json"
    }

    /// The connection called `name`, its URL checked and its files readable.
    ///
    /// - Throws: A usage error that names `file`.
    static func connection(_ name: String, in file: String, registry: ProviderRegistry = .shared) throws -> (Connection, URL) {
        guard let data = FileManager.default.contents(atPath: file) else {
            let reason = access(file, F_OK) == 0 ? "\(file) cannot be read" : "there is no \(file)"
            throw CommandFailure.usage("The connection “\(name)” is not known: \(reason).")
        }
        let all: [String: Connection]
        do { all = try JSONDecoder().decode(Connections.self, from: data).connections } catch {
            throw CommandFailure.usage("\(file) is not what it should be: {\"connections\": {\"NAME\": {\"url\": …}}}.")
        }
        for name in all.keys.sorted() {
            if !isName(name[...]) {
                throw CommandFailure.usage("“\(name)” in \(file) is no name for a connection: letters, digits and + - . _ are.")
            }
            if registry.hasScheme(name) { throw CommandFailure.usage("“\(name)” in \(file) is a scheme; a connection needs another name.") }
        }
        guard let found = all[name] else { throw CommandFailure.usage("There is no connection “\(name)” in \(file).") }
        let connection = try found.withReadableFiles(name, configuration: file)
        return (connection, try connection.baseURL(name, configuration: file))
    }
}

extension Connection {
    fileprivate func baseURL(_ name: String, configuration: String) throws -> URL {
        let location: LocationText
        do { location = try LocationText(url) } catch {
            throw CommandFailure.usage("The URL of “\(name)” in \(configuration) is none: \(error.sentence)")
        }
        guard case .url(let base) = location else {
            throw CommandFailure.usage("The URL of “\(name)” in \(configuration) has a scheme that no provider is registered for.")
        }
        if base.password() != nil {
            throw CommandFailure.usage("The URL of “\(name)” in \(configuration) has a password in it, which belongs in ~/.netrc.")
        }
        return base
    }

    /// Relative names of files count from the folder of the configuration file.
    fileprivate func withReadableFiles(_ name: String, configuration: String) throws -> Connection {
        func absolute(_ path: String?) throws -> String? {
            guard let path else { return nil }
            let folder = (configuration as NSString).deletingLastPathComponent
            let full = path.hasPrefix("/") ? path : path.hasPrefix("~/") ? NSString(string: path).expandingTildeInPath : folder + "/" + path
            if let reason = unreadable(full) {
                throw CommandFailure.usage("“\(name)” in \(configuration) names the file “\(full)”, which cannot be read: \(reason).")
            }
            return full
        }
        var connection = self
        connection.cacert = try absolute(cacert)
        connection.clientCert = try absolute(clientCert)
        connection.clientKey = try absolute(clientKey)
        return connection
    }

    /// The flags of the command line come first.
    func trust(_ flags: TrustPolicy) -> TrustPolicy {
        TrustPolicy(
            authorities: flags.authorities ?? cacert, clientCertificate: flags.clientCertificate ?? clientCert,
            clientKey: flags.clientKey ?? clientKey, isInsecure: flags.isInsecure || insecure == true)
    }
}

/// Why the file at `path` cannot be read; nil when it can.
func unreadable(_ path: String) -> String? {
    if access(path, R_OK) != 0 { return String(cString: strerror(errno)) }
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue ? "it is a folder" : nil
}
