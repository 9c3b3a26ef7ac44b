import Foundation
import WebServer

/// Answers with the files of the reading page, which are part of this module (`Page/`).
enum AssetAnswer {
    private static let script = "text/javascript; charset=utf-8"

    /// By name. The page itself is another answer; see ``PageAnswer``.
    private static let files: [String: (bytes: [UInt8], type: String)] = [
        "page.css": (PackageResources.page_css, "text/css; charset=utf-8"),
        "icon.svg": (PackageResources.icon_svg, "image/svg+xml"),
        "page.js": (PackageResources.page_js, script),
        "chapter.js": (PackageResources.chapter_js, script),
        "frames.js": (PackageResources.frames_js, script),
        "panels.js": (PackageResources.panels_js, script),
        "places.js": (PackageResources.places_js, script),
        "publication.js": (PackageResources.publication_js, script),
        "settings.js": (PackageResources.settings_js, script),
        "sound.js": (PackageResources.sound_js, script),
        "spreads.js": (PackageResources.spreads_js, script),
        "touch.js": (PackageResources.touch_js, script),
    ]

    /// The names of all files.
    static var names: [String] { files.keys.sorted() }

    /// Nil if there is no file `name`.
    static func make(for request: ServerRequest, name: String) -> ServerResponse? {
        guard let file = files[name] else { return nil }
        return MadeAnswer.make(Data(file.bytes), type: file.type, fields: ContentPolicy.service(), for: request)
    }
}
