import CLinux
public import FileProviderCore
public import Foundation

extension LocalFileProvider: FileProviderAttributes {
    /// Sets permissions with fchmodat(2) and the modification time with utimensat(2). Never follows a link: its own
    /// time can be set, its permissions cannot.
    ///
    /// - Throws: `CocoaError(.fileNoSuchFile)`; `CocoaError(.fileWriteNoPermission)` for another user's file;
    ///   `CocoaError(.featureUnsupported)` for a link's permissions.
    public func setAttributes(path: ProviderPath, permissions: UInt16?, modificationDate: Date?) async throws {
        let context = context(path, writing: true)
        try await BlockingThreads.shared.run { [self] _ in
            // A name of the root itself.
            let entry =
                path.isRoot
                ? LocalEntry(folder: resolver.root, name: [UInt8(ascii: ".")]) : try resolver.entry(of: path, context)
            if let permissions { try setPermissions(UInt32(permissions), entry, context) }
            guard let modificationDate else { return }
            let keep = timespec(tv_sec: 0, tv_nsec: Self.omitted)
            let result = entry.name.withName { name in
                [keep, modificationDate.fileTime].withUnsafeBufferPointer {
                    utimensat(entry.folder.raw, name, $0.baseAddress, AT_SYMLINK_NOFOLLOW)
                }
            }
            try context.check(result)
        }
    }

    /// UTIME_OMIT, which Swift does not see.
    private static let omitted = (1 << 30) - 2

    private func setPermissions(_ permissions: UInt32, _ entry: LocalEntry, _ context: LocalContext) throws {
        let result = entry.name.withName { fchmodat(entry.folder.raw, $0, permissions & 0o7777, AT_SYMLINK_NOFOLLOW) }
        if result != 0, errno == EOPNOTSUPP {
            throw FileError.unsupported(
                "set permissions of a symbolic link", by: LocalFileProvider.type, path: context.path, url: context.url)
        }
        try context.check(result)
    }

}

extension LocalFileProvider: FileProviderExtendedAttributes {
    /// Returns all extended attributes that may be read, by their names with the namespace in front: `user.comment`.
    ///
    /// Leaves out names that are not UTF-8. Source: xattr(7).
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadTooLarge)` over 16 MiB in all;
    ///   `CocoaError(.featureUnsupported)` for a link, which is not followed, a pipe or a device.
    public func extendedAttributes(path: ProviderPath) async throws -> [String: [UInt8]] {
        try await withAttributes(path, writing: false) { attributes in
            var all: [String: [UInt8]] = [:]
            var room = 16 << 20
            for name in try attributes.rawNames() {
                guard let text = String(validating: name, as: UTF8.self), let value = try attributes.value(of: name)
                else { continue }
                room -= value.count
                guard room >= 0 else {
                    throw FileError.make(.fileReadTooLarge, path: path, url: attributes.context.url)
                }
                all[text] = value
            }
            return all
        }
    }

    /// Returns the extended attribute called `name`; nil if there is none. Links, pipes and devices fail as in
    /// ``extendedAttributes(path:)``.
    public func extendedAttribute(_ name: String, path: ProviderPath) async throws -> [UInt8]? {
        try await withAttributes(path, writing: false) { try $0.value(of: Array(name.utf8)) }
    }

    /// Sets the extended attribute called `name`, such as `user.comment`.
    ///
    /// - Parameter value: At most 65,536 bytes; file systems may take far fewer (ext4: 4,096 for all of a file).
    /// - Throws: `CocoaError(.fileWriteOutOfSpace)`; `CocoaError(.featureUnsupported)` if the storage has no extended
    ///   attributes, for a link, and for an unknown namespace.
    public func setExtendedAttribute(_ name: String, to value: [UInt8], path: ProviderPath) async throws {
        try await withAttributes(path, writing: true) { attributes in
            let code = attributes.set(Array(name.utf8), value)
            if code == EOPNOTSUPP { throw attributes.context.hasNoExtendedAttributes }
            if code != 0 { throw attributes.context.error(code) }
        }
    }

    /// Removes the extended attribute called `name`. Succeeds if there is none.
    public func removeExtendedAttribute(_ name: String, path: ProviderPath) async throws {
        try await withAttributes(path, writing: true) { attributes in
            if Array(name.utf8).withName({ carrel_fremovexattr(attributes.file.raw, $0) }) == 0 || errno == ENODATA {
                return
            }
            throw errno == EOPNOTSUPP ? attributes.context.hasNoExtendedAttributes : attributes.context.error()
        }
    }

    private func withAttributes<Value: Sendable>(
        _ path: ProviderPath, writing: Bool, _ body: @escaping @Sendable (ExtendedAttributes) throws -> Value
    ) async throws -> Value {
        let context = context(path, writing: writing)
        return try await BlockingThreads.shared.run { [self] _ in
            let entry =
                path.isRoot
                ? LocalEntry(folder: resolver.root, name: [UInt8(ascii: ".")]) : try resolver.entry(of: path, context)
            // Opening a pipe or a device may have effects, so its type is checked first.
            guard let type = try entry.status(context)?.type else { throw context.error(ENOENT) }
            guard type == .regular || type == .directory else { throw context.hasNoExtendedAttributes }
            return try body(ExtendedAttributes(file: entry.open(LocalFlags.read, context), context: context))
        }
    }
}

extension LocalContext {
    fileprivate var hasNoExtendedAttributes: CocoaError {
        FileError.unsupported("keep such an extended attribute", by: LocalFileProvider.type, path: path, url: url)
    }
}
