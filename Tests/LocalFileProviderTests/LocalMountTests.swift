import FileProviderCore
import Foundation
import Testing

@testable import LocalFileProvider

@Suite struct LocalMountTests {
    private func mount(_ line: String) -> LocalMount? { LocalMount(line: Array(line.utf8)) }

    @Test func `a line tells number, device, place and kind`() throws {
        let disk = try #require(mount("36 35 98:0 /sub /mnt/a\\040b\\134c rw,noatime master:1 - ext3 /dev/root rw,errors=continue"))
        #expect(disk.identifier == 36 && disk.device == "98:0" && disk.type == "ext3" && !disk.isMountedOnAccess)
        #expect(try disk.point == ProviderPath("/mnt/a b\\c"))
        let bytes = Array("40 35 0:44 / /mnt/".utf8) + [0xff] + Array(" rw - autofs systemd-1 rw".utf8)
        let automatic = try #require(LocalMount(line: bytes))
        #expect(automatic.isMountedOnAccess && automatic.point.nameBytes == [0xff])
        for line in ["", "36 35 98:0 / /mnt rw", "36 35 98:0 / /mnt rw shared:1 -", "x 35 98:0 / /mnt rw - ext4 /dev/a rw"] {
            #expect(mount(line) == nil, "\(line)")
        }
    }

    @Test func `what is mounted below a folder is waited for with it, each file system once`() async throws {
        let machine = try TestFolder.machine()
        let context = machine.context(.root, writing: false)
        func devices(below path: String) throws -> [UInt] {
            let folder = try FileDescriptor(path: path, flags: LocalFlags.names)
            return try machine.mounted(below: folder, context).map { try ItemStatus(of: $0, context).device }
        }
        let memory = try ItemStatus(of: FileDescriptor(path: "/dev/shm", flags: LocalFlags.names), context).device
        for path in ["/", "/dev"] {
            let found = try devices(below: path)
            #expect(found.contains(memory) && Set(found).count == found.count, "\(path)")
        }
        #expect(try devices(below: "/dev/shm").isEmpty)
        try await machine.synchronize(path: ProviderPath("/dev"))
    }
}
