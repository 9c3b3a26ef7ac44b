import MediaTypes
import WebServer

/// Policies that keep what a publication contains from everything else.
///
/// Chapters run in a sandbox; the origin of each equals no other. Sources are therefore named by address: that of the
/// publication, so that no other one on this server, and nothing else on its host, can be reached. See ``PolicySource``
/// for addresses that cannot be named.
///
/// Limits of browsers: those that compare ancestors by origin, such as Chromium, show no frame inside a sandboxed chapter,
/// because no source names its origin. No policy covers `<link rel="preconnect">` and `rel="dns-prefetch"`, by which a
/// chapter can let another server know that it is shown, nor WebRTC, which a script can use where scripts are allowed.
extension ContentPolicy {
    /// The reading page: its own script and style, and frames of the publication. Nothing may show it in a frame, so that
    /// no chapter can.
    ///
    /// `frame-src` also keeps a chapter from leading its frame elsewhere.
    ///
    /// - Parameter address: The publication's, ending with a slash.
    static func page(_ address: String) -> Fields {
        let source = PolicySource(address)
        let (own, all) = (source.files("~carrel/"), source.files())
        let sources = [
            "script-src \(own)", "style-src \(own)", "img-src \(all)", "media-src \(all)", "connect-src \(all)",
            "frame-src \(all)",
        ]
        return fields(sameOrigin, alone, policy(sources, ancestors: "'none'"))
    }

    /// A chapter within the reading page: its own files, and of all scripts the page's one.
    ///
    /// - Parameters:
    ///   - scriptHash: SHA-256 of the page's script, in base 64.
    ///   - allowsScripts: Whether the chapter's own scripts run, too. A hash would turn `'unsafe-inline'` off.
    static func frame(_ address: String, scriptHash: String, allowsScripts: Bool) -> Fields {
        let source = PolicySource(address)
        let scripts = allowsScripts ? ownScripts(source) : "script-src 'sha256-\(scriptHash)'"
        let sources = chapterSources(source) + [scripts]
        return fields(anyOrigin, policy(sources, ancestors: source.origin, sandbox: "sandbox allow-scripts"))
    }

    /// A chapter by itself, and each other document that could have scripts, such as SVG. None runs: a sandbox keeps
    /// no document from leading its own tab to another address.
    static func chapter(_ address: String) -> Fields {
        let source = PolicySource(address)
        return fields(anyOrigin, policy(chapterSources(source), ancestors: source.origin, sandbox: "sandbox"))
    }

    /// Other resources: pictures, sound, fonts and styles. A browser that shows one by itself makes a document around it,
    /// which loads the resource again and has a style.
    ///
    /// PDF has no sandbox, in which browsers refuse to start their viewer, and no sources, which viewers apply to
    /// themselves. What a PDF contains runs in the viewer, without this server's origin.
    static func resource(_ address: String, type: MediaType) -> Fields {
        let source = PolicySource(address)
        if MediaType.pdf.contains(type) {
            return fields(anyOrigin, [(policyName, "frame-ancestors \(source.origin)")])
        }
        let sources = ["style-src 'unsafe-inline'", "img-src \(source.files())", "media-src \(source.files())"]
        return fields(anyOrigin, policy(sources, ancestors: source.origin, sandbox: "sandbox"))
    }

    // MARK: Parts

    private static func chapterSources(_ source: PolicySource) -> [String] {
        let files = source.files()
        return [
            "style-src \(files) 'unsafe-inline'", "img-src \(files) data: blob:", "font-src \(files) data:",
            "media-src \(files) data: blob:", "frame-src \(files)",
        ]
    }

    private static func ownScripts(_ source: PolicySource) -> String { "script-src \(source.files()) 'unsafe-inline'" }
}
