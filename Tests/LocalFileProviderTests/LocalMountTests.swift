import FileProviderCore
import Foundation
import Testing

@testable import LocalFileProvider

@Suite struct LocalMountTests {
    private func mount(_ line: String) -> LocalMount? { LocalMount(line: Array(line.utf8)) }

    @Test func `a line tells number, device, place and kind`() throws {
        let disk = try #require(
            mount("36 35 98:0 /sub /mnt/a\\040b\\134c rw,noatime master:1 - ext3 /dev/root rw,errors=continue"))
        #expect(disk.identifier == 36 && disk.device == "98:0" && disk.type == "ext3" && !disk.isMountedOnAccess)
        #expect(try disk.point == ProviderPath("/mnt/a b\\c"))
        let bytes = Array("40 35 0:44 / /mnt/".utf8) + [0xff] + Array(" rw - autofs systemd-1 rw".utf8)
        let automatic = try #require(LocalMount(line: bytes))
        #expect(automatic.isMountedOnAccess && automatic.point.nameBytes == [0xff])
        for line in [
            "", "36 35 98:0 / /mnt rw", "36 35 98:0 / /mnt rw shared:1 -", "x 35 98:0 / /mnt rw - ext4 /dev/a rw",
        ] {
            #expect(mount(line) == nil, "\(line)")
        }
    }

    @Test func `what is mounted below a folder is waited for with it, each file system once`() async throws {
        let machine = try TestFolder.machine()
        let context = machine.context(.root, writing: false)
        func devices(below path: String) throws -> [UInt] {
            let folder = try FileDescriptor(path: path, flags: LocalFlags.names)
            return try machine.mounted(below: folder, context: context).map { try ItemStatus(of: $0, context).device }
        }
        let memory = try ItemStatus(of: FileDescriptor(path: "/dev/shm", flags: LocalFlags.names), context).device
        for path in ["/", "/dev"] {
            let found = try devices(below: path)
            #expect(found.contains(memory) && Set(found).count == found.count, "\(path)")
        }
        #expect(try devices(below: "/dev/shm").isEmpty)
        try await machine.synchronize(path: ProviderPath("/dev"))
    }

    /// The copy took a while, and then the original goes.
    @Test(arguments: [nil, "/tree/sub/two", "/tree/sub/new", "/tree/link"])
    func `of a move to another file system, what changed meanwhile stays`(changed: String?) throws {
        let folder = try TestFolder()
        try folder.makeFolder("/tree/sub")
        for name in ["one", "two"] { try folder.put(name, at: "/tree/sub/\(name)") }
        folder.link("/tree/link", to: "sub")
        let context = try LocalFileProvider(root: URL(fileURLWithPath: folder.root)).context(
            ProviderPath("tree"), writing: true)
        let top = try FileDescriptor(path: folder.root, flags: LocalFlags.names)
        func entry(_ name: String) -> LocalEntry { LocalEntry(folder: top, name: Array(name.utf8)) }
        let copied = CopiedItems()
        let copy = LocalCopy(
            overwrite: false, copied: copied, source: context, target: context, flag: CancellationFlag())
        try copy.run(from: entry("tree"), to: entry("copy"))
        if let changed {
            // As programs save: the new version takes the name, whatever its size and time.
            try folder.put("new", at: "/new")
            try #require(rename(folder.root + "/new", folder.root + changed) == 0)
        }
        let removal = LocalRemoval(
            flag: CancellationFlag(), context: context, progress: ProgressReporter(), copied: copied)
        guard let changed else {
            try removal.runAside(entry("tree"), calls: .all)
            return #expect(try folder.names() == ["copy", "copy/link", "copy/sub", "copy/sub/one", "copy/sub/two"])
        }
        let error = #expect(throws: CocoaError.self) { try removal.runAside(entry("tree"), calls: .all) }
        #expect((error?.underlying as? POSIXError)?.code == .ESTALE)
        #expect(folder.text(changed) == "new")
        #expect(try folder.names().filter { $0.hasPrefix("copy") }.count == 5)
        #expect(try !folder.names().contains { TemporaryName.matches($0) })
    }

    @Test func `what was changed while it was moved away comes back beside what took its name`() throws {
        let folder = try TestFolder()
        try folder.put("old", at: "/a.b.txt")
        try folder.put("new", at: "/aside")
        let top = try FileDescriptor(path: folder.root, flags: LocalFlags.names)
        func entry(_ name: String) -> LocalEntry { LocalEntry(folder: top, name: Array(name.utf8)) }
        let names = entry("a.b.txt").namesForChanged.map { String(decoding: $0, as: UTF8.self) }
        #expect(names.count == 9 && names[0] == "a.b (changed).txt" && names[8] == "a.b (changed 9).txt")
        #expect(entry(".a").namesForChanged[0] == Array(".a (changed)".utf8))
        entry("aside").comeBack(to: entry("a.b.txt"), calls: .all, isFolder: false)
        #expect(folder.text("/a.b.txt") == "old" && folder.text("/a.b (changed).txt") == "new")
    }
}
