import Carrel
import Foundation
import LCP
import SampleBooks

// A protected book on a storage. This one is in memory; the book opens in the same way on any provider.
let words = "Call me Ishmael."
let head = "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>Loomings</title></head><body>"
let sea = (1...2_000).map { "<p>\($0): the sea, the sea.</p>" }.joined()
let text = head + sea + "<p>\(words)</p></body></html>"
var sample = SampleLicense()
sample.copy = 20
let loomings = ProtectedPackages.Entry("c1.html", type: "text/html", Data(text.utf8))
let package = try ProtectedPackages.readium(.webpub, title: "Moby-Dick", [loomings], license: sample.signed())
let provider = MemoryFileProvider()
let path = try ProviderPath("moby.webpub")
try await provider.writeContents(path: path, contents: package)

// An app gives the certificates that it trusts, a source of passphrases, and a store for the rights that were used.
let trust = try LicenseTrust(roots: [Data(LCPVectors.rootCertificatePEM.utf8)])
let store = MemoryLicenseStore()

/// Opens the book. Without the right passphrase it opens to its metadata.
@MainActor func openBook(with passphrase: String?) async throws -> Publication {
    let prompt = PassphrasePrompt { request in request.wasWrong ? nil : passphrase }
    var options = OpeningOptions()
    options.protections = [
        LCPContentProtection(trust: trust, unlocking: LicenseUnlocking(source: prompt), store: store)
    ]
    return try await Publication.open(path: path, of: provider, options: options)
}

for passphrase in [nil, "Black whale"] {
    let locked = try await openBook(with: passphrase)
    print("\(locked.metadata.title):", locked.protection?.reason ?? "open")
    await locked.close()
}

// Unlocked, a book is read like any other: here the last words of a chapter, of which only those blocks are decrypted.
let book = try await openBook(with: LCPVectors.passphrase)
let chapter = book.get(book.readingOrder[0])
let start = Int64((head + sea + "<p>").utf8.count)
let part = try await chapter.read(start..<start + Int64(words.utf8.count))
print("Bytes \(start) and following of \(try await chapter.length()):", String(decoding: part, as: UTF8.self))

// Search, positions and the other services read the decrypted text, too.
let hits = try await book.search("ishmael").locators()
print("Found:", hits.first?.text.highlight ?? "nothing")

// The licence allows 20 characters to be copied. A refused copy is not counted.
if let rights = book.service(.licenseRights) {
    for attempt in 1...2 { print("Copy \(attempt):", try await rights.copy(words) ? "allowed" : "refused") }
    print("Characters left:", try await rights.remaining(.copy) ?? 0)
}
await book.close()
