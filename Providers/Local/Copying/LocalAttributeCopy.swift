import CLinux
import FileProviderCore
import Foundation

/// Gives a copy the permissions, extended attributes and modification time of its original.
///
/// Copies `user` extended attributes and access control lists. Leaves out those of `security` and `trusted`, which
/// belong to the machine's policy, and set-user and set-group bits, because the owner may differ. Skips whatever the
/// target's storage cannot keep, except that a move must not lose a `user` attribute.
struct AttributeCopy {
    let source: LocalContext
    let target: LocalContext
    let isMove: Bool

    func copy(_ file: FileDescriptor, _ status: ItemStatus, to copy: FileDescriptor) throws {
        let names = try ExtendedAttributes(file: file, context: source).rawNames()
        // Extended attributes before the permissions, which may forbid them; access control lists after the
        // permissions, which change with the others.
        for name in names where name.starts(with: Self.user) {
            let code = try transfer(name, file, to: copy)
            if code != 0, isMove { throw isLost(name, code) }
        }
        var permissions = status.permissions & 0o1777
        try target.check(fchmod(copy.raw, permissions))
        for name in names where Self.lists.contains(name) {
            if try transfer(name, file, to: copy) != 0, name == Self.lists[0] {
                // With a list, the bits in the middle are its mask: alone they would give the group more than it had.
                permissions &= 0o1707
                try target.check(fchmod(copy.raw, permissions))
            }
        }
        try target.check(copy.setModified(status.modified))
    }

    private static let user = Array("user.".utf8)
    private static let lists = ["system.posix_acl_access", "system.posix_acl_default"].map { Array($0.utf8) }

    /// Returns 0, or errno if the target does not keep the attribute.
    private func transfer(_ name: [UInt8], _ file: FileDescriptor, to copy: FileDescriptor) throws -> Int32 {
        guard let value = try ExtendedAttributes(file: file, context: source).value(of: name) else { return 0 }
        let code = ExtendedAttributes(file: copy, context: target).set(name, value)
        let cannot = [0, EOPNOTSUPP, ENOSYS, EPERM, EACCES, ENOSPC, EDQUOT, E2BIG, ERANGE, EINVAL].contains(code)
        guard cannot else { throw target.error(code) }
        return code
    }

    private func isLost(_ name: [UInt8], _ code: Int32) -> CocoaError {
        FileError.make(
            .fileWriteUnknown, path: target.path, url: target.url,
            sentence:
                "The storage of “\(target.path)” does not keep the extended attribute “\(String(decoding: name, as: UTF8.self))” of "
                + "“\(source.path)”, which moving would lose; copy it instead.",
            underlying: POSIXErrorCode(rawValue: code).map { POSIXError($0) })
    }
}

/// The extended attributes of an open file or folder. Source: xattr(7).
struct ExtendedAttributes {
    let file: FileDescriptor
    let context: LocalContext

    /// Bytes of one value, and of all names together: the kernel's own limits.
    static let maxSize = 65_536

    /// Returns all names, with their namespaces; none if the storage has no extended attributes.
    func rawNames() throws -> [[UInt8]] {
        let names = try bytes { carrel_flistxattr(file.raw, $0, $1) } ?? []
        return names.split(separator: 0).map(Array.init)
    }

    /// Returns the value; nil if there is none of that name, or it may not be read.
    func value(of name: [UInt8]) throws -> [UInt8]? {
        try name.withName { name in try bytes { carrel_fgetxattr(file.raw, name, $0, $1) } }
    }

    /// Returns 0, or errno.
    func set(_ name: [UInt8], _ value: [UInt8]) -> Int32 {
        name.withName { name in
            value.withUnsafeBytes { carrel_fsetxattr(file.raw, name, $0.baseAddress, $0.count) == 0 ? 0 : errno }
        }
    }

    /// Returns the bytes of `call`. Most are few, so a small buffer is tried first.
    private func bytes(_ call: (UnsafeMutablePointer<CChar>?, Int) -> Int) throws -> [UInt8]? {
        for capacity in [512, Self.maxSize] {
            let found: [UInt8]? = withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
                let count = call(buffer.baseAddress, capacity)
                return count < 0
                    ? nil : Array(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
            }
            if let found { return found }
            switch errno {
            case ERANGE: continue
            case ENODATA, EOPNOTSUPP, ENOSYS, EPERM, EACCES: return nil
            default: throw context.error()
            }
        }
        throw context.error(E2BIG)
    }
}
