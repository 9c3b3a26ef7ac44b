package import Foundation

/// Python's zipfile as an independent reader of ZIP archives.
package enum ZIPJudge {
    private static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Whether Python is installed.
    package static var isAvailable: Bool { python != nil }

    /// The comment of the archive, then a line for each entry with its name, how it is packed, and its content as text;
    /// `damaged` if one of the checksums is wrong.
    package static func report(on archive: Data) throws -> [String] {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "archive.zip")
        try archive.write(to: file)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: python ?? "/usr/bin/python3")
        process.arguments = ["-c", script, file.path(percentEncoded: false)]
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static let script = """
        import sys, zipfile
        with zipfile.ZipFile(sys.argv[1]) as archive:
            if archive.testzip() is not None:
                print("damaged")
            print("comment", archive.comment.decode())
            for item in archive.infolist():
                print(item.filename, item.compress_type, archive.read(item)[:60].decode(errors="replace"))
        """
}
