import Foundation
import WebServer

/// Answers with the files of the pages, which are part of this module (`Page/`).
enum ShelfAsset {
    /// By name.
    private static let files: [String: (bytes: [UInt8], type: String)] = [
        "shelf.css": (PackageResources.shelf_css, "text/css; charset=utf-8"),
        "shelf.js": (PackageResources.shelf_js, "text/javascript; charset=utf-8"),
        "icon.svg": (PackageResources.icon_svg, "image/svg+xml"),
    ]

    /// Nil if there is no file `name`.
    static func make(for request: ServerRequest, name: String) -> ServerResponse? {
        guard let file = files[name] else { return nil }
        return MadeAnswer.make(Data(file.bytes), type: file.type, fields: ContentPolicy.service(), for: request)
    }
}
