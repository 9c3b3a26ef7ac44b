import Foundation
import MediaTypes
import SafeXML

extension MediaType {
    /// Sniffers beyond the proposal, which doesn't inspect images and sound: they recognise files by their first bytes,
    /// never by hints.
    ///
    /// Part of ``sniffers`` by default, so that files without a good name are recognised. They come last and return no
    /// format that ``standardSniffers`` return by content. For the proposal's exact answers assign only those to
    /// ``SnifferList/all``, or pass them to a call.
    public static let signatureSniffers: [Sniffer] = [
        Sniffers.archives, Sniffers.images, Sniffers.soundAndVideo, Sniffers.fonts, Sniffers.documents,
    ]
}

extension Sniffers {
    static let archives: MediaType.Sniffer = { try await $0.head.flatMap(Signatures.archive) }
    static let images: MediaType.Sniffer = { try await $0.head.flatMap(Signatures.image) }
    static let soundAndVideo: MediaType.Sniffer = { try await $0.head.flatMap(Signatures.soundOrVideo) }
    static let fonts: MediaType.Sniffer = { try await $0.head.flatMap(Signatures.font) }

    /// XML documents that publications consist of, by their outermost element.
    static let documents: MediaType.Sniffer = { context in
        guard let root = try await context.xmlRoot else { return nil }
        return switch (root.name, root.namespace) {
        case ("svg", "http://www.w3.org/2000/svg"), ("svg", ""): .svg
        case ("ncx", "http://www.daisy.org/z3986/2005/ncx/"): .ncx
        case ("smil", "http://www.w3.org/ns/SMIL"), ("smil", "http://www.w3.org/2001/SMIL20/Language"): .smil
        default: nil
        }
    }
}
