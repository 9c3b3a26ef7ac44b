import Carrel
import Foundation
import LCP
import SampleBooks

// A protected book on a storage, here one in memory: any provider will do.
let text = "<html xmlns=\"http://www.w3.org/1999/xhtml\"><body><p>Call me Ishmael.</p></body></html>"
var sample = SampleLicense()
sample.copy = 20
let chapter = ProtectedPackages.Entry("c1.html", type: "text/html", Data(text.utf8), isDeflated: true)
let package = try ProtectedPackages.readium(.webpub, title: "Moby-Dick", [chapter], license: sample.signed())
let provider = MemoryFileProvider()
let path = try ProviderPath("moby.webpub")
try await provider.writeContents(path: path, contents: package)

// What an app gives: the root that it trusts, where passphrases come from, what it keeps.
let trust = try LicenseTrust(roots: [Data(LCPVectors.rootCertificatePEM.utf8)])
let store = MemoryLicenseStore()

/// Opens the book with a passphrase, or without one.
func open(_ passphrase: String?) async throws -> Publication {
    let unlocking = LicenseUnlocking(source: PassphrasePrompt { request in request.wasWrong ? nil : passphrase })
    var options = OpeningOptions()
    options.protections = [LCPContentProtection(trust: trust, unlocking: unlocking, store: store)]
    return try await Publication.open(path: path, of: provider, options: options)
}

// Without the passphrase the book shows what it is, and why it stays closed.
let locked = try await open(nil)
print(locked.metadata.title, "–", locked.protection?.reason ?? "open")
await locked.close()

// With it, resources are decrypted by ranges as they are read; search and positions work as for any book.
let book = try await open(LCPVectors.passphrase)
let hit = try await book.search("ishmael").locators().first
print(hit?.text.before ?? "", hit?.text.highlight ?? "")

// The licence allows 20 characters to be copied.
if let rights = book.service(.licenseRights) {
    print(try await rights.copy("Call me Ishmael."), try await rights.copy("Call me Ishmael."))
    print(try await rights.remaining(.copy) ?? 0, "characters left")
}
await book.close()
