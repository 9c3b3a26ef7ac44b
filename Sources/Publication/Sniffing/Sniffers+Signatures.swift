import Foundation
import MediaTypes
import SafeXML

extension MediaType {
    /// Sniffers beyond the proposal, which has none that look into images and sound: they tell files by their first
    /// bytes, never by hints.
    ///
    /// In ``sniffers`` from the start, so that files without a good name are shown for what they are. They are asked
    /// last and give no format that ``standardSniffers`` give by content; for the proposal's exact answers assign those
    /// alone to ``SnifferList/all``, or give them with a call.
    public static let signatureSniffers: [Sniffer] = [
        Sniffers.archives, Sniffers.images, Sniffers.soundAndVideo, Sniffers.fonts, Sniffers.documents,
    ]
}

extension Sniffers {
    static let archives: MediaType.Sniffer = { try await $0.head.flatMap(Signatures.archive) }
    static let images: MediaType.Sniffer = { try await $0.head.flatMap(Signatures.image) }
    static let soundAndVideo: MediaType.Sniffer = { try await $0.head.flatMap(Signatures.soundOrVideo) }
    static let fonts: MediaType.Sniffer = { try await $0.head.flatMap(Signatures.font) }

    /// Documents in XML that publications are made of, by their outermost element.
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
