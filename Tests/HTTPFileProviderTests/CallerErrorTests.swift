import CurlTransport
import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import ProviderDoubles
import Testing

/// Whose a `DecodingError` is: the caller's stays as it is, and one of the service is an answer of another server.
@Suite struct CallerErrorTests {
    private let options = ConnectionOptions(
        timeouts: Timeouts(connect: 20, idle: 60), retries: RetryPolicy(retries: 0))
    private let bytes = Data((0..<10_500).map { UInt8(truncatingIfNeeded: $0 / 7) })

    /// Errors that a caller may throw from its own decoding.
    private static let callers = DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: [], debugDescription: "The caller's own."))

    private func isCallers(_ error: (any Error)?) -> Bool {
        guard case .dataCorrupted(let context)? = error as? DecodingError else { return false }
        return context.debugDescription == "The caller's own."
    }

    private func isForeign(_ error: (any Error)?, _ type: String) -> Bool {
        guard let error = error as? URLError, error.code == .badServerResponse else { return false }
        return error.sentence.contains("is not one of \(type)")
    }

    @Test func `an error of the closure that takes removed files is the caller's`() async throws {
        let server = try ArchiveServer()
        let provider = try HTTPFileProvider(service: ArchiveService(), url: server.url, options: options)
        try server.put("a", "text")
        try await provider.removeItem(path: ProviderPath("a"))
        let error = await #expect(throws: (any Error).self) {
            try await provider.trashItems(below: .root) { _ in throw Self.callers }
        }
        #expect(isCallers(error))
    }

    @Test func `removed files and versions that the service cannot read are an answer of another server`() async throws
    {
        let server = try ArchiveServer { _ in .reply(200, body: Data("<html>".utf8)) }
        let provider = try HTTPFileProvider(service: ArchiveService(), url: server.url, options: options)
        let trash = await #expect(throws: (any Error).self) { try await provider.trashItems(below: .root) { _ in } }
        #expect(isForeign(trash, "Archive"))
        let versions = await #expect(throws: (any Error).self) {
            _ = try await provider.versions(of: ProviderPath("f"))
        }
        #expect(isForeign(versions, "Archive"))
    }

    @Test(arguments: [100, 10_500])
    func `an error of the source is the caller's, in one request and in parts`(_ count: Int) async throws {
        let server = try DriveServer()
        let provider = try HTTPFileProvider(service: DriveService(), url: server.url, options: options)
        let source = ScriptedSource(bytes.prefix(count / 2), length: Int64(count), then: .failure(Self.callers))
        let error = await #expect(throws: (any Error).self) {
            try await provider.writeContents(path: ProviderPath("f"), from: source, options: WriteOptions())
        }
        #expect(isCallers(error))
        #expect(server.openUploads == 0)
    }

    @Test(arguments: MisreadingDrive.Stage.allCases)
    func `an answer to an upload in parts that the service cannot read is one of another server`(
        _ stage: MisreadingDrive.Stage
    ) async throws {
        let server = try DriveServer()
        let provider = try HTTPFileProvider(service: MisreadingDrive(stage: stage), url: server.url, options: options)
        let error = await #expect(throws: (any Error).self) {
            try await provider.writeContents(path: ProviderPath("f"), contents: bytes)
        }
        #expect(isForeign(error, "Misreading"))
        #expect(server.openUploads == 0)
    }

    @Test func `a look at a written file that the service cannot read is an answer of another server`() async throws {
        let isWritten = LockedValue(false)
        let server = try DriveServer { request in
            if request.method == "PUT" { isWritten.update { $0 = true } }
            return isWritten.value && request.target.hasSuffix("?meta")
                ? .reply(200, body: Data("<html>".utf8)) : nil
        }
        let provider = try HTTPFileProvider(service: DriveService(), url: server.url, options: options)
        let error = await #expect(throws: (any Error).self) {
            try await provider.writeContents(path: ProviderPath("f"), contents: Data([1]))
        }
        #expect(isWritten.value && isForeign(error, "Drive"))
    }
}

/// A drive that cannot read one of the answers to its uploads.
struct MisreadingDrive: HTTPUploadingService {
    enum Stage: CaseIterable, Sendable {
        case begin
        case sent
        case finish
    }

    static let type = "Misreading"

    let drive = DriveService()
    let stage: Stage

    init(stage: Stage) {
        self.stage = stage
    }

    var singleWriteLimit: Int { drive.singleWriteLimit }

    func capabilities(over connection: HTTPConnection) async throws -> Capabilities {
        try await drive.capabilities(over: connection)
    }

    func attributesOfItem(path: ProviderPath, over connection: HTTPConnection) async throws -> FileObject {
        try await drive.attributesOfItem(path: path, over: connection)
    }

    func request(forContentsOf path: ProviderPath, token: String?) throws -> HTTPRequest? {
        try drive.request(forContentsOf: path, token: token)
    }

    func page(ofContentsOf path: ProviderPath, data: Data, head: ResponseHead) throws -> HTTPPage {
        try drive.page(ofContentsOf: path, data: data, head: head)
    }

    func request(for operation: HTTPOperation, overwrite: Bool, attributes: HTTPWriteAttributes) throws -> HTTPRequest?
    {
        try drive.request(for: operation, overwrite: overwrite, attributes: attributes)
    }

    func serverError(with code: FileProviderHTTPErrorCode, path: ProviderPath, data: Data) -> any FileProviderHTTPError
    {
        drive.serverError(with: code, path: path, data: data)
    }

    func uploadSession(
        path: ProviderPath, overwrite: Bool, attributes: HTTPWriteAttributes, over connection: HTTPConnection
    ) async throws -> any HTTPUploadSession {
        let upload = try await drive.uploadSession(
            path: path, overwrite: overwrite, attributes: attributes, over: connection)
        return MisreadUpload(upload: upload, stage: stage)
    }
}

private struct MisreadUpload: HTTPUploadSession {
    let upload: any HTTPUploadSession
    let stage: MisreadingDrive.Stage

    private func read(_ stage: MisreadingDrive.Stage) throws {
        if stage == self.stage { _ = try JSONDecoder().decode([String: Int].self, from: Data("<html>".utf8)) }
    }

    var concurrentParts: Int { upload.concurrentParts }

    func size(ofPart number: Int) throws -> Int { try upload.size(ofPart: number) }

    func begin(with first: Data, over connection: HTTPConnection) async throws {
        try read(.begin)
        try await upload.begin(with: first, over: connection)
    }

    func has(_ data: Data, asPart number: Int) -> Bool { upload.has(data, asPart: number) }

    func request(forPart number: Int, offset: Int64, data: Data, isLast: Bool) throws -> HTTPRequest {
        try upload.request(forPart: number, offset: offset, data: data, isLast: isLast)
    }

    func sent(part number: Int, _ head: ResponseHead) throws {
        try read(.sent)
        try upload.sent(part: number, head)
    }

    func finish(length: Int64, over connection: HTTPConnection) async throws -> ResponseHead {
        try read(.finish)
        return try await upload.finish(length: length, over: connection)
    }

    func abort(over connection: HTTPConnection) async { await upload.abort(over: connection) }
}
