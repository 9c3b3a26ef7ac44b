import Cryptography
import Foundation
import Shelf
import WebServer

/// Answers with counters in the text format of Prometheus.
enum MetricsAnswer {
    /// Whether the request has the token: `Authorization: Bearer …` (RFC 6750, section 2.1).
    static func isAllowed(_ request: ServerRequest, token: String?) -> Bool {
        guard let token, let field = request.header("Authorization") else { return false }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return false }
        return ConstantTime.areEqual(Data(parts[1].utf8), Data(token.utf8))
    }

    static func make(_ metrics: ShelfMetrics, shelf: Shelf, openBooks: Int) async -> ServerResponse {
        var text = ""
        add("carrel_shelf_open_books", "Publications that are open.", "gauge", [("", "\(openBooks)")], to: &text)
        if let counts = try? await shelf.counts() {
            add("carrel_shelf_books", "Books on the shelf.", "gauge", [("", "\(counts.books)")], to: &text)
            add(
                "carrel_shelf_pending_files", "Files that have still to be read.", "gauge", [("", "\(counts.pending)")],
                to: &text)
            add(
                "carrel_shelf_refused_files", "Files that are not shown as books.", "gauge",
                [("", "\(counts.refused)")], to: &text)
        }
        if let states = try? await shelf.state() {
            let isUp = states.map { ("{source=\"\($0.id)\"}", $0.interruption == nil ? "1" : "0") }
            add("carrel_shelf_source_up", "Whether a storage can be read.", "gauge", isUp, to: &text)
            let withheld = states.map { ("{source=\"\($0.id)\"}", "\($0.withheld)") }
            add(
                "carrel_shelf_withheld_books", "Books that stay although a listing lacks them.", "gauge", withheld,
                to: &text)
        }
        let counts = metrics.all.sorted { $0.key < $1.key }
        let labels = counts.map { "{kind=\"\($0.key.name)\",status=\"\($0.key.status)\"}" }
        add(
            "carrel_shelf_requests_total", "Requests that were answered.", "counter",
            zip(labels, counts).map { ($0, "\($1.value.requests)") }, to: &text)
        add(
            "carrel_shelf_request_seconds_total", "Time until answers began to be sent.", "counter",
            zip(labels, counts).map { ($0, "\($1.value.seconds)") }, to: &text)
        var answer = ServerResponse(status: 200, headers: ContentPolicy.service(), body: .data(Data(text.utf8)))
        answer.set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        answer.set("Cache-Control", "no-store")
        return answer
    }

    private static func add(
        _ name: String, _ help: String, _ type: String, _ values: [(String, String)],
        to text: inout String
    ) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
        for (labels, value) in values { text += "\(name)\(labels) \(value)\n" }
    }
}
