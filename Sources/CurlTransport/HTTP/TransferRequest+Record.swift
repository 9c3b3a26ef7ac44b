import FileProviderCore
import Foundation

extension TransferRequest {
    /// The request and what it was answered with, for the log: no header but `Range`, and of the answer only where it
    /// leads to.
    ///
    /// - Parameter head: Nil if there was no answer.
    func record(_ head: ResponseHead?) -> RequestRecord {
        var details: [(key: String, value: String)] = []
        if let range = headers.first(where: { $0.name.lowercased() == "range" })?.value {
            details.append(("range", LogText.shown(range)))
        }
        // The query of a signed URL is as good as a password.
        if let location = head?["Location"], let target = URL(string: location, relativeTo: url) {
            details.append(("location", LogText.shown(target.absoluteURL.withoutSecrets.absoluteString)))
        }
        return RequestRecord(
            method, of: String(url.path(percentEncoded: true).prefix(Secrets.maxPathLength)),
            host: url.host().map { host in url.port.map { "\(host):\($0)" } ?? host },
            status: head.map { "\($0.status)" },
            details: details)
    }
}
