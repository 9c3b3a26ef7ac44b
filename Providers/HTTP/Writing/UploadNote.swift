import CurlTransport
import FileProviderCore
import Foundation

/// The small file beside a target that holds the token of an unfinished upload (``HTTPResumableSession``).
struct UploadNote: Sendable {
    /// The most bytes of a token.
    private static let limit = 4096

    let path: ProviderPath
    let service: any HTTPService
    let connection: HTTPConnection
    /// Whether the file may be there.
    private let mayExist = LockedValue(false)

    init(path: ProviderPath, service: any HTTPService, connection: HTTPConnection) {
        self.path = path
        self.service = service
        self.connection = connection
    }

    /// The token, if one is there that can be read.
    ///
    /// - Throws: Only what passes, and cancellation.
    func token() async throws -> String? {
        do {
            let operation = HTTPOperation.read(path)
            guard
                let request = try service.request(for: operation, overwrite: false, attributes: HTTPWriteAttributes())
            else { return nil }
            let (data, _) = try await connection.received(request, Self.limit)
            mayExist.update { $0 = true }
            return String(validating: data, as: UTF8.self).flatMap { $0.isEmpty ? nil : $0 }
        } catch let error where !error.isTransient && !error.isCancellation { return nil }
    }

    /// Keeps `token`. A server that doesn't take the file costs the next write the parts that this one sends.
    func keep(_ token: String) async {
        let data = Data(token.utf8)
        guard !data.isEmpty, data.count <= Self.limit else { return }
        var attributes = HTTPWriteAttributes(length: Int64(data.count))
        if (service as? any HTTPUploadingService)?.gathersSingleWrites == true { attributes.contents = data }
        guard var request = try? service.request(for: .write(path), overwrite: true, attributes: attributes) else {
            return
        }
        request.body = .source(DataSource(data))
        request.isWriting = true
        mayExist.update { $0 = true }
        _ = try? await connection.send(request)
    }

    /// Removes the file, if there may be one. One that stays names an upload that is over, and is swept.
    func remove() async {
        guard mayExist.value else { return }
        let file = FileObject(path: path, type: .regular)
        try? await service.perform(
            .remove(file, recursive: false), overwrite: false, progress: ProgressReporter(), over: connection)
    }
}
