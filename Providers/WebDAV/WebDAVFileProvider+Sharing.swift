import CurlTransport
public import FileProviderCore
import Foundation
import HTTPFileProvider
import SafeXML

/// Public links by the share interface of Nextcloud and ownCloud (Nextcloud developer manual, “OCS Share API”).
extension WebDAVFileProvider: FileProviderSharing {
    /// Returns a link to an item that needs no password: the existing one, or a new one for reading only.
    ///
    /// - Throws: Also `CocoaError(.featureUnsupported)` on any server but Nextcloud and ownCloud, and with their own
    ///   words if the administrator allows no links.
    /// - Complexity: One request if there is a link, otherwise two.
    public func publicLink(to path: ProviderPath) async throws -> PublicLink {
        guard let files = try await ownCloudFiles(at: path) else {
            throw FileError.unsupported("make public links", by: Self.type, path: path, url: url(of: path))
        }
        let now = Date()
        let shares = try await shares(files, of: path)
        let links = shares.compactMap(\.link).filter { $0.expiration.map { $0 > now } ?? true }
        // The one that lasts longest.
        if let link = links.max(by: { ($0.expiration ?? .distantFuture) < ($1.expiration ?? .distantFuture) }) {
            return link
        }
        guard let link = try await makeShare(files, of: path).link else {
            throw FileError.make(
                .badServerResponse, url: url(of: path), sentence: "The server made a share of “\(path)” without a link."
            )
        }
        return link
    }

    private func shares(_ files: OwnCloudFiles, of path: ProviderPath) async throws -> [OwnCloudShare] {
        let data = try await send("GET", "path=/\(files.file.percentEncoded)&reshares=false", files, of: path)
        return data.all("element").map(OwnCloudShare.init)
    }

    private func makeShare(_ files: OwnCloudFiles, of path: ProviderPath) async throws -> OwnCloudShare {
        OwnCloudShare(
            try await send("POST", "path=/\(files.file.percentEncoded)&shareType=3&permissions=1", files, of: path))
    }

    /// One request to the list of shares.
    ///
    /// - Returns: What stands under `data` in the answer.
    private func send(_ method: String, _ parameters: String, _ files: OwnCloudFiles, of path: ProviderPath)
        async throws -> XMLElement
    {
        let endpoint = try ProviderPath("ocs/v2.php/apps/files_sharing/api/v1/shares")
        let isPost = method == "POST"
        var headers = [("OCS-APIRequest", "true"), ("Accept", "application/xml")]
        if isPost { headers.append(("Content-Type", "application/x-www-form-urlencoded")) }
        let answer = DataSink(limit: 4 << 20)
        var request = HTTPRequest(
            method, path: path, headers: headers, body: isPost ? .data(Data(parameters.utf8)) : .none,
            repetition: isPost ? .ifNotDone : .always, accepts: [400, 403, 404], isWriting: isPost)
        request.url = serverURL(files.installation.appending(endpoint), query: isPost ? nil : parameters)
        request.receive = { _ in answer }
        let head = try await connection.send(request)
        let document = try XMLElement.parse(
            head.isSuccess ? answer.data : head.errorBody, limits: XMLLimits(bytes: 4 << 20, depth: 16, text: 1 << 20))
        guard let meta = document.first("meta"), let status = meta.first("statuscode").flatMap({ Int($0.trimmedText) })
        else {
            throw FileError.make(
                .badServerResponse, url: url(of: path),
                sentence: "The server's answer about shares of “\(path)” cannot be read.")
        }
        if [100, 200].contains(status) { return document.first("data") ?? XMLElement(name: "data") }
        throw try await refusal(status, words: meta.first("message")?.trimmedText ?? "", request)
    }

    /// The error for the interface's own status, which is “not found” also if links are switched off.
    private func refusal(_ status: Int, words: String, _ request: HTTPRequest) async throws -> any Error {
        let cause = connection.error(
            status: (100..<600).contains(status) ? status : 500, words: words, request: request)
        let path = request.path
        switch status {
        case 997: return connection.error(status: 401, words: words, request: request)
        case 403:
            return FileError.make(
                .fileReadNoPermission, path: path, url: url(of: path), sentence: said(words), underlying: cause)
        case 400, 404, 996, 998:
            guard try await itemIfAny(path) != nil else {
                return FileError.make(.fileReadNoSuchFile, path: path, url: url(of: path))
            }
            let sentence = said(words) ?? "The server makes no public link to “\(path)”."
            return FileError.make(
                .featureUnsupported, path: path, url: url(of: path), sentence: sentence, underlying: cause)
        default: return cause
        }
    }

    private func said(_ words: String) -> String? {
        words.isEmpty ? nil : "The server makes no public link: \(words.prefix(200))"
    }
}

/// A share as the interface describes it.
private struct OwnCloudShare {
    /// What it gives to anybody who knows the address, nil where that is nothing, or not without a password.
    let link: PublicLink?

    init(_ data: XMLElement) {
        func value(_ name: String) -> String? { data.first(name)?.trimmedText }
        let isReadable = value("permissions").flatMap { Int($0) }.map { $0 & 1 == 1 } ?? true
        // Of a link, this is its password.
        let isOpen = (value("share_with") ?? "").isEmpty && (value("password") ?? "").isEmpty
        guard value("share_type") == "3", isReadable, isOpen, let url = value("url").flatMap({ URL(string: $0) }),
            ["http", "https"].contains(url.scheme?.lowercased() ?? "")
        else {
            link = nil
            return
        }
        let expiration = value("expiration").flatMap { $0.isEmpty ? nil : HTTPDate.parse($0.replacing(" ", with: "T")) }
        link = PublicLink(url: url, expiration: expiration)
    }
}

extension XMLElement {
    fileprivate var trimmedText: String { text.trimmingCharacters(in: .whitespacesAndNewlines) }
}
