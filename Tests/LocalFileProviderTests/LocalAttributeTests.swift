import FileProviderCore
import Foundation
import LocalFileProvider
import Testing

@Suite struct LocalAttributeTests {
    @Test(arguments: [UInt16(0), 0o640, 0o777, 0o1755, 0o4755])
    func `permissions are set as asked, also of a file that nobody may read`(permissions: UInt16) async throws {
        let folder = try TestFolder()
        try folder.put("x", at: "/file", permissions: 0)
        try folder.makeFolder("/folder")
        for path in [try ProviderPath("/file"), try ProviderPath("/folder"), .root] {
            try await folder.provider.setAttributes(path: path, permissions: permissions, modificationDate: nil)
            #expect(try await folder.provider.attributesOfItem(path: path).permissions == permissions)
        }
        try await folder.provider.setAttributes(path: .root, permissions: 0o755, modificationDate: nil)
    }

    @Test(arguments: [WriteOptions.Placement.published, .inPlace], [UInt16(0o600), 0o444, 0o646])
    func `a file is written with the permissions that are asked for, new or not`(
        placement: WriteOptions.Placement, permissions: UInt16
    ) async throws {
        let folder = try TestFolder()
        try folder.put("x", at: "/old", permissions: 0o777)
        for name in ["/old", "/new"] {
            let options = WriteOptions(overwrite: true, placement: placement, permissions: permissions)
            let path = try ProviderPath(name)
            let written = try await folder.provider.writeContents(
                path: path, from: DataSource(Data("1".utf8)), options: options)
            #expect(written.permissions == permissions)
            #expect(try await folder.provider.attributesOfItem(path: path).permissions == permissions)
        }
        // Nothing asked for: those of the file that is replaced.
        try await folder.provider.writeContents(path: ProviderPath("/old"), contents: Data("2".utf8), overwrite: true)
        #expect(try await folder.provider.attributesOfItem(path: ProviderPath("/old")).permissions == permissions)
    }

    @Test func `times are set of items and of links themselves, and what is not asked for stays`() async throws {
        let folder = try TestFolder()
        try folder.put("x", at: "/file", permissions: 0o640)
        folder.link("/link", to: "file")
        let old = Date(timeIntervalSince1970: -1.25)
        let before = try #require(try await folder.provider.attributesOfItem(path: ProviderPath("/file")).modifiedDate)
        try await folder.provider.setAttributes(path: ProviderPath("/link"), permissions: nil, modificationDate: old)
        #expect(try await folder.provider.attributesOfItem(path: ProviderPath("/link")).modifiedDate == old)
        #expect(try await folder.provider.attributesOfItem(path: ProviderPath("/file")).modifiedDate == before)
        try await folder.provider.setAttributes(path: ProviderPath("/file"), permissions: nil, modificationDate: old)
        let file = try await folder.provider.attributesOfItem(path: ProviderPath("/file"))
        #expect(file.modifiedDate == old && file.permissions == 0o640)
        await #expect {
            try await folder.provider.setAttributes(
                path: ProviderPath("/link"), permissions: 0o600, modificationDate: nil)
        } throws: { $0.fileCode == .featureUnsupported }
        await #expect {
            try await folder.provider.setAttributes(
                path: ProviderPath("/none"), permissions: 0o600, modificationDate: nil)
        } throws: { $0.fileCode == .fileNoSuchFile }
    }

    @Test(arguments: [1e300, -1e300, Double.infinity, .nan])
    func `a time that no clock can show does not crash`(seconds: Double) async throws {
        let folder = try TestFolder(in: "/dev/shm")
        try folder.put("x", at: "/file")
        let path = try ProviderPath("/file")
        // The storage may refuse it or keep the nearest it can; either way the file can still be looked at.
        try? await folder.provider.setAttributes(
            path: path, permissions: nil, modificationDate: Date(timeIntervalSince1970: seconds))
        let item = try await folder.provider.attributesOfItem(path: path)
        #expect(item.modifiedDate != nil && item.entryTag != nil)
        #expect(try await folder.provider.text("/file") == "x")
    }

    @Test func `extended attributes are set, read, listed and removed`() async throws {
        let folder = try TestFolder()
        let provider = folder.provider
        try folder.put("x", at: "/file")
        try folder.makeFolder("/folder")
        for path in [try ProviderPath("/file"), try ProviderPath("/folder"), .root] {
            #expect(try await provider.extendedAttributes(path: path).isEmpty)
            try await provider.setExtendedAttribute("user.one", to: Array("1".utf8), path: path)
            try await provider.setExtendedAttribute("user.one", to: Array(repeating: 0, count: 2000), path: path)
            try await provider.setExtendedAttribute("user.empty", to: [], path: path)
            #expect(
                try await provider.extendedAttributes(path: path) == [
                    "user.one": Array(repeating: 0, count: 2000), "user.empty": [],
                ])
            try await provider.removeExtendedAttribute("user.one", path: path)
            try await provider.removeExtendedAttribute("user.one", path: path)
            #expect(try await provider.extendedAttribute("user.one", path: path) == nil)
            #expect(try await provider.extendedAttribute("user.empty", path: path) == [])
        }
    }

    @Test func `what cannot be an extended attribute is refused with a reason`() async throws {
        let folder = try TestFolder()
        let provider = folder.provider
        try folder.put("x", at: "/file")
        folder.link("/link", to: "file")
        #expect(mkfifo(folder.root + "/pipe", 0o600) == 0)
        let file = try ProviderPath("/file")
        await #expect {
            try await provider.setExtendedAttribute("user.large", to: Array(repeating: 1, count: 70_000), path: file)
        } throws: {
            $0 is CocoaError
        }
        await #expect { try await provider.setExtendedAttribute("unknown.name", to: [1], path: file) } throws: {
            $0.fileCode == .featureUnsupported
        }
        for path in ["/link", "/pipe"] {
            await #expect { try await provider.extendedAttributes(path: ProviderPath(path)) } throws: {
                $0.fileCode == .featureUnsupported
            }
        }
        await #expect { try await provider.extendedAttributes(path: ProviderPath("/none")) } throws: {
            $0.fileCode == .fileReadNoSuchFile
        }
        #expect(try await provider.extendedAttributes(path: file).isEmpty)
    }

    @Test func `the volume tells its name, its room and whether it may be written`() async throws {
        let folder = try TestFolder(in: "/dev/shm")
        let memory = try #require(try await folder.provider.storageProperties())
        #expect(memory.name == "shm" && !memory.isReadOnly)
        let (total, available, usage) = (
            try #require(memory.totalCapacity), try #require(memory.availableCapacity), try #require(memory.usage)
        )
        #expect(total > 0 && available <= total && usage >= 0 && usage <= total)
        #expect(try await TestFolder.machine().storageProperties()?.name == "/")
    }
}
