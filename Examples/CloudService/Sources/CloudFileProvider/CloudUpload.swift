import CurlTransport
import Foundation
import HTTPFileProvider

/// An upload in parts, one after the other. The server removes an unfinished one after a week.
struct CloudUpload: HTTPUploadSession {
    let service: CloudService
    let path: ProviderPath
    let id: String
    let commit: [String: any Sendable]
    let connection: HTTPConnection
    let concurrentParts = 1

    func size(ofPart number: Int) throws -> Int { service.singleWriteLimit }

    func request(forPart number: Int, offset: Int64, data: Data, isLast: Bool) throws -> HTTPRequest {
        let route = "files/upload_session/append_v2"
        var request = try service.transfer(route, ["cursor": cursor(offset)], path: path, isWriting: true)
        request.repetition = .always
        request.accepts = [409]
        return request
    }

    /// The server refuses a part that is sent again after a lost answer, and names the offset after its first sending.
    func sent(part number: Int, _ head: ResponseHead) throws {
        let offset = CloudAnswer(data: head.errorBody).error.correct_offset.number ?? 0
        if head.isSuccess || offset > Int64(number) * Int64(service.singleWriteLimit) { return }
        throw connection.error(head, request: HTTPRequest("POST", path: path, isWriting: true))
    }

    func finish(length: Int64, over connection: HTTPConnection) async throws -> ResponseHead {
        let argument: [String: Any] = ["cursor": cursor(length), "commit": commit]
        let request = try service.transfer("files/upload_session/finish", argument, path: path, isWriting: true)
        return try await connection.send(request)
    }

    func abort(over connection: HTTPConnection) async {}

    private func cursor(_ offset: Int64) -> [String: any Sendable] { ["session_id": id, "offset": offset] }
}
