import Carrel
import Foundation

/// The configuration file of the command line. Its errors are usage errors that name the file.
enum Connections {
    /// `$CARREL_CONFIG`, else `carrel/config.json` in `$XDG_CONFIG_HOME` or `~/.config`. Source: XDG Base Directory
    /// Specification.
    static func file(_ environment: [String: String]) -> String {
        if let file = environment["CARREL_CONFIG"], !file.isEmpty { return file }
        // The specification says to ignore a relative folder.
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder + "/carrel/config.json" }
        return (environment["HOME"] ?? "") + "/.config/carrel/config.json"
    }

    /// Returns the configuration of `location`, `NAME:path`, after checking that its provider is registered and its
    /// files are readable.
    ///
    /// - Throws: A usage error that names `file`; `CocoaError(.fileReadInvalidFileName)`.
    static func configuration(of location: String, in file: String) async throws -> ProviderConfiguration {
        let all: NamedConnections
        do { all = try await .load(from: file) } catch let error where error.isNoSuchFile {
            throw CommandFailure.usage(
                "The connection “\(location.prefix { $0 != ":" })” is unknown: there is no file \(file).")
        } catch { throw CommandFailure.usage(error.sentence, in: file) }
        let configuration: ProviderConfiguration
        do { configuration = try all.configuration(of: location) } catch let error where error.isNoSuchFile {
            throw CommandFailure.usage(error.sentence, in: file)
        }
        do { try ProviderRegistry.shared.check(configuration.url, settings: configuration.settings) } catch {
            throw CommandFailure.usage("The URL of the connection cannot be used: \(error.sentence)", in: file)
        }
        let trust = configuration.trust
        for name in [trust.authorities, trust.clientCertificate, trust.clientKey].compactMap(\.self) + trust.identities
        {
            if let reason = unreadable(name) {
                throw CommandFailure.usage("The connection's file “\(name)” cannot be read: \(reason).", in: file)
            }
        }
        return configuration
    }
}

extension CommandFailure {
    fileprivate static func usage(_ sentence: String, in file: String) -> CommandFailure {
        usage(sentence.contains(file) ? sentence : "\(file): \(sentence)")
    }
}

/// Returns the reason why the file at `path` can't be read, or `nil` if it can.
func unreadable(_ path: String) -> String? {
    if access(path, R_OK) != 0 { return String(cString: strerror(errno)) }
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
        ? "it is a folder" : nil
}
