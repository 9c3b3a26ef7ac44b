import Foundation

extension TreeCopy {
    /// Gives the copy at `destination` the extended attributes of the item at `path`.
    ///
    /// - Parameter permissions: The permissions of the copy, if they are known.
    /// - Complexity: No request if one side has no extended attributes; else one for each attribute.
    func copyExtendedAttributes(
        _ path: ProviderPath, of provider: any FileProviderBasic, to destination: ProviderPath,
        of target: any FileProviderBasic, permissions: UInt16?
    ) async throws {
        guard metadata.contains(.extendedAttributes), let source = provider as? any FileProviderExtendedAttributes,
            let keeper = target as? any FileProviderExtendedAttributes,
            try await source.capabilities().has(.extendedAttributes),
            try await keeper.capabilities().has(.extendedAttributes)
        else { return }
        let attributes: [String: [UInt8]]
        do {
            attributes = try await source.extendedAttributes(path: path).filter { $0.key.hasPrefix("user.") }
        } catch let error as CocoaError where [.featureUnsupported, .fileReadNoPermission].contains(error.code) {
            return
        }
        if attributes.isEmpty { return }
        // A read-only file accepts no attributes, not even through an open descriptor.
        guard let permissions, permissions & 0o200 == 0, let setter = target as? any FileProviderAttributes else {
            return try await set(attributes, of: destination, keeper)
        }
        try await setter.setAttributes(path: destination, permissions: permissions | 0o200, modificationDate: nil)
        var failure: (any Error)?
        do { try await set(attributes, of: destination, keeper) } catch { failure = error }
        try await withCancellationShield {
            try await setter.setAttributes(path: destination, permissions: permissions, modificationDate: nil)
        }
        if let failure { throw failure }
    }

    private func set(
        _ attributes: [String: [UInt8]], of path: ProviderPath, _ keeper: any FileProviderExtendedAttributes
    ) async throws {
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            do { try await keeper.setExtendedAttribute(name, to: value, path: path) } catch is CocoaError {
                // The target cannot keep it: it is too long, there is no room, or the file system has none.
            }
        }
    }

    /// Gives a folder that this copy created and filled the metadata of the folder `item`.
    func finish(
        _ item: FileObject, of provider: any FileProvider, at location: ProviderPath, of target: any FileProvider
    ) async throws {
        try await copyExtendedAttributes(item.path, of: provider, to: location, of: target, permissions: nil)
        // On other targets the storage sets the time of a folder.
        guard let setter = target as? any FileProviderAttributes,
            try await setter.capabilities().has(.settingPermissions)
        else { return }
        let permissions = metadata.contains(.permissions) ? item.permissions.map { $0 & 0o777 } : nil
        let date = metadata.contains(.modificationDates) ? item.modifiedDate : nil
        if permissions == nil, date == nil { return }
        try await setter.setAttributes(path: location, permissions: permissions, modificationDate: date)
    }
}
