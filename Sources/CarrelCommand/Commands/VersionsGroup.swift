import ArgumentParser
import Carrel
import Foundation

struct VersionsGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions", abstract: "Earlier versions of a file, if the storage keeps them.",
        discussion: "S3 keeps versions in buckets with versioning; Nextcloud keeps them for a while.",
        subcommands: [ListVersions.self, CatVersion.self, RestoreVersion.self])
}

struct ListVersions: Verb {
    static let verb = "versions ls"
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the versions of a file, the newest first.")

    @Argument(help: "A file.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    private struct ShownVersion: Encodable {
        let id: String
        let size: Int64?
        let modified: String?
        let etag: String?
        let current: Bool

        init(_ version: FileVersion) {
            (id, size, modified) = (version.identifier, version.size, version.modifiedDate?.shown)
            (etag, current) = (version.entryTag, version.isCurrent)
        }
    }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        let versions = try await operand.versionsProvider().versions(of: operand.path)
        if common.json { return try session.output.json(versions.map(ShownVersion.init)) }
        for version in versions {
            try session.output.fields([
                version.identifier, version.modifiedDate?.shown ?? "-", version.size.map { "\($0)" } ?? "-",
                version.isCurrent ? "current" : "",
            ])
        }
    }
}

struct CatVersion: Verb {
    static let verb = "versions cat"
    static let configuration = CommandConfiguration(
        commandName: "cat", abstract: "Write the bytes of one version to standard output.")

    @Argument(help: "A file.", completion: .location)
    var location: String
    @Argument(help: "The version, as “versions ls” names it.")
    var identifier: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        let provider = try operand.versionsProvider()
        let reader = try await provider.open(try await operand.version(identifier))
        do {
            try await StandardOutput.write(reader.bytes())
            await reader.close()
        } catch {
            await reader.close()
            throw error
        }
    }
}

struct RestoreVersion: Verb {
    static let verb = "versions restore"
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a version the current one again; the storage also keeps the version before.")

    @Argument(help: "A file.", completion: .location)
    var location: String
    @Argument(help: "The version, as “versions ls” names it.")
    var identifier: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        try await operand.versionsProvider().restore(try await operand.version(identifier))
    }
}

extension Operand {
    /// - Throws: `CocoaError(.featureUnsupported)` for a storage that keeps no versions.
    fileprivate func versionsProvider() throws -> any FileProviderVersions {
        guard let provider = provider as? any FileProviderVersions else {
            throw FileError.make(
                .featureUnsupported, path: path, sentence: "The storage of “\(path)” keeps no versions.")
        }
        return provider
    }

    /// - Throws: `CocoaError(.fileReadNoSuchFile)` if the storage keeps no such version.
    fileprivate func version(_ identifier: String) async throws -> FileVersion {
        let versions = try await versionsProvider().versions(of: path)
        guard let version = versions.first(where: { $0.identifier == identifier }) else {
            throw FileError.make(
                .fileReadNoSuchFile, path: path, sentence: "There is no version “\(identifier)” of “\(path)”.")
        }
        return version
    }
}
