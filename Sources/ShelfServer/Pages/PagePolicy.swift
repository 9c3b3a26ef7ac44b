import WebServer

/// The header fields of a shelf's pages: their own script, style, pictures and forms, nothing inline, and no frame around
/// them (Content Security Policy Level 3).
enum PagePolicy {
    static func fields(_ context: ShelfContext) -> ContentPolicy.Fields {
        let source = PolicySource(context.address)
        let assets = source.files("assets/")
        let sources = [
            // Icons are pictures, too.
            "script-src \(assets)", "style-src \(assets)", "img-src \(source.files())",
            "connect-src \(source.files("suggestions"))",
        ]
        return ContentPolicy.fields(
            ContentPolicy.sameOrigin, ContentPolicy.alone,
            ContentPolicy.policy(sources, ancestors: "'none'", forms: source.files()))
    }
}
