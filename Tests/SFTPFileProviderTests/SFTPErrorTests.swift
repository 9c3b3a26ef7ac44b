import FaultServer
import FileProviderCore
import Foundation
import SFTPEngine
import Testing

@testable import SFTPFileProvider

/// Every status, and every word, as Foundation's errors.
@Suite struct SFTPErrorTests {
    private struct Case: Sendable {
        let code: UInt32
        var text = ""
        var reading: CocoaError.Code?
        var writing: CocoaError.Code?
        var posix: POSIXErrorCode?
    }

    private static let cases = [
        Case(code: 2, reading: .fileReadNoSuchFile, writing: .fileNoSuchFile),
        Case(code: 10, reading: .fileReadNoSuchFile, writing: .fileNoSuchFile),
        Case(code: 3, reading: .fileReadNoPermission, writing: .fileWriteNoPermission),
        Case(code: 8, reading: .featureUnsupported, writing: .featureUnsupported),
        Case(code: 11, reading: .fileWriteFileExists, writing: .fileWriteFileExists),
        Case(code: 12, reading: .fileWriteVolumeReadOnly, writing: .fileWriteVolumeReadOnly),
        Case(code: 14, reading: .fileWriteOutOfSpace, writing: .fileWriteOutOfSpace),
        Case(code: 15, reading: .fileWriteOutOfSpace, writing: .fileWriteOutOfSpace),
        Case(code: 18, posix: .ENOTEMPTY), Case(code: 19, posix: .ENOTDIR), Case(code: 24, posix: .EISDIR),
        Case(code: 20, reading: .fileWriteInvalidFileName, writing: .fileWriteInvalidFileName),
        Case(code: 4), Case(code: 5), Case(code: 1), Case(code: 9), Case(code: 4_000_000_000),
        Case(code: 4, text: "No space left on device", reading: .fileWriteOutOfSpace, writing: .fileWriteOutOfSpace),
        Case(
            code: 4, text: "Read-only file system", reading: .fileWriteVolumeReadOnly, writing: .fileWriteVolumeReadOnly
        ),
        Case(code: 4, text: "Directory not empty", posix: .ENOTEMPTY),
        Case(code: 4, text: "Directory is not empty", posix: .ENOTEMPTY),
        Case(code: 4, text: "File already exists", reading: .fileWriteFileExists, writing: .fileWriteFileExists),
        Case(code: 4, text: "Not a directory", posix: .ENOTDIR), Case(code: 4, text: "Is a directory", posix: .EISDIR),
        Case(code: 4, text: "File is a directory", posix: .EISDIR),
        Case(code: 4, text: "File name too long", posix: .ENAMETOOLONG),
        Case(code: 4, text: "No such file or directory", reading: .fileReadNoSuchFile, writing: .fileNoSuchFile),
        Case(
            code: 4, text: "open x: permission denied", reading: .fileReadNoPermission, writing: .fileWriteNoPermission),
        Case(code: 4, text: "Operation not permitted", reading: .fileReadNoPermission, writing: .fileWriteNoPermission),
        Case(code: 4, text: "Something else"),
    ]

    @Test func `Every status has its error, with path, URL and the server's words`() throws {
        let path = try ProviderPath("shelf/a b")
        let url = try #require(URL(string: "sftp://shelf.example/shelf/a%20b"))
        for item in Self.cases {
            for isWriting in [false, true] {
                let status = SFTPStatus(code: item.code, message: item.text)
                let error = SFTPCondition(status: status, path: path, url: url, isWriting: isWriting).error
                let note = Comment(rawValue: "\(item): \(error)")
                #expect(error.posixCode == item.posix, note)
                if let code = isWriting ? item.writing : item.reading { #expect(error.cocoaCode == code, note) }
                if let error = error as? CocoaError {
                    #expect(error.filePath == "/shelf/a b" && error.url == url, note)
                    #expect(item.posix != nil || error.status?.code.rawValue == item.code, note)
                } else {
                    #expect(error.status?.path == "/shelf/a b", note)
                }
                #expect(error.sentence.contains("/shelf/a b") && !error.sentence.contains("\n"), note)
                if item.posix == nil, !item.text.isEmpty { #expect(error.status?.serverDescription == item.text, note) }
            }
        }
    }

    @Test func `What a server says is kept short and on one line`() throws {
        let long = SFTPStatusError(
            SFTPStatus(code: 4, message: "\u{1B}[31mred\r\n\u{0}" + String(repeating: "x", count: 5_000)),
            path: try ProviderPath("a"))
        let words = try #require(long.serverDescription)
        #expect(words.count <= 200 && words.hasPrefix("[31mred") && !words.unicodeScalars.contains { $0.value < 32 })
        #expect(SFTPStatusError(SFTPStatus(code: 4, message: "\n"), path: .root).serverDescription == nil)
        let error = long as NSError
        #expect(error.domain == "SFTP" && error.code == 4 && error.localizedDescription.isEmpty == false)
    }

    @Test func `Secrets of the URL show in no error and no description`() async throws {
        try await withSFTPProvider(.init { $0.kind == .lstat ? [.status(.permissionDenied)] : [] }) { _, provider in
            let error = try await SFTPFaults.mustFail { try await SFTPActivity.look.run(provider) }
            #expect((error as? CocoaError)?.url?.absoluteString == "sftp://shelf.example/book")
            var dumped = ""
            dump(error, to: &dumped)
            #expect(!dumped.contains(SFTPFaults.secret))
            #expect(
                !"\(provider.configuration)".contains(SFTPFaults.secret)
                    && !"\(provider.url(of: .root))".contains("anna"))
            let kept = try JSONEncoder().encode(provider.configuration)
            #expect(!String(decoding: kept, as: UTF8.self).contains(SFTPFaults.secret))
            try #expect(JSONDecoder().decode(SFTPConfiguration.self, from: kept) == provider.configuration)
        }
    }

    @Test(arguments: [SFTPDouble.Code.noConnection, .connectionLost])
    func `A server that has lost its own storage is asked again`(
        code: SFTPDouble.Code
    ) async throws {
        for doing in SFTPActivity.allCases where doing.isReading {
            let kinds: Set<SFTPDouble.Kind> = [.lstat, .opendir, .open]
            let settings = SFTPDouble.Settings { kinds.contains($0.kind) && $0.occurrence == 1 ? [.status(code)] : [] }
            try await withSFTPProvider(settings, options: { $0.retries.retries = 3 }) { double, provider in
                try await doing.run(provider)
                #expect(double.requests.contains { kinds.contains($0.kind) && $0.occurrence > 1 }, "\(doing)")
            }
        }
    }

    @Test func `Names that are too long are refused, and looked for in vain`() async throws {
        try await withSFTPProvider { double, provider in
            let path = try ProviderPath(String(repeating: "a", count: 300))
            let missing = try await SFTPFaults.mustFail { try await provider.attributesOfItem(path: path) }
            #expect(missing.cocoaCode == .fileReadNoSuchFile, "\(missing)")
            let folder = try await SFTPFaults.mustFail { try await provider.createFolder(path: path) }
            #expect(folder.cocoaCode == .fileWriteInvalidFileName && folder.posixCode == .ENAMETOOLONG, "\(folder)")
            let long = try ProviderPath(String(repeating: "b/", count: 150_000))
            let error = try await SFTPFaults.mustFail { try await provider.createFolder(path: long) }
            #expect(error is CocoaError, "\(error)")
            try await SFTPActivity.look.run(provider)
            #expect(double.counts.channels == 1)
        }
    }

    @Test func `A folder where a file is needed is told`() async throws {
        for settings in [SFTPDouble.Settings(), .proFTPD, .plain] {
            try await withSFTPProvider(settings) { _, provider in
                let read = try await SFTPFaults.mustFail { try await provider.contents(path: ProviderPath("shelf")) }
                #expect(read.posixCode == .EISDIR, "\(read)")
                let missing = try await SFTPFaults.mustFail { try await provider.contents(path: ProviderPath("no")) }
                #expect(missing.cocoaCode == .fileReadNoSuchFile)
                let root = try await SFTPFaults.mustFail {
                    try await provider.writeContents(path: .root, contents: Data(), overwrite: true)
                }
                #expect(root.posixCode == .EISDIR)
                let condition = try await SFTPFaults.mustFail {
                    try await provider.writeContents(
                        path: ProviderPath("old"), from: DataSource(Data()),
                        options: WriteOptions(overwrite: true, ifMatch: "1"))
                }
                #expect(condition.cocoaCode == .featureUnsupported)
            }
        }
    }
}
