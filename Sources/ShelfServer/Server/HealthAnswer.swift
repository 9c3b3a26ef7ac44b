import Foundation
import Publication
import Shelf
import WebServer

/// Answers whether the shelf can be served: 200, or 503 if its database fails or no storage can be reached. Names and
/// places of storages are left out, because no one has to log in.
enum HealthAnswer {
    static func make(_ shelf: Shelf) async throws -> ServerResponse {
        do {
            let (states, counts) = (try await shelf.state(), try await shelf.counts())
            let isDown = !states.isEmpty && states.allSatisfy { $0.interruption != nil }
            let isPartial = states.contains { $0.interruption != nil || $0.withheld > 0 || $0.unlisted > 0 }
            let json: JSONValue = [
                "status": isDown ? "unavailable" : isPartial ? "degraded" : "ok",
                "books": .integer(Int64(counts.books)), "pending": .integer(Int64(counts.pending)),
                "sources": .array(states.map { source($0) }),
            ]
            return answer(isDown ? 503 : 200, json)
        } catch let error as CancellationError { throw error } catch {
            return answer(503, ["status": "unavailable"])
        }
    }

    private static func source(_ state: SourceState) -> JSONValue {
        let name = state.interruption != nil ? "interrupted" : state.scanned == nil ? "unscanned" : "ok"
        return [
            "state": .string(name), "pending": .integer(Int64(state.pending)),
            "withheld": .integer(Int64(state.withheld)), "unlisted": .integer(Int64(state.unlisted)),
            "scanned": state.scanned.map { JSONValue.string($0.formatted(.iso8601)) } ?? JSONValue.null,
        ]
    }

    private static func answer(_ status: Int, _ json: JSONValue) -> ServerResponse {
        var answer = ServerResponse(status: status, headers: ContentPolicy.service(), body: .data(json.data))
        answer.set("Content-Type", "application/json")
        answer.set("Cache-Control", "no-store")
        return answer
    }
}
