import WebServer

/// Lets scripts of named origins read answers (Fetch, section 3.3, "CORS protocol").
enum CrossOrigin {
    /// Adds the header fields that let the request's origin read `answer`, if the app named it.
    static func open(_ answer: inout ServerResponse, for request: ServerRequest, _ context: AnswerContext) {
        guard !context.allowedOrigins.isEmpty else { return }
        vary(&answer)
        guard let origin = request.header("Origin"), context.allowedOrigins.contains(origin) else { return }
        answer.set("Access-Control-Allow-Origin", origin)
        answer.set("Access-Control-Expose-Headers", "Accept-Ranges, Content-Range, ETag")
    }

    /// Lets a chapter load `answer` as a font: browsers ask permission for fonts alone, and a chapter's sandbox has the
    /// origin `null`.
    ///
    /// Browsers say what they ask for over HTTPS and to this machine, and not over plain HTTP to another one (Fetch
    /// Metadata, section 2.1).
    static func openFont(_ answer: inout ServerResponse, for request: ServerRequest) {
        guard ["font", nil].contains(request.header("Sec-Fetch-Dest")) else { return }
        vary(&answer)
        guard request.header("Origin") == "null" else { return }
        answer.set("Access-Control-Allow-Origin", "null")
    }

    /// The answer to the question of a browser whether a script may send its request; nil if no origin asks.
    static func permission(for request: ServerRequest, _ context: AnswerContext) -> ServerResponse? {
        guard request.method == "OPTIONS", let origin = request.header("Origin"),
            context.allowedOrigins.contains(origin)
        else { return nil }
        var answer = ServerResponse(status: 204, headers: ContentPolicy.service())
        answer.set("Vary", "Origin")
        answer.set("Access-Control-Allow-Origin", origin)
        answer.set("Access-Control-Allow-Methods", "GET, HEAD")
        answer.set("Access-Control-Allow-Headers", "Range, If-Range, If-None-Match")
        return answer
    }

    private static func vary(_ answer: inout ServerResponse) {
        let known = answer.header("Vary")
        if known?.contains("Origin") == true { return }
        answer.set("Vary", known.map { "\($0), Origin" } ?? "Origin")
    }
}
