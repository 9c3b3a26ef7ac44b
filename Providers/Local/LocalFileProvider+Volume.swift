public import FileProviderCore
import Foundation

extension LocalFileProvider {
    /// What fstatvfs(3) says of the file system that holds the root. Its name is that of the folder where it is mounted.
    public func storageProperties() async throws -> VolumeObject? {
        try await BlockingThreads.shared.run { [self] _ in
            var status = statvfs()
            try context(.root, writing: false).check(fstatvfs(resolver.root.raw, &status))
            func bytes(_ blocks: UInt) -> Int64 {
                let product = blocks.multipliedReportingOverflow(by: UInt(status.f_frsize))
                return product.overflow ? .max : Int64(clamping: product.partialValue)
            }
            return VolumeObject(
                name: mountPoint().map { $0.isRoot ? "/" : $0.name }, totalCapacity: bytes(status.f_blocks),
                availableCapacity: bytes(status.f_bavail),
                usage: bytes(status.f_blocks - min(status.f_bfree, status.f_blocks)),
                isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0)
        }
    }

    /// Where the file system that holds the root is mounted; nil where /proc does not tell. Source: proc(5).
    private func mountPoint() -> ProviderPath? {
        guard let information = Self.lines(of: "/proc/self/fdinfo/\(resolver.root.raw)"),
            let number = information.first(where: { $0.starts(with: Array("mnt_id:".utf8)) })?.dropFirst(7),
            let mounts = Self.lines(of: "/proc/self/mountinfo")
        else { return nil }
        let identifier = number.filter { $0 > UInt8(ascii: " ") }
        // Fields: number, parent, device, root, mount point.
        let mount = mounts.lazy.map { $0.split(separator: UInt8(ascii: " "), maxSplits: 5) }
            .first { $0.count > 4 && $0[0].elementsEqual(identifier) }
        return mount.flatMap { try? ProviderPath(bytes: Self.unescaped($0[4])) }
    }

    private static func lines(of path: String) -> [ArraySlice<UInt8>]? {
        guard let file = try? FileDescriptor(path: path, flags: O_RDONLY) else { return nil }
        let buffer = TransferBuffer(count: LocalReader.piece)
        var bytes: [UInt8] = []
        // Longer than that is no table that a person has set up.
        while bytes.count <= 16 << 20, let count = try? file.read(into: buffer.bytes, at: Int64(bytes.count), path: .root) {
            if count == 0 { return bytes.split(separator: UInt8(ascii: "\n")) }
            bytes += buffer.first(count)
        }
        return nil
    }

    /// Space, tab, line feed and backslash stand as a backslash with three octal digits.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8) {
                result.append(code)
                rest = rest.dropFirst(3)
            } else {
                result.append(byte)
            }
        }
        return result
    }
}
