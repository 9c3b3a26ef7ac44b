import FileProviderCore
import Foundation
import LocalFileProvider
import Testing

@Suite struct LocalCopyTests {
    /// Bytes at some offsets, and holes between them.
    private struct Layout: CustomTestStringConvertible {
        let testDescription: String
        let size: Int
        let data: [Int]

        static let all = [
            Layout(testDescription: "hole at the end", size: 12 << 20, data: [0]),
            Layout(testDescription: "holes between", size: 12 << 20, data: [0, 5 << 20, (12 << 20) - 4096]),
            Layout(testDescription: "hole in front", size: 9 << 20, data: [(9 << 20) - 4096]),
            Layout(testDescription: "nothing but a hole", size: 3 << 20, data: []),
            Layout(testDescription: "a hole and an odd end", size: (6 << 20) + 77, data: [8192]),
        ]

        func make(at path: String) throws {
            let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o644)
            try #require(file >= 0)
            defer { close(file) }
            try #require(ftruncate(file, off_t(size)) == 0)
            for offset in data {
                let piece = [UInt8](repeating: UInt8(offset >> 12 & 0x7F) + 1, count: 4096)
                try #require(pwrite(file, piece, piece.count, off_t(offset)) == piece.count)
            }
        }
    }

    @Test(arguments: Layout.all, KernelCalls.waysToCopy)
    private func `holes stay holes, and the bytes the same`(layout: Layout, calls: KernelCalls) async throws {
        let folder = try TestFolder(calls: calls)
        try layout.make(at: folder.root + "/sparse")
        let progress = ProgressReporter()
        try await folder.provider.copyItem(
            path: ProviderPath("/sparse"), to: ProviderPath("/copy"), overwrite: false, progress: progress)
        #expect(FileManager.default.contentsEqual(atPath: folder.root + "/sparse", andPath: folder.root + "/copy"))
        #expect(progress.completed == Int64(layout.size))
        let blocks = try folder.status("/copy").st_blocks
        if calls.contains(.dataAndHoles) {
            #expect(blocks <= layout.data.count * 16 + 16, "\(blocks) blocks of 512 bytes")
        }
        // The copy within a tree goes the same way.
        try folder.makeFolder("/tree")
        try layout.make(at: folder.root + "/tree/sparse")
        try await folder.provider.copy("/tree", to: "/tree copy")
        #expect(
            FileManager.default.contentsEqual(
                atPath: folder.root + "/sparse", andPath: folder.root + "/tree copy/sparse"))
    }

    @Test(arguments: KernelCalls.waysToCopy)
    func `bytes arrive whole, however they are copied, also on another file system`(calls: KernelCalls) async throws {
        let here = try TestFolder()
        let there = try TestFolder(in: "/dev/shm")
        let machine = try TestFolder.machine(calls: calls)
        var bytes = [UInt8](repeating: 0, count: (9 << 20) + 123)
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 31 >> 3) }
        try Data(bytes).write(to: URL(fileURLWithPath: here.root + "/file"))
        for target in [here.root + "/copy", there.root + "/copy"] {
            try await machine.copy(here.root + "/file", to: target)
            #expect(FileManager.default.contentsEqual(atPath: here.root + "/file", andPath: target))
        }
    }

    @Test(
        arguments: ["/proc/self/status", "/proc/cpuinfo", "/sys/kernel/mm/transparent_hugepage/enabled"],
        KernelCalls.waysToCopy)
    func `a file that the kernel makes up is copied, whatever it says of its size`(path: String, calls: KernelCalls)
        async throws
    {
        guard FileManager.default.isReadableFile(atPath: path) else { return }
        let folder = try TestFolder()
        try await TestFolder.machine(calls: calls).copy(path, to: folder.root + "/copy")
        let text = try #require(folder.text("/copy"))
        #expect(text.count > 5 && !text.contains("\0"))
    }

    @Test(arguments: KernelCalls.waysToCopy)
    func `a file that grows while it is copied is an error, and nothing is left`(calls: KernelCalls) async throws {
        let folder = try TestFolder(calls: calls)
        try Data(count: 24 << 20).write(to: URL(fileURLWithPath: folder.root + "/log"))
        let writer = LockedValue(open(folder.root + "/log", O_WRONLY | O_APPEND))
        defer { close(writer.value) }
        let progress = ProgressReporter { completed, _ in
            if completed > 0 { _ = writer.update { write($0, "more", 4) } }
        }
        await #expect {
            try await folder.provider.copyItem(
                path: ProviderPath("/log"), to: ProviderPath("/copy"), overwrite: false, progress: progress)
        } throws: { $0.cause == .ESTALE }
        #expect(try folder.names() == ["log"])
    }

    @Test func `permissions, attributes and times go along, set-user bits do not`() async throws {
        let folder = try TestFolder()
        try folder.put("x", at: "/file", permissions: 0o4751)
        try folder.makeFolder("/tree")
        try folder.put("x", at: "/tree/read only", permissions: 0o444)
        try await folder.provider.setExtendedAttribute(
            "user.comment", to: Array("hello".utf8), path: ProviderPath("/tree/read only"))
        try await folder.provider.setExtendedAttribute(
            "user.comment", to: Array("folder".utf8), path: ProviderPath("/tree"))
        try await folder.provider.setExtendedAttribute("user.\u{E9}", to: [0, 255, 0], path: ProviderPath("/file"))
        let date = Date(timeIntervalSince1970: 1_000_000_000.5)
        try await folder.provider.setAttributes(path: ProviderPath("/file"), permissions: nil, modificationDate: date)
        try await folder.provider.copy("/file", to: "/copy")
        try await folder.provider.copy("/tree", to: "/tree copy")
        let copy = try await folder.provider.attributesOfItem(path: ProviderPath("/copy"))
        #expect(copy.permissions == 0o751 && copy.modifiedDate == date)
        #expect(
            try await folder.provider.extendedAttributes(path: ProviderPath("/copy")) == ["user.\u{E9}": [0, 255, 0]])
        #expect(
            try await folder.provider.extendedAttribute("user.comment", path: ProviderPath("/tree copy"))
                == Array("folder".utf8))
        let inside = try ProviderPath("/tree copy/read only")
        #expect(try await folder.provider.extendedAttribute("user.comment", path: inside) == Array("hello".utf8))
        #expect(try await folder.provider.attributesOfItem(path: inside).permissions == 0o444)
    }

    /// The kernel's form of an access control list: version 2, then tag, permissions and number of each entry. Source:
    /// acl(5).
    private static func list(_ entries: [(tag: UInt16, permissions: UInt16, number: UInt32)]) -> [UInt8] {
        entries.reduce(into: [2, 0, 0, 0]) { bytes, entry in
            withUnsafeBytes(of: entry.tag.littleEndian) { bytes += $0 }
            withUnsafeBytes(of: entry.permissions.littleEndian) { bytes += $0 }
            withUnsafeBytes(of: entry.number.littleEndian) { bytes += $0 }
        }
    }

    @Test func `an access control list goes along, and where it cannot, nobody gains by it`() async throws {
        let folder = try TestFolder()
        try folder.put("x", at: "/file", permissions: 0o600)
        // The owner rw, user 1234 rw, the group nothing, the mask rw, others nothing: the bits say 0660.
        let list = Self.list([(1, 6, .max), (2, 6, 1234), (4, 0, .max), (16, 6, .max), (32, 0, .max)])
        let path = try ProviderPath("/file")
        do { try await folder.provider.setExtendedAttribute("system.posix_acl_access", to: list, path: path) } catch let
            error
            where error.fileCode == .featureUnsupported
        { return }
        #expect(try await folder.provider.attributesOfItem(path: path).permissions == 0o660)
        try await folder.provider.copy("/file", to: "/copy")
        let copied = try await folder.provider.extendedAttribute("system.posix_acl_access", path: ProviderPath("/copy"))
        #expect(copied == list)
        #expect(try await folder.provider.attributesOfItem(path: ProviderPath("/copy")).permissions == 0o660)
    }

    @Test func `what another file system cannot keep is left out of a copy and stops a move`() async throws {
        let here = try TestFolder()
        let there = try TestFolder(in: "/dev/shm")
        try there.put("x", at: "/file")
        let path = try ProviderPath("/file")
        let large = [UInt8](repeating: 7, count: 60_000)
        // What memory keeps and ext4 does not; elsewhere there is nothing to see.
        do {
            try await there.provider.setExtendedAttribute("user.large", to: large, path: path)
            try here.put("x", at: "/probe")
            try await here.provider.setExtendedAttribute("user.large", to: large, path: ProviderPath("/probe"))
            return
        } catch {
            guard try await there.provider.extendedAttribute("user.large", path: path) == large else { return }
        }
        let machine = try TestFolder.machine()
        try await machine.copy(there.root + "/file", to: here.root + "/copy")
        #expect(try await here.provider.extendedAttributes(path: ProviderPath("/copy")).isEmpty)
        await #expect { try await machine.move(there.root + "/file", to: here.root + "/moved") } throws: {
            $0.sentence.contains("user.large") && $0.sentence.contains("lose")
        }
        #expect(there.text("/file") == "x")
        #expect(try here.names() == ["copy", "probe"])
    }
}
