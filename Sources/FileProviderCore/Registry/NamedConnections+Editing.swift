import CLinux
import Foundation

extension NamedConnections {
    /// Writes `configuration` under `name` into `file`, and creates the file and its folder if they are missing.
    /// Everything else in the file stays.
    ///
    /// The file is replaced in one step and keeps its permissions; only its owner can read a new one. Names of
    /// certificate files are written as they are.
    ///
    /// - Parameter replacing: Whether to replace a connection of that name.
    /// - Throws: `CocoaError(.fileWriteFileExists)` if there is one and `replacing` is false; as
    ///   ``load(from:registry:)``, and nothing is written; as ``check(registry:)`` for `name`; `CocoaError` if the file
    ///   cannot be written.
    public static func add(
        _ configuration: ProviderConfiguration, as name: String, to file: String, replacing: Bool = false,
        registry: ProviderRegistry = .shared
    ) async throws {
        try NamedConnections([name: configuration]).check(registry: registry)
        let value = try JSONSerialization.jsonObject(with: JSONEncoder().encode(configuration))
        try await edit(file, registry: registry) { connections in
            if connections[name] != nil, !replacing {
                throw FileError.make(
                    .fileWriteFileExists, path: file, sentence: "There is already a connection “\(name)”.")
            }
            connections[name] = value
        }
    }

    /// Removes the connection called `name` from `file`. Everything else in the file stays.
    ///
    /// - Throws: `CocoaError(.fileNoSuchFile)` if there is none; as ``load(from:registry:)``; `CocoaError` if the file
    ///   cannot be written.
    public static func remove(_ name: String, from file: String, registry: ProviderRegistry = .shared) async throws {
        try await edit(file, registry: registry) { connections in
            if connections.removeValue(forKey: name) == nil {
                throw FileError.make(.fileNoSuchFile, path: file, sentence: "There is no connection “\(name)”.")
            }
        }
    }

    private static func edit(_ file: String, registry: ProviderRegistry, _ change: (inout [String: Any]) throws -> Void)
        async throws
    {
        // Writes through a symbolic link, so that a configuration kept elsewhere stays linked.
        let url = URL(fileURLWithPath: file).resolvingSymlinksInPath()
        let data: Data
        var isNew = false
        do {
            // The present file has to be sound, or others who read it would lose its content.
            _ = try await load(from: file, registry: registry)
            data = try await SmallFile.read(file, limit: maxFileSize)
        } catch let error where error.isNoSuchFile {
            data = Data("{}".utf8)
            isNew = true
        }
        var document = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        var connections = document["connections"] as? [String: Any] ?? [:]
        try change(&connections)
        document["connections"] = connections
        var text = try JSONSerialization.data(
            withJSONObject: document, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        text.append(UInt8(ascii: "\n"))
        if isNew { try MissingFolder.create(url.deletingLastPathComponent()) }
        try replace(url.path, with: text, permissions: isNew ? 0o600 : permissions(of: url.path))
    }

    private static func permissions(of file: String) -> mode_t {
        var status = stat()
        return stat(file, &status) == 0 ? status.st_mode & 0o777 : 0o600
    }

    /// Replaces a file, or creates it, in one step.
    private static func replace(_ file: String, with data: Data, permissions: mode_t) throws {
        let path = try ProviderPath(file)
        let temporary = try TemporaryName.make(beside: path).string
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
        guard descriptor >= 0 else { throw FileError.make(errno: errno, path: path, writing: true) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            // Sets the bits that the process's umask removed.
            guard fchmod(descriptor, permissions) == 0 else {
                throw FileError.make(errno: errno, path: path, writing: true)
            }
            try handle.write(contentsOf: data)
            try handle.synchronize()
            guard rename(temporary, file) == 0 else { throw FileError.make(errno: errno, path: path, writing: true) }
        } catch {
            unlink(temporary)
            throw error
        }
    }
}
