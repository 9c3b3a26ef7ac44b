import Carrel
import FaultServer
import Foundation
import LCP
import LCPConnection
import SampleBooks

// A lender on loopback: a protected book of 1 MB, its licence, and the status of the loan. A real one is somewhere in the web.
let words = "Call me Ishmael."
let head = "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>Loomings</title></head><body>"
let sea = (1...2_000).map { "<p>\($0): the sea, the sea.</p>" }.joined()
let text = head + sea + "<p>\(words)</p></body></html>"
var numbers = SeededNumbers(seed: 1)
let entries = [
    ProtectedPackages.Entry("c1.html", type: "text/html", Data(text.utf8)),
    ProtectedPackages.Entry("whale.jpg", type: "image/jpeg", numbers.bytes(1_000_000)),
]
let package = try ProtectedPackages.readium(.webpub, title: "Moby-Dick", entries, license: nil)
var sample = SampleLicense()
sample.publicationType = "application/webpub+zip"
sample.copy = 20
let lender = try LoanServer(book: package, name: "moby.webpub", license: sample)

// An app gives the certificates that it trusts, a store for what was used, and the way to servers.
try ProviderRegistry.shared.registerBuiltInProviders()
let trust = try LicenseTrust(roots: [Data(LCPVectors.rootCertificatePEM.utf8)])
let store = MemoryLicenseStore()
let device = DeviceIdentity(id: "0b2e6f0e-example", name: "An example")
let client = LicenseStatusClient(connection: HTTPLicenseConnection(), device: device, store: store)
// The folder of the app's books. This one is in memory; any provider will do.
let shelf = MemoryFileProvider()

/// Opens a book, or a licence alone. Without the right passphrase it opens to its metadata.
@MainActor func openBook(_ path: ProviderPath, with passphrase: String? = LCPVectors.passphrase) async throws
    -> Publication
{
    let prompt = PassphrasePrompt { request in request.wasWrong ? nil : passphrase }
    var options = OpeningOptions()
    options.protections = [
        LCPContentProtection(trust: trust, unlocking: LicenseUnlocking(source: prompt), store: store, status: client)
    ]
    return try await Publication.open(path: path, of: shelf, options: options)
}

/// How long the licence in a file still lasts.
@MainActor func days(_ path: ProviderPath) async throws -> Int {
    let license = try await LicensePackage.license(at: path, of: shelf)
    return Int(((license.rights.end?.timeIntervalSinceNow ?? 0) / 86_400).rounded())
}

// A reader receives a licence. It opens the lender's book where that is, by ranges.
let ticket = try ProviderPath("moby.lcpl")
try await shelf.writeContents(path: ticket, contents: lender.license())
for passphrase in [nil, "Black whale"] {
    let locked = try await openBook(ticket, with: passphrase)
    print("\(locked.metadata.title):", locked.protection?.reason ?? "open")
    await locked.close()
}

// Unlocked, it is read like any other book: here the last words of a chapter, of which only those blocks are decrypted.
let book = try await openBook(ticket)
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
let requests = lender.requests.filter { $0.method == "GET" && $0.target == "/moby.webpub" }
print("Downloads so far:", requests.filter { $0.headers["range"] == nil }.count)

// Acquired, the book is on the shelf, with its licence in it. Length and hash were compared.
let packages = LicensePackage(trust: trust)
let license = try await LicensePackage.license(at: ticket, of: shelf)
let path = try ProviderPath(LicensePackage.suggestedName(for: license))
try await packages.acquire(license, to: path, of: shelf)
print("Acquired: \(path.name), for \(try await days(path)) day")

// Renewed, the loan has a new licence, which takes the place of the old one.
let wanted = license.rights.end?.addingTimeInterval(5 * 86_400)
let renewed = try await client.renew(license, until: wanted)
try await packages.replaceLicense(in: path, of: shelf, with: renewed.license)
print("Renewed: \(try await days(path)) days")

// Refusals are one sentence, with the lender's own words.
do {
    _ = try await client.renew(renewed.license, until: .distantFuture)
} catch let problem as LCPProblem {
    print("Renewed again:", problem.sentence)
}

// Returned, the book stays closed. An app removes it then.
print("Returned:", try await client.returnLicense(renewed.license).status)
let returned = try await openBook(path)
print("\(returned.metadata.title):", returned.protection?.reason ?? "open")
await returned.close()
lender.stop()
