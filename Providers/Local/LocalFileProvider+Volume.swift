public import FileProviderCore
import Foundation

extension LocalFileProvider {
    /// Returns the capacity of the file system that holds the root, from fstatvfs(3). Its name is that of its mount
    /// point.
    public func storageProperties() async throws -> VolumeObject? {
        try await BlockingThreads.shared.run { [self] _ in
            var status = statvfs()
            try context(.root, writing: false).check(fstatvfs(resolver.root.raw, &status))
            func bytes(_ blocks: UInt) -> Int64 {
                let product = blocks.multipliedReportingOverflow(by: UInt(status.f_frsize))
                return product.overflow ? .max : Int64(clamping: product.partialValue)
            }
            let point = LocalMount(holding: resolver.root, of: LocalMount.all())?.point
            return VolumeObject(
                name: point.map { $0.isRoot ? "/" : $0.name }, totalCapacity: bytes(status.f_blocks),
                availableCapacity: bytes(status.f_bavail),
                usage: bytes(status.f_blocks - min(status.f_bfree, status.f_blocks)),
                isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0)
        }
    }
}
