import Foundation
import Publication
import Testing

@Suite struct ProfileTests {
    private func manifest(_ types: [String], conformsTo: [Manifest.Profile] = []) -> Manifest {
        var metadata = Metadata(title: "x")
        metadata.conformsTo = conformsTo.map(\.rawValue)
        return Manifest(metadata: metadata, readingOrder: types.enumerated().map { Link(href: "\($0)", type: $1) })
    }

    /// Pitfall 46: nothing to read is of no kind.
    @Test(arguments: Manifest.Profile.allCases)
    func `an empty reading order conforms to nothing, even if it says so`(profile: Manifest.Profile) {
        #expect(!manifest([]).conforms(to: profile))
        #expect(!manifest([], conformsTo: [profile]).conforms(to: profile))
    }

    /// Pitfall 46: what the metadata say comes first.
    @Test(arguments: Manifest.Profile.allCases)
    func `a profile that is named counts, whatever the content`(profile: Manifest.Profile) {
        #expect(manifest(["x/y"], conformsTo: [profile]).conforms(to: profile))
        #expect(manifest(["x/y"]).conforms(to: profile) == false)
    }

    @Test func `content tells the profile where no name does`() {
        #expect(manifest(["audio/mpeg", "audio/x"]).conforms(to: .audiobook))
        #expect(!manifest(["audio/mpeg", "text/html"]).conforms(to: .audiobook))
        #expect(manifest(["image/png", "image/webp"]).conforms(to: .divina))
        #expect(!manifest(["image/png", "image/svg+xml"]).conforms(to: .divina))
        #expect(manifest(["application/pdf"]).conforms(to: .pdf))
        #expect(!manifest(["application/xhtml+xml"]).conforms(to: .epub))
        #expect(manifest(["audio/mpeg"], conformsTo: [.epub]).conforms(to: .audiobook))
    }

    @Test func `a resource is laid out as its link says, else as the publication is, else reflowable`() throws {
        let plain = Link(href: "a")
        let scrolled = Link(href: "b", properties: ["layout": "scrolled"])
        var manifest = manifest(["text/html"])
        #expect(manifest.layout(of: plain) == .reflowable)
        #expect(manifest.layout(of: scrolled) == .scrolled)
        manifest.metadata.layout = .fixed
        #expect(manifest.layout(of: plain) == .fixed)
        #expect(Publication(manifest: manifest).layout(of: scrolled) == .scrolled)
        let old = try Manifest(json: [
            "metadata": ["title": "x", "presentation": ["layout": "fixed"]], "readingOrder": [],
        ])
        #expect(old.layout(of: plain) == .fixed)
    }

    @Test func `presentation hints are read and written in both places`() throws {
        let metadata = try Metadata(json: SampleManifests.metadata)
        let presentation = metadata.presentation
        #expect(
            presentation.orientation == .auto && presentation.spread == .never && presentation.overflow == .scrolled)
        #expect(presentation.fit == .width && presentation.isClipped == true && presentation.isContinuous == false)
        var properties = Link.Properties()
        (properties.orientation, properties.spread, properties.overflow) = (.landscape, .both, .paginated)
        (properties.fit, properties.isClipped) = (.cover, false)
        #expect(
            properties.values
                == [
                    "orientation": "landscape", "spread": "both", "overflow": "paginated", "fit": "cover",
                    "clipped": false,
                ])
        properties.spread = nil
        #expect(properties["spread"] == nil)
        var changed = metadata
        changed.presentation = Presentation()
        #expect(changed.json["presentation"] == nil)
        changed.presentation.fit = .height
        #expect(changed.json["presentation"] == ["fit": "height"])
    }

    @Test func `rights to mining are known`() throws {
        #expect(
            try Metadata(json: SampleManifests.metadata).tdm
                == TextAndDataMining(reservation: .all, policy: "https://example.org/tdm"))
        var metadata = Metadata(title: "x")
        metadata.tdm = TextAndDataMining(reservation: .nothing)
        #expect(metadata.json == ["title": "x", "tdm": ["reservation": "none"]])
    }
}
