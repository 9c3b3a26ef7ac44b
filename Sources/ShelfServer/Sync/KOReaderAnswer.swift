import FileProviderCore
import Foundation
import Publication
import WebServer

/// Answers below `koreader/`, as a synchronisation server of KOReader does.
///
/// KOReader sends the person's name and MD5 of the password in separate header fields. It knows documents by digests;
/// see ``DocumentDigest``.
enum KOReaderAnswer {
    private static let largest = 64 << 10
    /// The most bytes of a place, and of other fields.
    private static let longestPlace = 4 << 10
    private static let longest = 200

    /// Why a request is refused, by the numbers that KOReader's server has for it.
    private enum Refusal {
        case unauthorized
        case nameIsTaken
        case invalid(String)
        case noDocument
        case noRegistration
        case tooMany(seconds: Int)
    }

    /// Nil for an address that leads nowhere.
    ///
    /// - Parameters:
    ///   - path: The segments behind `koreader/`.
    ///   - now: The time of what is kept.
    /// - Throws: Errors of the shelf and of the people's file.
    static func make(
        for request: ServerRequest, path: [String], _ context: ShelfContext, now: () -> Date = { Date() }
    ) async throws -> ServerResponse? {
        switch path {
        case ["healthcheck"]: return wrongMethod(request, "GET") ?? answer(200, ["state": "OK"])
        case ["users", "create"]:
            if let answer = wrongMethod(request, "POST") { return answer }
            return try await create(request, context)
        case ["users", "auth"]:
            if let answer = wrongMethod(request, "GET") { return answer }
            return try await login(request, context) { _ in answer(200, ["authorized": "OK"]) }
        case ["syncs", "progress"]:
            if let answer = wrongMethod(request, "PUT") { return answer }
            return try await login(request, context) { try await keep(request, $0, context, now()) }
        default:
            guard path.count == 3, path.starts(with: ["syncs", "progress"]) else { return nil }
            if let answer = wrongMethod(request, "GET") { return answer }
            return try await login(request, context) { try await find(path[2], $0, context) }
        }
    }

    // MARK: Accounts

    private static func create(_ request: ServerRequest, _ context: ShelfContext) async throws -> ServerResponse {
        let json = body(request)
        guard let name = json?["username"]?.stringValue, let key = json?["password"]?.stringValue, !name.isEmpty else {
            return refuse(.invalid("Invalid request"))
        }
        // Without accounts, everybody is the same reader.
        if !context.settings.isOpen {
            guard context.settings.allowsRegistration else { return refuse(.noRegistration) }
            if let seconds = context.logins.countRegistration(client: context.client) {
                return refuse(.tooMany(seconds: seconds))
            }
            do { _ = try await context.people.add(name: name, koreaderKey: key) } catch let error as CocoaError {
                switch error.code {
                case .fileWriteFileExists: return refuse(.nameIsTaken)
                case .formatting: return refuse(.invalid(error.sentence))
                default: throw error
                }
            }
        }
        return answer(201, ["username": .string(name)])
    }

    private static func login(
        _ request: ServerRequest, _ context: ShelfContext, _ body: (User) async throws -> ServerResponse
    ) async throws -> ServerResponse {
        if context.settings.isOpen { return try await body(.everyone) }
        guard let name = request.header("x-auth-user"), let key = request.header("x-auth-key") else {
            return refuse(.unauthorized)
        }
        switch try await context.logins.check(name: name, koreaderKey: key, client: context.client) {
        case .user(let user): return try await body(user)
        case .wrong: return refuse(.unauthorized)
        case .tooMany(let seconds): return refuse(.tooMany(seconds: seconds))
        }
    }

    // MARK: Places

    private static func keep(
        _ request: ServerRequest, _ user: User, _ context: ShelfContext, _ time: Date
    ) async throws -> ServerResponse {
        guard let json = body(request) else { return refuse(.invalid("Invalid request")) }
        guard let document = json["document"]?.stringValue, isPlain(document) else { return refuse(.noDocument) }
        // Page numbers are numbers in older versions of KOReader.
        let place = json["progress"]?.stringValue ?? json["progress"]?.integerValue.map { String($0) }
        guard let place, place.utf8.count <= longestPlace, let percentage = json["percentage"]?.doubleValue,
            percentage.isFinite, let device = json["device"]?.stringValue, device.utf8.count <= longest,
            let id = json["device_id"] == nil ? "" : json["device_id"]?.stringValue, id.utf8.count <= longest
        else { return refuse(.invalid("Invalid request")) }
        let progress = KeptProgress(
            document: document, progress: place, percentage: percentage, device: device, deviceID: id,
            timestamp: Int64(time.timeIntervalSince1970.rounded(.down)))
        try await KOReaderSync(context: context, user: user).keep(progress)
        return answer(200, ["document": .string(document), "timestamp": .integer(progress.timestamp)])
    }

    /// An empty object says that there is no place.
    private static func find(_ document: String, _ user: User, _ context: ShelfContext) async throws -> ServerResponse {
        guard isPlain(document) else { return refuse(.noDocument) }
        guard let progress = try await KOReaderSync(context: context, user: user).progress(in: document) else {
            return answer(200, [:])
        }
        return answer(
            200,
            [
                "document": .string(document), "progress": .string(progress.progress),
                "percentage": .double(progress.percentage), "device": .string(progress.device),
                "device_id": .string(progress.deviceID), "timestamp": .integer(progress.timestamp),
            ])
    }

    /// Readers other than KOReader may send other names than digests.
    private static func isPlain(_ document: String) -> Bool {
        (1...longest).contains(document.utf8.count) && document.unicodeScalars.allSatisfy { LogText.isHarmless($0) }
    }

    // MARK: Parts

    private static func body(_ request: ServerRequest) -> JSONValue? {
        guard let json = try? JSONValue(data: request.body, maximumSize: largest), json.objectValue != nil else {
            return nil
        }
        return json
    }

    private static func wrongMethod(_ request: ServerRequest, _ method: String) -> ServerResponse? {
        if request.method == method || method == "GET" && request.method == "HEAD" { return nil }
        var refusal = answer(405, ["message": .string("This address answers \(method).")])
        refusal.set("Allow", method == "GET" ? "GET, HEAD" : method)
        return refusal
    }

    private static func refuse(_ refusal: Refusal) -> ServerResponse {
        func answer(_ status: Int, _ code: Int64, _ message: String) -> ServerResponse {
            Self.answer(status, ["code": .integer(code), "message": .string(message)])
        }
        switch refusal {
        case .unauthorized: return answer(401, 2001, "Unauthorized")
        case .nameIsTaken: return answer(402, 2002, "Username is already registered.")
        case .invalid(let message): return answer(403, 2003, message)
        case .noDocument: return answer(403, 2004, "Field 'document' not provided.")
        case .noRegistration: return answer(402, 2005, "This server creates no accounts. Ask the person who runs it.")
        case .tooMany(let seconds):
            var refusal = answer(429, 2001, "Too many wrong logins or registrations. Try again later.")
            refusal.set("Retry-After", String(seconds))
            return refusal
        }
    }

    private static func answer(_ status: Int, _ json: JSONValue) -> ServerResponse {
        var answer = ServerResponse(status: status, headers: ContentPolicy.service(), body: .data(json.data))
        answer.set("Content-Type", "application/json")
        answer.set("Cache-Control", "no-store")
        return answer
    }
}
