import FileProviderCore
import Foundation
import Testing

@Suite struct FileErrorTests {
    private let path = "/books/a.epub"

    @Test(
        arguments: [
            (ENOENT, false, CocoaError.Code.fileReadNoSuchFile, "does not exist"),
            (ENOENT, true, .fileNoSuchFile, "does not exist"),
            (EACCES, false, .fileReadNoPermission, "permission denied"),
            (EPERM, true, .fileWriteNoPermission, "permission denied"),
            (EEXIST, true, .fileWriteFileExists, "already exists"),
            (ENOTEMPTY, true, .fileWriteFileExists, "not empty"),
            (ENOSPC, true, .fileWriteOutOfSpace, "no space"), (EROFS, true, .fileWriteVolumeReadOnly, "read-only"),
            (ENOTDIR, false, .fileReadUnknown, "not a folder"), (EISDIR, false, .fileReadUnknown, "is a folder"),
            (ELOOP, false, .fileReadUnknown, "symbolic links"), (EIO, true, .fileWriteUnknown, "nput/output"),
            (ENAMETOOLONG, true, .fileWriteInvalidFileName, "too long"),
        ] as [(Int32, Bool, CocoaError.Code, String)])
    func `errno becomes a code, a sentence, the path and the untouched cause`(
        code: Int32, writing: Bool, expected: CocoaError.Code, words: String
    ) throws {
        let error = FileError.make(
            errno: code, path: try ProviderPath(path), url: URL(string: "dav://u:p@h/a?t=s"), writing: writing)
        #expect(error.code == expected)
        #expect(error.sentence.contains(words) && error.sentence.contains(path))
        #expect((error.underlying as? POSIXError)?.code.rawValue == code)
        #expect(error.userInfo[NSFilePathErrorKey] as? String == path)
        #expect((error.userInfo[NSURLErrorKey] as? URL)?.absoluteString == "dav://h/a")
    }

    @Test func `a transport's error carries its sentence and no secrets`() {
        let error = FileError.make(
            .timedOut, url: URL(string: "dav://u:p@h/a"), sentence: "Nothing came for 60 seconds.")
        #expect(error.sentence == "Nothing came for 60 seconds.")
        #expect("\(error.userInfo)".contains("u:p@") == false)
    }

    @Test func `questions about errors are answered alike for every layer`() {
        #expect(FileError.make(.fileReadNoSuchFile, path: "/a").isNoSuchFile)
        #expect(FileError.make(.userCancelled, path: "/a").isCancellation && CancellationError().isCancellation)
        #expect(URLError(.timedOut).isTransient && !URLError(.badURL).isTransient)
        #expect(FileError.make(.fileReadUnknown, path: "/a", underlying: URLError(.networkConnectionLost)).isTransient)
        #expect(CancellationError().sentence == "Cancelled.")
    }

    @Test func `a missing package trait is named, by itself and below an error`() {
        let trait = MissingTrait(name: "Sound", purpose: "plays sound")
        let error = FileError.missing(trait, path: "/a")
        #expect(error.code == .featureUnsupported && error.missingTrait == trait && trait.missingTrait == trait)
        #expect(error.sentence == "This Carrel was built without the package trait Sound, which plays sound.")
        #expect(
            URLError(.badURL).missingTrait == nil
                && FileError.unsupported("play", by: "Memory", path: .root).missingTrait == nil)
    }

    @Test func `a provider's own error maker adds the item's URL`() throws {
        let error = StubProvider().cocoaError("/x y", code: .fileReadNoSuchFile)
        #expect((error.userInfo[NSURLErrorKey] as? URL)?.absoluteString == "stub://host/base/x%20y")
    }
}
