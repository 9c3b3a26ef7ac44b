import FileProviderCore
import Foundation
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

/// Warnings about the manifests of Readium and the W3C, word for word.
@Suite struct ManifestWarningTests {
    private let order: JSONValue = [["href": "a.html", "type": "text/html"]]

    private func readium(_ members: [String: JSONValue]) async throws -> [ContentWarning] {
        try await Shelf().open("b.webpub", [("manifest.json", manifestJSON(members))]).warnings
    }

    @Test func `links without a type are told`() async throws {
        let expected = ["“b.html” has no media type in the manifest's “readingOrder”; it was left out."]
        let new = try await readium(["readingOrder": [["href": "a.html", "type": "text/html"], ["href": "b.html"]]])
        #expect(new.map(\.message) == expected)
        // The old name counts only where the new one is missing.
        #expect(try await readium(["readingOrder": order, "spine": [["href": "b.html"]]]).isEmpty)
        let previous = try await readium(["spine": [["href": "a.html", "type": "text/html"], ["href": "b.html"], 1]])
        #expect(
            previous.map(\.tag) == ["invalid-link", "missing-type"] && previous.map(\.severity) == [.major, .major])
    }

    @Test(
        arguments: [
            (
                ["toc": [["href": "a.html", "children": [3, ["href": "b.html", "children": [["title": "x"]]]]]]],
                "2 of “children”"
            ),
            (["links": [["href": "x", "alternate": [["type": "a/b"], "c", ["href": "d"]]]]], "2 of “alternate”"),
            (["pageList": [["href": "a.html"], 7, ["title": "x"]]], "2 of the further collections"),
            (["guided": ["links": [["href": "a.html"], [:]]]], "1 of the further collections"),
            (["a": ["links": [["href": "a.html"]], "b": [["href": "c"], .null]]], "1 of the further collections"),
            (["landmarks": [["href": "a.html", "children": [5]]]], "1 of “children”"),
        ] as [([String: JSONValue], String)])
    func `what is no link further down is counted`(members: [String: JSONValue], what: String) async throws {
        let expected = ContentWarning(
            "invalid-link", severity: .moderate, message: "\(what) in the manifest are not links; they were left out.")
        #expect(try await readium(members.merging(["readingOrder": order]) { $1 }) == [expected])
    }

    @Test func `members that are no collections are kept, and nothing is told of them`() async throws {
        let members: [String: JSONValue] = [
            "x": [1, 2], "y": ["z": ["title": "t"]], "w": "text", "v": ["href": "a"], "u": [["b": [7]]],
        ]
        #expect(try await readium(members.merging(["readingOrder": order]) { $1 }).isEmpty)
    }

    @Test func `of a hundred thousand bad links there is one warning`() async throws {
        let many = JSONValue.array(Array(repeating: 1, count: 100_000))
        let found = try await readium(["readingOrder": order, "toc": [["href": "a.html", "children": many]]])
        #expect(found.map(\.message) == ["100000 of “children” in the manifest are not links; they were left out."])
    }

    @Test func `without a reading order it is told what there is instead`() async throws {
        let none = ContentWarning(
            "missing-reading-order", severity: .major,
            message: "The manifest has no reading order, so there is nothing to read; it was opened without one.")
        #expect(try await readium([:]) == [none])
        #expect(try await w3c([:]) == [none])
        let first = "The manifest has no reading order; the first page, “index.html”, is used as the only resource."
        #expect(
            try await w3c([:], page: "<html/>") == [
                ContentWarning("missing-reading-order", severity: .minor, message: first)
            ])
    }

    private func w3c(_ members: [String: JSONValue], page: String? = nil) async throws -> [ContentWarning] {
        let own: [String: JSONValue] = [
            "@context": ["https://schema.org", "https://www.w3.org/ns/pub-context"], "name": "A Book",
        ]
        let json = JSONValue.object(own.merging(members) { $1 }).jsonString
        return try await Shelf().open("b.lpf", [("publication.json", json)] + (page.map { [("index.html", $0)] } ?? []))
            .warnings
    }

    @Test func `without a name it is told whose name stands in`() async throws {
        let members: [String: JSONValue] = ["name": .null, "readingOrder": "a.html"]
        let file = "The manifest has no name; the name of the file is used instead."
        #expect(try await w3c(members) == [ContentWarning("missing-title", severity: .moderate, message: file)])
        let page = "The manifest has no name; the title of the first page is used instead."
        let html = "<html><head><title>T</title></head></html>"
        #expect(
            try await w3c(members, page: html) == [ContentWarning("missing-title", severity: .moderate, message: page)])
    }

    @Test(arguments: [
        "dateModified", "datePublished", "duration", "readingProgression", "abridged", "numberOfPages", "inLanguage",
        "description",
        "author", "readBy",
    ])
    func `a member that makes no sense is told`(key: String) async throws {
        let expected = ContentWarning(
            "invalid-metadata", severity: .minor,
            message: "The manifest's “\(key)” has an invalid value; it was left out.")
        #expect(try await w3c([key: 0, "readingOrder": "a.html"]) == [expected])
    }

    @Test func `what lies outside, and contents that are missing, are told`() async throws {
        let found = try await w3c([
            "readingOrder": ["a.html", "../b.html"], "resources": [["url": "toc.html", "rel": "contents"]],
        ])
        let expected = [
            ContentWarning(
                "invalid-link", severity: .major,
                message: "“../b.html” in the manifest leads out of the publication; it was left out."),
            ContentWarning(
                "missing-contents", severity: .moderate,
                message:
                    "“toc.html” should contain the table of contents and is missing; the book was opened without one."),
        ]
        #expect(found == expected)
    }

    @Test func `a web site without a manifest is told`() async throws {
        let found = try await Shelf().open("b.lpf", [("index.html", "<html/>")]).warnings
        let sentence =
            "“index.html” neither names nor contains a manifest; the page and those in its table of contents were used."
        #expect(found == [ContentWarning("missing-manifest", severity: .minor, message: sentence)])
        let soup = try await Shelf().open("b.lpf", [("index.html", "<p>Hello<br>you")]).warnings
        #expect(soup.map(\.tag) == ["unreadable-page"])
        #expect(
            soup[0].message.hasSuffix("; the page's information about the publication was not used.")
                && !soup[0].message.contains(".;"))
    }
}
