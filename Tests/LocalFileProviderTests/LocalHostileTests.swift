import FileProviderCore
import Foundation
import LocalFileProvider
import Testing

@Suite struct LocalHostileTests {
    /// A pipe, a socket and a link to a device.
    private static func prepare(_ folder: TestFolder) throws {
        #expect(mkfifo(folder.root + "/pipe", 0o600) == 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = "/tmp/carrel-\(UInt64.random(in: .min ... .max))"
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(bound == 0 && rename(path, folder.root + "/socket") == 0)
        folder.link("/device", to: "/dev/zero")
    }

    @Test(arguments: ["pipe", "socket"], KernelCalls.bothWaysDown)
    func `what is neither file nor folder is shown, moved and removed, and never opened`(
        name: String, calls: KernelCalls
    ) async throws {
        let folder = try TestFolder(calls: calls)
        try Self.prepare(folder)
        let provider = folder.provider
        #expect(try await provider.attributesOfItem(path: ProviderPath("/" + name)).type == .other)
        await #expect { try await provider.open(path: ProviderPath("/" + name)) } throws: {
            $0.sentence.contains("not a regular file")
        }
        await #expect { try await provider.copy("/" + name, to: "/copy") } throws: {
            $0.fileCode == .featureUnsupported
        }
        await #expect {
            try await provider.write("x", to: "/" + name, options: WriteOptions(overwrite: true, placement: .inPlace))
        } throws: { $0 is CocoaError }
        try await provider.move("/" + name, to: "/moved")
        try await provider.write("x", to: "/moved", options: WriteOptions(overwrite: true))
        #expect(folder.text("/moved") == "x")
        #expect(try folder.names().filter { $0 == "moved" || $0 == name } == ["moved"])
    }

    @Test(arguments: KernelCalls.bothWaysDown)
    func `a device is not read, neither by its name nor through a link`(calls: KernelCalls) async throws {
        let folder = try TestFolder(calls: calls)
        try Self.prepare(folder)
        let machine = try TestFolder.machine(calls: calls)
        for path in ["/dev/zero", folder.root + "/device"] {
            await #expect { try await machine.text(path) } throws: { $0.sentence.contains("not a regular file") }
        }
        await #expect { try await machine.copy("/dev/zero", to: folder.root + "/copy") } throws: {
            $0.fileCode == .featureUnsupported
        }
        await #expect { try await folder.provider.text("/device") } throws: { $0.fileCode == .fileReadNoPermission }
    }

    /// Root may do everything, so a process of its own becomes nobody.
    @Test func `without permission there is a reason, and nothing is left behind`() async {
        await #expect(processExitsWith: .success) {
            if geteuid() == 0 { try #require(setgid(65_534) == 0 && setuid(65_534) == 0) }
            for calls in KernelCalls.bothWaysDown {
                let folder = try TestFolder(in: "/tmp", calls: calls)
                let provider = folder.provider
                try folder.makeFolder("/tree/closed/inner")
                try folder.makeFolder("/tree/unreadable/inner")
                try folder.makeFolder("/tree/unwritable/inner")
                try folder.put("x", at: "/tree/secret", permissions: 0)
                try #require(chmod(folder.root + "/tree/closed", 0) == 0)
                try #require(chmod(folder.root + "/tree/unreadable", 0o311) == 0)
                try #require(chmod(folder.root + "/tree/unwritable", 0o555) == 0)
                defer {
                    for name in ["closed", "unreadable", "unwritable"] { chmod(folder.root + "/tree/" + name, 0o755) }
                }
                func expect(_ code: CocoaError.Code, _ body: () async throws -> Void) async throws {
                    do {
                        try await body()
                        Issue.record("nothing was refused")
                    } catch { try #require(error.fileCode == code) }
                }
                try await expect(.fileReadNoPermission) {
                    _ = try await provider.attributesOfItem(path: ProviderPath("/tree/closed/inner"))
                }
                try await expect(.fileReadNoPermission) {
                    _ = try await provider.contentsOfDirectory(path: ProviderPath("/tree/closed"))
                }
                try await expect(.fileReadNoPermission) { _ = try await provider.text("/tree/secret") }
                try await expect(.fileWriteNoPermission) { try await provider.write("x", to: "/tree/unwritable/new") }
                try await expect(.fileWriteNoPermission) {
                    try await provider.createFolder(path: ProviderPath("/tree/unwritable/new"))
                }
                try await expect(.fileWriteNoPermission) {
                    try await provider.removeItem(path: ProviderPath("/tree/unwritable/inner"))
                }
                for path in ["/tree/secret", "/tree"] {
                    try await expect(.fileReadNoPermission) { try await provider.copy(path, to: "/copy") }
                }
                try await expect(.fileWriteNoPermission) {
                    try await provider.copy("/tree/unreadable", to: "/tree/unwritable/copy")
                }
                try await expect(.fileWriteNoPermission) {
                    try await provider.setExtendedAttribute("user.a", to: [1], path: ProviderPath("/tree/secret"))
                }
                try await expect(.fileWriteNoPermission) {
                    try await provider.removeItem(path: ProviderPath("/tree/closed"))
                }
                try #require(try FileManager.default.contentsOfDirectory(atPath: folder.root) == ["tree"])
                // A folder that can be passed but not listed: what is known by name works, and is brought onto the disk
                // as far as it goes.
                try await provider.write("known", to: "/tree/unreadable/new")
                try #require(try await provider.text("/tree/unreadable/new") == "known")
                try await provider.move("/tree/unreadable/new", to: "/tree/unreadable/moved")
                // What one may not read, one may still look at and give another permission.
                try await provider.setAttributes(
                    path: ProviderPath("/tree/secret"), permissions: 0o600, modificationDate: nil)
                try #require(try await provider.text("/tree/secret") == "x")
            }
        }
    }
}
